import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const secret = () => randomBytes(32).toString('base64url');
/** Characters of a secret. */
const SECRET_LENGTH = 43;
/** Cookies of one name that a header is searched for ours; a browser sends one for each path at most. */
const MOST_LOOKS = 256;
const digest = (text: string) => createHash('sha256').update(text).digest();

/** A set of secrets that is asked without telling, by time, how much of a guess was right. */
class Secrets {
  private readonly known: Buffer[] = [];
  add(text: string): string {
    this.known.push(digest(text));
    return text;
  }
  /** `use`: a secret that is right is forgotten. */
  has(text: string, use = false): boolean {
    const guess = digest(text);
    let found = -1;
    this.known.forEach((each, index) => {
      if (timingSafeEqual(each, guess)) found = index;
    });
    if (found >= 0 && use) this.known.splice(found, 1);
    return found >= 0;
  }
}

/**
 * Who may talk to the server. A token opens the door once and is exchanged for a cookie; the cookie lives as long as
 * the server and the browser's session. Only hashes are held.
 */
export class Gatekeeper {
  private readonly tokens = new Secrets();
  private readonly cookies = new Secrets();
  /** Named by port: cookies do not tell ports apart, names do. */
  readonly cookieName: string;

  constructor(port: number) {
    this.cookieName = `holdfast-${port}`;
  }

  /** A new single-use token. */
  token(): string {
    return this.tokens.add(secret());
  }

  /** Whether `exchange` would take this token. */
  knows(token: string): boolean {
    return this.tokens.has(token);
  }

  /** The value of `Set-Cookie` for a token that is right, which is used up by this. */
  exchange(token: string): string | undefined {
    if (!this.tokens.has(token, true)) return undefined;
    return `${this.cookieName}=${this.cookies.add(secret())}; HttpOnly; SameSite=Strict; Path=/`;
  }

  /**
   * Whether a `Cookie` header holds a cookie of ours. Servers on other ports of this host have theirs in the same header,
   * by the hundred and under this name too, so only pairs that could be ours are looked at.
   */
  admits(header: string | undefined): boolean {
    if (header === undefined) return false;
    const name = `${this.cookieName}=`;
    let looks = 0;
    for (let at = header.indexOf(name); at >= 0 && looks < MOST_LOOKS; at = header.indexOf(name, at + 1)) {
      if (at > 0 && header[at - 1] !== ' ' && header[at - 1] !== ';') continue;
      const from = at + name.length;
      const to = from + SECRET_LENGTH;
      if (to < header.length && header[to] !== ';' && header[to] !== ' ') continue;
      looks++;
      if (this.cookies.has(header.slice(from, to))) return true;
    }
    return false;
  }
}
