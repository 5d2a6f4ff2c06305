import { createHash } from 'node:crypto';
import { Failure } from '../../shared/run/failure';
import { isTooLarge, LARGEST_ANSWER } from '../../shared/run/read';

/**
 * `partial`: the answer that is under way. `queue`: what a person has said and is not in the journal yet. `began`: the
 * last call that was about to change something, which stands in the notes too: notes without it are older than the run.
 */
export const SLIPS = ['partial', 'queue', 'began'] as const;
export type SlipName = (typeof SLIPS)[number];

/** Bytes of UTF-8 of one slip; some stores take less (`too_large`). */
export const MAX_SLIP_BYTES = 1_000_000;
/** The same of `partial`: the longest answer, and what is around its words. */
export const MAX_PARTIAL_BYTES = LARGEST_ANSWER + 64 * 1024;
export const mostOf = (name: SlipName): number => (name === 'partial' ? MAX_PARTIAL_BYTES : MAX_SLIP_BYTES);

/** A small text beside a run, which is replaced as a whole. */
export interface Slip {
  text: string;
  /** These are not the bytes that were put: a disk, or another program, changed them. */
  damaged: boolean;
}

const NEWLINE = 0x0a;

/** `meta`: what ties it to its run. It says nothing to a later run of the same id. */
export function encodeSlip(meta: string, name: SlipName, text: string): Buffer {
  const body = Buffer.from(text);
  if (body.length > mostOf(name)) throw tooLong(body.length, mostOf(name));
  const head = JSON.stringify({ meta_sha256: meta, sha256: sum(meta, body) });
  return Buffer.concat([Buffer.from(`${head}\n`), body]);
}

/** What stands in the place of a slip that was taken away, where nothing can be deleted. */
export const NO_SLIP = Buffer.from('{"gone":true}\n');

/** undefined: none of this run. Never throws. */
export function decodeSlip(bytes: Buffer, meta: string | undefined): Slip | undefined {
  if (bytes.equals(NO_SLIP)) return undefined;
  const end = bytes.indexOf(NEWLINE);
  const body = bytes.subarray(end + 1);
  if (isTooLarge(body)) return undefined;
  const head = headOf(bytes.subarray(0, Math.max(end, 0)));
  const sound = head !== undefined && head.sha256 === sum(head.meta_sha256, body);
  if (sound && head.meta_sha256 !== meta) return undefined;
  return { text: body.toString('utf8'), damaged: !sound };
}

const sum = (meta: string, body: Uint8Array): string =>
  createHash('sha256').update(`${meta}\n`).update(body).digest('hex');

function headOf(line: Buffer): { meta_sha256: string; sha256: string } | undefined {
  try {
    const { meta_sha256: meta, sha256 } = JSON.parse(line.toString('utf8')) as Record<string, unknown>;
    return typeof meta === 'string' && typeof sha256 === 'string' ? { meta_sha256: meta, sha256 } : undefined;
  } catch {
    return undefined;
  }
}

export const tooLong = (bytes: number, most: number): Failure =>
  new Failure({
    code: 'too_large',
    message: `A text of ${bytes} bytes is more than fits beside this run (${most}).`,
    kept: 'The run is unchanged.',
    todo: 'Shorten it.',
    data: { bytes, most },
  });
