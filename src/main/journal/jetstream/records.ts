import { Failure } from '../../../shared/run/failure';
import { beforeDamage } from '../../../shared/run/read';
import type { Reading } from '../read';
import { readRunGently } from '../read';
import { unavailable } from './failures';
import type { Ground } from './ground';
import { lastOf, pause, scan } from './read';
import type { Stored } from './read';

/** All records of a run, as the stream holds them and as they fold. */
export interface RunRead {
  stored: Stored[];
  bytes: Buffer;
  reading: Reading;
  updated: Date;
}

const NEWLINE = Buffer.from('\n');

/** The bodies as a journal's lines. */
export const bytesOf = (stored: Stored[]): Buffer =>
  Buffer.concat(stored.flatMap((one) => [one.data, NEWLINE]));

/** A replica that is behind is asked again so often. */
const TRIES = 5;
const BEHIND_MS = 50;

/** Every message of a run; undefined when there is none. Counted by the server, and not behind its leader. */
export async function readStored(ground: Ground, id: string): Promise<Stored[] | undefined> {
  const filter = ground.subjects.run(id);
  let least = Number.POSITIVE_INFINITY;
  for (let n = 1; ; n++) {
    const [tail, read] = await Promise.all([lastOf(ground, filter), scan(ground, filter)]);
    // Less than before: the run was deleted meanwhile. More: it grew, and this reading began before that.
    least = Math.min(least, tail?.seq ?? 0);
    if ((read.at(-1)?.seq ?? 0) >= least) return read.length === 0 ? undefined : read;
    if (n === TRIES)
      throw unavailable(
        'The stream could not be read to its end',
        new Error('the replica that answers is behind'),
      );
    await pause(BEHIND_MS);
  }
}

export async function readRecords(ground: Ground, id: string): Promise<RunRead | undefined> {
  const stored = await readStored(ground, id);
  if (stored === undefined) return undefined;
  const bytes = bytesOf(stored);
  const reading = judged(ground, id, await readRunGently(bytes), stored);
  return { stored, bytes, reading, updated: stored.at(-1)?.time ?? new Date(0) };
}

/**
 * A message is whole or it is not there, so what a file's last line may be (torn, or damaged and dropped) is damage here,
 * and so is a record that does not stand on its own subject.
 */
function judged({ subjects }: Ground, id: string, reading: Reading, stored: Stored[]): Reading {
  if (reading.failure !== undefined && reading.failure.code !== 'empty') return reading;
  let byte = 0;
  for (const [n, one] of stored.entries()) {
    const place = reading.places[n];
    const reason =
      place === undefined || place.line !== n + 1 || place.bytes !== one.data.length
        ? 'it cannot be read'
        : one.subject !== (n === 0 ? subjects.meta(id) : subjects.record(id, place.seq))
          ? `it stands on the subject of another record (${one.subject})`
          : undefined;
    if (reason !== undefined) return damagedAt(reading, n, byte, reason);
    byte += one.data.length + 1;
  }
  return reading;
}

function damagedAt(reading: Reading, n: number, byte: number, reason: string): Reading {
  return {
    ...reading,
    records: reading.records.slice(0, n),
    places: reading.places.slice(0, n),
    unborn: false,
    failure: new Failure({
      code: 'corrupt',
      message: `This run is damaged: message ${n + 1} (byte ${byte}): ${reason}.`,
      ...beforeDamage(n, 'stream'),
      data: { line: n + 1, byte, records: n, reason },
    }),
  };
}
