import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { stopIfAborted } from './stop';
import type { Dir } from './folder';

const CHUNK = 64 * 1024;
/** Like git: a NUL early on means that this is no text. */
export const looksBinary = (head: Uint8Array): boolean => head.subarray(0, 8192).includes(0);

/** Gives a file's bytes piece by piece, looking at `signal` between them. `use` may answer false to end it. */
export async function eachChunk(
  dir: Dir,
  name: string,
  signal: AbortSignal,
  use: (chunk: Buffer, first: boolean) => boolean | void,
): Promise<void> {
  await withFile(dir, name, async (file) => {
    const buffer = Buffer.allocUnsafe(CHUNK);
    for (let first = true; ; first = false) {
      stopIfAborted(signal);
      const { bytesRead } = await file.read(buffer, 0, CHUNK);
      if (bytesRead === 0) return;
      if (use(buffer.subarray(0, bytesRead), first) === false) return;
    }
  });
}

/** A whole file, up to `limit` bytes of it. */
export async function readUpTo(dir: Dir, name: string, limit: number, signal: AbortSignal): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let got = 0;
  await eachChunk(dir, name, signal, (chunk) => {
    const piece = Buffer.from(chunk.subarray(0, limit - got));
    pieces.push(piece);
    got += piece.length;
    return got < limit;
  });
  return Buffer.concat(pieces);
}

export async function withFile<T>(dir: Dir, name: string, use: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await dir.file(name, constants.O_RDONLY);
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

/** At most `max` UTF-16 units, never half a character. */
export const shorten = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max).replace(/[\ud800-\udbff]$/, '')}…`;
