import { Failure } from '../../../shared/run/failure';
import { Weight } from '../../../shared/run/weight';
import { Breather } from '../../journal/read';

/** Bytes in memory that one file may be decoded to: its text twice, and the objects in it. */
const HEAVIEST = 512 * 1024 * 1024;
const SLICE = 256 * 1024;
const NEWLINE = 0x0a;

const stopped = (): Failure =>
  new Failure({
    code: 'cancelled',
    message: 'The import was stopped.',
    kept: 'Nothing of this file was taken.',
  });

const tooHeavy = (name: string): Failure =>
  new Failure({
    code: 'too_large',
    message: `${name} is small to send and far too large to open: it has too many parts for this computer's memory.`,
    kept: 'Nothing of it was taken.',
  });

/**
 * Looks, before anything is decoded, at what a file takes in memory: objects are short to write and long to hold.
 *
 * @throws Failure `too_large`, `cancelled`
 */
export async function checkWeight(name: string, bytes: Uint8Array, signal?: AbortSignal): Promise<void> {
  const weight = new Weight();
  const breather = new Breather();
  for (let at = 0; at < bytes.length;) {
    const newline = bytes.indexOf(NEWLINE, at);
    const end = Math.min(newline < 0 ? bytes.length : newline + 1, at + SLICE);
    weight.add(bytes.subarray(at, end));
    if (end === newline + 1) weight.endLine();
    at = end;
    if (2 * bytes.length + weight.bytes > HEAVIEST && weight.bytes > HEAVIEST / 4) throw tooHeavy(name);
    if (!breather.due) continue;
    if (signal?.aborted) throw stopped();
    await breather.breathe();
  }
}
