import type { Msg, MsgHdrs } from 'nats';
import type { Link } from './link';

/** What the server says when it does not let this account publish or subscribe. */
export interface Forbidden {
  operation: string;
  subject: string;
}

interface Asked {
  subject: string;
  timer: NodeJS.Timeout;
  resolve(answer: Msg): void;
  reject(error: Error): void;
}

/**
 * Questions on one connection, their answers told apart by the last word of an inbox. The client's own `request` makes an
 * error with its stack for every answer, also for a good one; that alone is a fifth of the time that a record takes.
 */
export class Asks {
  #inbox: string | undefined;
  #count = 0;
  readonly #open = new Map<string, Asked>();

  constructor(readonly link: Pick<Link, 'connection' | 'inbox' | 'subscribe'>) {}

  /** Rejects as the client does: with its code where it has one, else with a plain error. */
  ask(subject: string, body: Uint8Array, headers: MsgHdrs, ms: number): Promise<Msg> {
    return new Promise((resolve, reject) => {
      const token = `${++this.#count}`;
      const timer = setTimeout(() => this.#end(token)?.reject(new Error('no answer came in time')), ms);
      this.#open.set(token, { subject, timer, resolve, reject });
      try {
        const reply = `${this.#listening()}.${token}`;
        this.link.connection.publish(subject, body, { headers, reply });
      } catch (error) {
        this.#end(token)?.reject(error as Error);
      }
    });
  }

  /** The connection is lost: no answer can come any more. */
  lose(): void {
    for (const token of [...this.#open.keys()]) this.#end(token)?.reject(new Error('the connection is lost'));
  }

  forbid({ operation, subject }: Forbidden): void {
    const all = operation === 'subscription' && subject === this.#answers;
    for (const [token, asked] of [...this.#open])
      if (all || (operation === 'publish' && subject === asked.subject))
        this.#end(token)?.reject(
          Object.assign(new Error(`this account may not use "${subject}"`), {
            code: 'PERMISSIONS_VIOLATION',
          }),
        );
  }

  get #answers(): string {
    return `${this.#inbox}.*`;
  }

  #listening(): string {
    if (this.#inbox !== undefined) return this.#inbox;
    this.#inbox = this.link.inbox();
    this.link.subscribe(this.#answers, (message) => {
      const asked = this.#end(message.subject.slice(this.#answers.length - 1));
      // Nobody listens where the question went.
      if (message.data.length === 0 && message.headers?.code === 503)
        asked?.reject(Object.assign(new Error('JetStream does not answer'), { code: '503' }));
      else asked?.resolve(message);
    });
    return this.#inbox;
  }

  #end(token: string): Asked | undefined {
    const asked = this.#open.get(token);
    if (asked === undefined) return undefined;
    this.#open.delete(token);
    clearTimeout(asked.timer);
    return asked;
  }
}
