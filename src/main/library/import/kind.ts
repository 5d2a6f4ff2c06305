import { Failure, type FailureCode } from '../../../shared/run/failure';

/** What a file is that is no journal: what to call it, and what can be done with it. */
interface Kind {
  what: string;
  todo: string;
}

const ATTACH = 'To talk about it, put it into the folder of a chat: the tools there can read it.';
const PICTURE = 'Open it with a picture viewer. Only runs can be imported here.';
const DOCUMENT = 'Open it with the program that it belongs to, or copy its text into a message.';
const UNPACK = 'Unpack it, then import the journals or the zip from Holdfast that is inside.';
const OTHER = 'Choose a journal, a folder of journals, or a zip that Holdfast exported.';

/** By the first bytes, never by the name: `at` other than 0 where a format begins later. */
const SIGNATURES: readonly { bytes: string; at?: number; what: string; todo: string }[] = [
  { bytes: '\x89PNG\r\n\x1a\n', what: 'a picture (PNG)', todo: PICTURE },
  { bytes: '\xff\xd8\xff', what: 'a picture (JPEG)', todo: PICTURE },
  { bytes: 'GIF8', what: 'a picture (GIF)', todo: PICTURE },
  { bytes: 'WEBP', at: 8, what: 'a picture (WebP)', todo: PICTURE },
  { bytes: 'ftypavif', at: 4, what: 'a picture (AVIF)', todo: PICTURE },
  { bytes: 'ftyphei', at: 4, what: 'a picture (HEIC)', todo: PICTURE },
  { bytes: 'II*\0', what: 'a picture (TIFF)', todo: PICTURE },
  { bytes: 'MM\0*', what: 'a picture (TIFF)', todo: PICTURE },
  { bytes: '%PDF-', what: 'a PDF', todo: DOCUMENT },
  { bytes: '{\\rtf', what: 'a document (RTF)', todo: DOCUMENT },
  { bytes: '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', what: 'an Office document', todo: DOCUMENT },
  { bytes: 'SQLite format 3\0', what: 'an SQLite database', todo: OTHER },
  { bytes: '\x1f\x8b', what: 'a gzip archive', todo: UNPACK },
  { bytes: 'BZh', what: 'a bzip2 archive', todo: UNPACK },
  { bytes: '\xfd7zXZ\0', what: 'an xz archive', todo: UNPACK },
  { bytes: '\x28\xb5\x2f\xfd', what: 'a Zstandard archive', todo: UNPACK },
  { bytes: '7z\xbc\xaf\x27\x1c', what: 'a 7-Zip archive', todo: UNPACK },
  { bytes: 'Rar!\x1a\x07', what: 'a RAR archive', todo: UNPACK },
  { bytes: 'ustar', at: 257, what: 'a tar archive', todo: UNPACK },
  { bytes: 'RIFF', what: 'a sound or video file', todo: OTHER },
  { bytes: 'ID3', what: 'a sound file (MP3)', todo: OTHER },
  { bytes: 'OggS', what: 'a sound file (Ogg)', todo: OTHER },
  { bytes: 'fLaC', what: 'a sound file (FLAC)', todo: OTHER },
  { bytes: 'ftyp', at: 4, what: 'a video file', todo: OTHER },
  { bytes: '\x1aE\xdf\xa3', what: 'a video file', todo: OTHER },
  { bytes: '\x7fELF', what: 'a program', todo: OTHER },
  { bytes: '\xcf\xfa\xed\xfe', what: 'a program', todo: OTHER },
];

const LOOKED_AT = 64 * 1024;
/** The field that every line of a journal has, and nothing else by chance. */
const OURS = /"protocol"\s*:\s*"io\.choria\.fisk-ai\./;

/**
 * What these bytes are where they were never a journal, however broken; undefined where they may have been one. A
 * journal is told by the names in it: one that lost its beginning still has lines with them.
 */
export function foreignKind(bytes: Uint8Array): Kind | undefined {
  if (bytes.length === 0) return { what: 'an empty file', todo: OTHER };
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, LOOKED_AT));
  const latin = start.toString('latin1');
  const known = SIGNATURES.find(({ bytes: sign, at = 0 }) => latin.startsWith(sign, at));
  if (known) return known;
  if (OURS.test(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')))
    return undefined;
  // A journal that a crash left as nothing but zeros.
  if (start.every((byte) => byte === 0)) return undefined;
  if (latin.startsWith('\xff\xfe') || latin.startsWith('\xfe\xff'))
    return { what: 'a text file', todo: ATTACH };
  const text = start
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimStart();
  if (latin.includes('\0')) return { what: 'a file of another program', todo: OTHER };
  if (/^<(!doctype html|html)/i.test(text)) return { what: 'a web page', todo: ATTACH };
  if (/^<\?xml|^<svg/i.test(text)) return { what: 'an XML file', todo: ATTACH };
  if (/^[{[]/.test(text)) return { what: 'a JSON file of another program', todo: OTHER };
  return { what: 'a text file', todo: ATTACH };
}

/** Throws for bytes that are something else than a journal: as what reading them came to, but never as damage. */
export function refuseForeign(bytes: Uint8Array, read: FailureCode | undefined): void {
  const kind = foreignKind(bytes);
  if (!kind) return;
  throw new Failure({
    code: read === 'empty' || read === 'no_meta' ? read : 'unsupported',
    message: `This is ${kind.what}, not a run.`,
    kept: 'Nothing was imported.',
    todo: kind.todo,
    data: { kind: kind.what },
  });
}
