import { headers } from 'nats';
import { z } from '../../../shared/zod';
import type { Msg } from 'nats';
import { locked } from '../check';
import { putFenced } from './ground';
import type { Ground } from './ground';
import { Refused } from './put';
import { askLast, lastOf } from './read';
import type { Stored } from './read';
import { HEADER } from './subjects';

/**
 * Who may write a run. A stream has no locks, and nothing is released by a crash, so a claim is an epoch: claim n+1
 * supersedes claim n, whoever made it. Three things make that safe:
 *
 * - Claims are written once. Of writers that want the same n+1 exactly one gets it.
 * - Whoever supersedes a claim that was not given back takes a number in the run's notes as well. A tool may run only
 *   after its intent was noted, and the former writer cannot note under a number that is taken: it stops before the
 *   effect, however slow or cut off it is. What it had noted before is there to be read: outcome unknown, ask.
 * - Records are fenced by themselves, so nothing of the former writer gets between those of the next.
 *
 * A claim whose holder lives and answers is respected: the run is `locked`. That is courtesy, not what safety rests on.
 */
export interface ClaimState {
  n: number;
  /** Place in the stream. */
  seq: number;
  held: boolean;
  nonce: string;
}

const claimBody = z.object({ state: z.string().optional(), nonce: z.string().optional() });

const RELEASE_MS = 1_000;

function claimOf(ground: Ground, stored: Stored | undefined): ClaimState | undefined {
  const token = stored && ground.subjects.parse(stored.subject)?.token;
  if (stored === undefined || token === undefined || !/^\d+$/.test(token)) return undefined;
  let json: unknown;
  try {
    json = JSON.parse(Buffer.from(stored.data).toString('utf8'));
  } catch {
    // As anything else that is no claim.
  }
  // What is none counts as held by nobody we know: it is superseded like any other.
  const body = claimBody.safeParse(json).data ?? {};
  return { n: Number(token), seq: stored.seq, held: body.state !== 'free', nonce: body.nonce ?? '' };
}

export const readClaim = async (ground: Ground, id: string): Promise<ClaimState | undefined> =>
  claimOf(ground, await lastOf(ground, ground.subjects.claim(id, '>')));

export const claimIn = claimOf;

/** Whether the holder of this claim answers within `ms`. It is asked twice: the first question may have gone astray. */
export function isHolderAlive(ground: Ground, id: string, claim: ClaimState, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const inbox = ground.link.inbox();
    const done = (alive: boolean): void => {
      clearTimeout(again);
      clearTimeout(end);
      stop();
      resolve(alive);
    };
    const ask = (): void => {
      const lines = headers();
      lines.append(HEADER.ask, '1');
      // The holder listens on its claim's subject; the stream must not take the question for a claim.
      lines.append('Nats-Expected-Stream', '-');
      try {
        const subject = ground.subjects.claim(id, claim.n);
        ground.link.connection.publish(subject, '?', { headers: lines, reply: inbox });
      } catch {
        done(false);
      }
    };
    const again = setTimeout(ask, ms / 2);
    const end = setTimeout(() => done(false), ms);
    const stop = ground.link.subscribe(inbox, (message) => {
      if (message.headers?.get(HEADER.held) === claim.nonce) done(true);
    });
    ask();
  });
}

/** A claim that this process made. From before it stands it answers those who ask whether its holder lives. */
export class Claim {
  #over = false;
  #mine: ClaimState;
  #onSuperseded: (() => void) | undefined;
  #lost = false;
  readonly #stop: () => void;

  private constructor(
    readonly ground: Ground,
    readonly id: string,
    /** The last claim, if it was never given back: its writer may still believe in it. */
    readonly superseded: boolean,
    mine: ClaimState,
  ) {
    this.#mine = mine;
    this.#stop = ground.link.subscribe(ground.subjects.claim(id, '>'), (message) => this.#hear(message));
  }

  /** @throws Failure `locked` when another holds the run or was quicker */
  static async take(ground: Ground, id: string, nonce: string): Promise<Claim> {
    const before = await readClaim(ground, id);
    if (before?.held === true && ground.askMs > 0 && (await isHolderAlive(ground, id, before, ground.askMs)))
      throw locked();
    const n = (before?.n ?? 0) + 1;
    const claim = new Claim(ground, id, before?.held === true, { n, seq: 0, held: true, nonce });
    try {
      const seq = await write(ground, id, n, before?.seq ?? 0, { state: 'held', nonce }, nonce);
      claim.#mine = { ...claim.#mine, seq };
      return claim;
    } catch (error) {
      claim.drop();
      if (error instanceof Refused) throw locked();
      throw error;
    }
  }

  get number(): number {
    return this.#mine.n;
  }

  /** Calls once when a later claim stands. */
  onSuperseded(listener: () => void): void {
    this.#onSuperseded = listener;
    if (this.#lost) queueMicrotask(() => this.#tell());
  }

  /** Whether the stream still has this claim as the last. Rejects as the client does. */
  async stands(): Promise<boolean> {
    const last = await this.#last();
    return last?.n === this.#mine.n && last.nonce === this.#mine.nonce;
  }

  /** Gives the run back; a claim that cannot be given back is superseded by whoever comes next. Never rejects. */
  async release(): Promise<void> {
    if (this.#over) return;
    this.drop();
    const { ground, id } = this;
    const { n, seq, nonce } = this.#mine;
    try {
      await write(ground, id, n + 1, seq, { state: 'free' }, nonce, RELEASE_MS);
      // Only where later claims are judged against the last one may earlier ones go.
      if (ground.tailFence() && ground.judgement.keepsAll === undefined)
        await ground.link.race(
          ground.link.manager.streams.purge(ground.stream, {
            filter: ground.subjects.claim(id, '>'),
            keep: 1,
          }),
        );
    } catch {
      // Superseded meanwhile, or the server is away.
    }
  }

  /** Stops answering for the claim; it can still be given back. */
  quiet(): void {
    this.#stop();
  }

  /** Forgets the claim without giving it back: somebody else has the run. */
  drop(): void {
    this.#over = true;
    this.#stop();
  }

  async #last(): Promise<ClaimState | undefined> {
    return claimOf(this.ground, await askLast(this.ground, this.ground.subjects.claim(this.id, '>')));
  }

  #hear(message: Msg): void {
    const n = Number(this.ground.subjects.parse(message.subject)?.token);
    if (message.headers?.has(HEADER.ask)) {
      if (n !== this.#mine.n) return;
      const lines = headers();
      lines.append(HEADER.held, this.#mine.nonce);
      message.respond('', { headers: lines });
    } else if (n > this.#mine.n) void this.#look().catch(() => undefined);
  }

  /** What is published is not yet stored: only the stream says who holds the run. */
  async #look(): Promise<void> {
    const last = await this.#last();
    if (this.#over || last === undefined || last.n <= this.#mine.n) return;
    this.#lost = true;
    this.#tell();
  }

  #tell(): void {
    const listener = this.#onSuperseded;
    this.#onSuperseded = undefined;
    listener?.();
  }
}

async function write(
  ground: Ground,
  id: string,
  n: number,
  last: number,
  body: { state: 'held' | 'free'; nonce?: string },
  nonce: string,
  patienceMs = ground.put.patienceMs,
): Promise<number> {
  const landed = await putFenced(
    ground,
    {
      subject: ground.subjects.claim(id, n),
      body: Buffer.from(JSON.stringify({ ...body, at: new Date().toISOString() })),
      id: `${nonce}-claim-${n}`,
      last,
      filter: ground.subjects.claim(id, '>'),
    },
    patienceMs,
  );
  return landed.seq;
}
