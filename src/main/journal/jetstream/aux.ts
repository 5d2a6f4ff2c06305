import { Failure } from '../../../shared/run/failure';
import { SYNCED_KINDS } from '../../../shared/run/sidecar';
import type { SidecarEntry } from '../../../shared/run/sidecar';
import { bindEntry, encodeEntries, readSidecar } from '../sidecar';
import type { SidecarRead } from '../sidecar';
import { Turns } from '../turns';
import { superseded, tooLarge } from './failures';
import { mostBody, putFenced } from './ground';
import type { Ground } from './ground';
import { Refused } from './put';
import { lastOf, scan } from './read';
import { HEADER } from './subjects';
import type { Stored } from './read';

/** Notes that nobody waits for gather this long, so that a record does not cost two messages. ms. */
const GATHER_MS = 250;
/** How long closing waits for them. ms. */
const FLUSH_MS = 1_500;

/** Said in a header of notes from which watchers learn that a tool began; other notes can wait for the next record. */
export const NOTED = 'noted';
const INTENT = '"kind":"intent"';

/** Where the notes of a run end in the stream. */
export interface AuxEnd {
  n: number;
  seq: number;
  /** The last entries belong to this run. */
  bound: boolean;
  /** Of the last line. */
  sum: string;
}

/** All notes beside a run, as the stream has them. That they cannot be read is an error: they decide what may run again. */
export const scanAux = (ground: Ground, id: string): Promise<Stored[]> =>
  scan(ground, ground.subjects.aux(id, '>'));

/** What the notes say to the run with this meta line, and where they end. */
export function readAux(ground: Ground, stored: Stored[], metaSha256: string): SidecarRead & { end: AuxEnd } {
  const lines = stored.flatMap((one) => Buffer.from(one.data).toString('utf8').split('\n'));
  const last = stored.at(-1);
  const n = Number(last && ground.subjects.parse(last.subject)?.token);
  const lastBind = lines.findLast((line) => line.includes('"bind"'));
  const read = readSidecar(lines, metaSha256);
  return {
    ...read,
    end: {
      n: Number.isSafeInteger(n) ? n : 0,
      seq: last?.seq ?? 0,
      bound: lastBind?.includes(metaSha256) === true,
      sum: read.sum,
    },
  };
}

/**
 * Takes the next number in a run's notes without noting anything, so that a writer whose claim was superseded cannot
 * note an intent any more. Whoever it races with, the number is taken afterwards.
 */
export async function bar(ground: Ground, id: string, nonce: string): Promise<void> {
  for (;;) {
    const last = await lastOf(ground, ground.subjects.aux(id, '>'));
    const n = Number((last && ground.subjects.parse(last.subject)?.token) ?? 0) + 1;
    try {
      await putFenced(ground, {
        subject: ground.subjects.aux(id, n),
        body: Buffer.from('\n'),
        id: `${nonce}-bar-${n}`,
        last: last?.seq ?? 0,
        filter: ground.subjects.aux(id, '>'),
      });
      return;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
    }
  }
}

export interface AuxParts {
  ground: Ground;
  id: string;
  nonce: string;
  metaSha256: string;
  end: AuxEnd;
  /** A number was taken by another writer: this one has lost the run. */
  onLost(failure: Failure): void;
}

/** The writer's end of a run's notes. Notes are written in the order they were made; see `Journal.note`. */
export class AuxWriter {
  readonly #turns = new Turns();
  #waiting: SidecarEntry[] = [];
  #timer: NodeJS.Timeout | undefined;
  #broken: Failure | undefined;

  constructor(readonly parts: AuxParts) {}

  /** Puts an entry before the next that is written. */
  add(entry: SidecarEntry): void {
    this.#waiting.push(structuredClone(entry));
  }

  note(entry: SidecarEntry): Promise<void> {
    this.add(entry);
    if (SYNCED_KINDS.has(entry.kind)) return this.#turns.run(() => this.#flush());
    this.#timer ??= setTimeout(() => this.#turns.run(() => this.#flush()).catch(() => undefined), GATHER_MS);
    return Promise.resolve();
  }

  /**
   * Everything that was noted so far is in the stream when this resolves. `bind`: also if there is nothing but the
   * binding to write. Rejects as a synced note does.
   */
  flush(bind = false): Promise<void> {
    return this.#turns.run(() => {
      if (bind) this.#bind();
      return this.#flush();
    });
  }

  /** Never rejects. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#turns.run(() => this.#flush(FLUSH_MS)).catch(() => undefined);
  }

  async #flush(patienceMs?: number): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { ground, id, nonce, end } = this.parts;
    while (this.#waiting.length > 0) {
      if (this.#broken !== undefined) {
        this.#waiting = [];
        throw this.#broken;
      }
      this.#bind();
      const { body, count, sum } = this.#batch(mostBody(ground));
      const n = end.n + 1;
      try {
        const landed = await putFenced(
          ground,
          {
            subject: ground.subjects.aux(id, n),
            body,
            id: `${nonce}-aux-${n}`,
            last: end.seq,
            filter: ground.subjects.aux(id, '>'),
            ...(body.includes(INTENT) && { headers: { [HEADER.change]: NOTED } }),
          },
          patienceMs,
        );
        end.n = n;
        end.seq = landed.seq;
        end.sum = sum;
        this.#waiting.splice(0, count);
      } catch (error) {
        this.#waiting = [];
        if (error instanceof Refused) {
          this.#broken = superseded();
          this.parts.onLost(this.#broken);
          throw this.#broken;
        }
        // Nobody knows whether it is there, so nobody knows which number is next.
        if (error instanceof Failure) this.#broken = error;
        throw error;
      }
    }
  }

  #bind(): void {
    const { end, metaSha256 } = this.parts;
    if (end.bound) return;
    this.#waiting.unshift(bindEntry(metaSha256));
    end.bound = true;
  }

  /** As many waiting entries as one message takes. One that alone is too large is let go, and told. */
  #batch(most: number): { body: Buffer; count: number; sum: string } {
    const { lines } = encodeEntries(this.#waiting, this.parts.end.sum);
    let [bytes, count] = [0, 0];
    for (const line of lines) {
      const length = Buffer.byteLength(line);
      if (bytes + length > most) break;
      bytes += length;
      count += 1;
    }
    if (count > 0) {
      const { sum } = encodeEntries(this.#waiting.slice(0, count), this.parts.end.sum);
      return { body: Buffer.from(lines.slice(0, count).join('')), count, sum };
    }
    const length = Buffer.byteLength(lines[0] ?? '');
    this.#waiting.shift();
    throw tooLarge(length, most);
  }
}
