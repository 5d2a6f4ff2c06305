import { NO_SLIP, decodeSlip, encodeSlip, tooLong } from '../slip';
import type { Slip, SlipName } from '../slip';
import { mostBody, putFenced } from './ground';
import type { Ground } from './ground';
import { Refused } from './put';
import { lastOf, patiently, scan } from './read';
import type { Stored } from './read';

/** What was put before goes after so many puts: each that goes is a request. */
const SWEEP = 8;
/** Of longer ones each goes as soon as the next is there. Bytes. */
const LONG = 1024 * 1024;
/** How long a slip that is only comfort waits through an outage. ms. */
const COMFORT_MS = 1_500;

/** Where a slip is in the stream: the highest number counts. */
interface SlipEnd {
  n: number;
  seq: number;
  data: Buffer | undefined;
}

/**
 * Servers without the tail fence take a number below the highest from a writer that was cut off, so there the last
 * message need not be the one that counts.
 */
async function endOf(ground: Ground, id: string, name: SlipName): Promise<SlipEnd> {
  const filter = ground.subjects.slip(id, name, '>');
  const found = ground.tailFence() ? [await lastOf(ground, filter)] : await scan(ground, filter);
  const end: SlipEnd = { n: 0, seq: 0, data: undefined };
  for (const stored of found) {
    const n = stored === undefined ? 0 : numberOf(ground, stored);
    if (stored === undefined || n <= end.n) continue;
    Object.assign(end, { n, seq: stored.seq, data: Buffer.from(stored.data) });
  }
  return end;
}

function numberOf(ground: Ground, stored: Stored): number {
  const n = Number(ground.subjects.parse(stored.subject)?.token.split('.')[1]);
  return Number.isSafeInteger(n) ? n : 0;
}

/** What it says to the run with this meta hash. */
export async function readSlip(
  ground: Ground,
  id: string,
  name: SlipName,
): Promise<(meta: string | undefined) => Slip | undefined> {
  const { data } = await endOf(ground, id, name);
  return (meta) => data && decodeSlip(data, meta);
}

export interface SlipParts {
  ground: Ground;
  id: string;
  nonce: string;
  metaSha256: string;
  /** Throws where this is not the writer any more. */
  check(): Promise<void>;
}

/** The writer's end of a run's slips. Its calls must not overlap. */
export class SlipWriter {
  readonly #ends = new Map<SlipName, SlipEnd>();

  constructor(readonly parts: SlipParts) {}

  /** See `Journal.putSlip`. */
  async put(name: SlipName, text: string | undefined, durable: boolean): Promise<void> {
    const { ground, id, nonce, metaSha256, check } = this.parts;
    const keepsAll = ground.judgement.keepsAll !== undefined;
    // Nothing that is replaced again and again belongs where nothing ever goes.
    if (name === 'partial' && keepsAll) return;
    const body = text === undefined ? NO_SLIP : encodeSlip(metaSha256, name, text);
    if (body.length > mostBody(ground)) throw tooLong(body.length, mostBody(ground));
    for (;;) {
      const end = this.#ends.get(name) ?? (await endOf(ground, id, name));
      this.#ends.set(name, end);
      if (text === undefined && (end.data === undefined || end.data.equals(NO_SLIP))) return;
      const n = end.n + 1;
      if (durable) await check();
      try {
        const landed = await putFenced(
          ground,
          {
            subject: ground.subjects.slip(id, name, n),
            body,
            id: `${nonce}-slip-${name}-${n}`,
            last: end.seq,
            filter: ground.subjects.slip(id, name, '>'),
          },
          durable ? undefined : COMFORT_MS,
        );
        this.#ends.set(name, { n, seq: landed.seq, data: body });
        if (!keepsAll && (text === undefined || n % SWEEP === 0 || body.length > LONG))
          await this.#sweep(name, landed.seq);
        return;
      } catch (error) {
        this.#ends.delete(name);
        if (!(error instanceof Refused)) throw error;
        await check();
      }
    }
  }

  /** What was put before this place goes. Never rejects: what stays is only litter. */
  async #sweep(name: SlipName, seq: number): Promise<void> {
    const { ground, id } = this.parts;
    await patiently(ground, 'tidy up beside the run', () =>
      ground.link.manager.streams.purge(ground.stream, {
        filter: ground.subjects.slip(id, name, '>'),
        seq,
      }),
    ).catch(() => undefined);
  }
}
