import { stat } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import yauzl from 'yauzl';
import { asFailure, Failure } from '../../../shared/run/failure';
import { LARGEST_FILE, MOST_FILES, tooLarge } from './tree';
import type { ReadLimits, Tree } from './tree';

/** A zip may unpack to so many times its own size, or to so many bytes where that is more. */
const LARGEST_RATIO = 100;
const ALWAYS_FINE = 1024 ** 3;
/** A file of so few bytes is taken to its end, also when the import is stopped. */
const NEARLY_DONE = 4 * 1024 * 1024;
/** Milliseconds for one file. */
const PATIENCE = 60_000;
const DOS = 0;
const LINK = 0o120000;

/**
 * The files of a zip. Nothing is ever written under an entry's name; names that lead out of their folder are refused all
 * the same, links are never followed, and a zip that would unpack to far more than it is is refused as a whole.
 *
 * @param now milliseconds, for the time that one file may take
 * @throws Failure `corrupt` for what is no zip, `too_large` (also what takes too long), `cancelled`
 */
export async function zipTree(path: string, now = () => performance.now()): Promise<Tree> {
  const { size } = await stat(path);
  const zip = await opened(path);
  const entries = new Map<string, yauzl.Entry>();
  const refused: { name: string; failure: Failure }[] = [];
  let total = 0;
  try {
    await eachEntry(zip, (entry) => {
      const name = nameOf(entry);
      const wrong = whatIsWrong(entry, name, entries);
      if (wrong !== undefined) refused.push({ name, failure: wrong });
      if (wrong !== undefined || name.endsWith('/')) return;
      total += entry.uncompressedSize;
      if (entries.size >= MOST_FILES || total > Math.max(ALWAYS_FINE, size * LARGEST_RATIO)) throw bomb();
      entries.set(name, entry);
    });
  } catch (error) {
    zip.close();
    throw zipFailure(error);
  }
  return {
    files: [...entries].map(([name, entry]) => ({ name, size: entry.uncompressedSize })),
    refused,
    async read(name, limits) {
      const entry = entries.get(name);
      if (!entry) throw new Failure({ code: 'not_found', message: `${name} is not in the zip.` });
      try {
        return await contentOf(zip, entry, name, limits, now);
      } catch (error) {
        throw zipFailure(error);
      }
    },
    close: () => zip.close(),
  };
}

function whatIsWrong(
  entry: yauzl.Entry,
  name: string,
  seen: ReadonlyMap<string, unknown>,
): Failure | undefined {
  const wrong = (message: string): Failure =>
    new Failure({ code: 'store_unsafe', message, kept: 'Nothing of it was taken.' });
  if (yauzl.validateFileName(name) !== null || name.includes('\0'))
    return wrong('The zip names a file that would lie outside of its folder.');
  if (seen.has(name)) return wrong('The zip has two files of that name.');
  if (entry.versionMadeBy >> 8 !== DOS && ((entry.externalFileAttributes >>> 16) & 0o170000) === LINK)
    return wrong('The zip has a link there instead of a file.');
  if (entry.isEncrypted()) return wrong('That file of the zip is encrypted.');
  return entry.uncompressedSize > LARGEST_FILE ? tooLarge(name) : undefined;
}

// Names are decoded here, so that a bad one costs its own file only.
const nameOf = (entry: yauzl.Entry): string => Buffer.from(entry.fileNameRaw).toString('utf8');

function opened(path: string): Promise<yauzl.ZipFile> {
  return new Promise((resolve, reject) =>
    yauzl.open(
      path,
      { lazyEntries: true, autoClose: false, decodeStrings: false, validateEntrySizes: true },
      (error, zip) => (error ? reject(zipFailure(error)) : resolve(zip)),
    ),
  );
}

function eachEntry(zip: yauzl.ZipFile, visit: (entry: yauzl.Entry) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    zip.on('entry', (entry: yauzl.Entry) => {
      try {
        visit(entry);
        zip.readEntry();
      } catch (error) {
        reject(asFailure(error));
      }
    });
    zip.once('end', resolve);
    zip.once('error', reject);
    zip.readEntry();
  });
}

async function contentOf(
  zip: yauzl.ZipFile,
  entry: yauzl.Entry,
  name: string,
  { most = LARGEST_FILE, signal }: ReadLimits = {},
  now: () => number,
): Promise<Uint8Array> {
  if (entry.uncompressedSize > most) throw tooLarge(name);
  const deadline = now() + PATIENCE;
  const stream = await new Promise<NodeJS.ReadableStream>((resolve, reject) =>
    zip.openReadStream(entry, (error, found) => (error ? reject(error) : resolve(found))),
  );
  const chunks: Buffer[] = [];
  let size = 0;
  let sum = 0;
  // The reader itself ends with an error where there is more than the zip's index says.
  for await (const chunk of stream) {
    const bytes = chunk as Buffer;
    size += bytes.length;
    if (size > most) throw tooLarge(name);
    if (signal?.aborted && size > NEARLY_DONE) throw stopped();
    if (now() > deadline) throw tooSlow(name);
    sum = crc32(bytes, sum);
    chunks.push(bytes);
  }
  if (sum >>> 0 !== entry.crc32 >>> 0)
    throw new Failure({
      code: 'corrupt',
      message: `${name} is damaged in the zip: its checksum is another one.`,
      kept: 'Nothing of it was taken.',
    });
  return Buffer.concat(chunks, size);
}

const stopped = (): Failure =>
  new Failure({
    code: 'cancelled',
    message: 'The import was stopped.',
    kept: 'Nothing of this file was taken.',
  });

const tooSlow = (name: string): Failure =>
  new Failure({
    code: 'too_large',
    message: `${name} took longer than ${PATIENCE / 1000} seconds to unpack.`,
    kept: 'Nothing of it was taken.',
  });

const bomb = (): Failure =>
  new Failure({
    code: 'too_large',
    message: 'This zip would unpack to far more than a zip of runs does.',
    kept: 'Nothing of it was taken.',
    todo: 'Unpack it yourself if you trust it, and import the folder.',
  });

const zipFailure = (error: unknown): Failure =>
  error instanceof Failure
    ? error
    : new Failure(
        {
          code: 'corrupt',
          message: 'The zip cannot be read: it is not whole, or not a zip.',
          kept: 'Nothing of it was taken.',
          todo: 'Get it again from where it came from, or export it again.',
          data: { reason: error instanceof Error ? error.message : String(error) },
        },
        { cause: error },
      );
