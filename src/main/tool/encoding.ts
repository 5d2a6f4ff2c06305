import { analyse } from 'chardet';
import iconv from 'iconv-lite';

/** How the text of a file is written as bytes. */
export interface Encoding {
  /** As iconv knows it. */
  name: string;
  /** For people and models: `UTF-16`, `Shift_JIS`. */
  label: string;
  /** The file begins with a byte order mark, which is no part of its text. */
  bom: boolean;
}

export const UTF8: Encoding = { name: 'utf8', label: 'UTF-8', bom: false };

/** Bytes of a file that tell its encoding. */
export const HEAD = 64 * 1024;
/** Like git: a NUL this early means that this is no text. */
const NULS = 8192;

/** What a detector says of 0 to 100 from which it is believed, and how far ahead of the next guess it must be. */
const SURE_WIDE = 75;
const AHEAD_WIDE = 15;
const SURE_NARROW = 20;
const AHEAD_NARROW = 1.8;
const LATIN = new Set(['ISO-8859-1', 'windows-1252']);
const WIDE = new Set(['Shift_JIS', 'Big5', 'EUC-JP', 'EUC-KR', 'GB18030', 'ISO-2022-JP', 'ISO-2022-KR']);

/** Letters and signs that texts in western languages have beyond ASCII. */
const WESTERN = /^[À-ÖØ-öø-ÿŒœŠšŽžŸ€‚ƒ„…‘’“”•–—™¡§©«®°²³´·»¿£¥ª\u00a0]*$/u;

/**
 * The encoding of a text; `binary`: it is none. `unknown`: a text whose encoding cannot be told with certainty.
 *
 * @param head the beginning of a file, or all of it
 * @param whole whether it is all of it; otherwise its last character may be cut
 */
export function encodingOf(head: Uint8Array, whole: boolean): Encoding | 'binary' | 'unknown' {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
  const marked = byMark(bytes);
  if (marked) return marked;
  if (bytes.subarray(0, NULS).includes(0)) return wideByNuls(bytes.subarray(0, NULS)) ?? 'binary';
  if (isUtf8(bytes, whole)) return UTF8;
  return guessed(bytes);
}

/** The same for all bytes of a large file, judged by no more than its telling parts: a detector takes seconds for all. */
export function encodingOfAll(bytes: Buffer): Encoding | 'binary' | 'unknown' {
  const head = encodingOf(bytes.subarray(0, HEAD), bytes.length <= HEAD);
  if (head !== UTF8 || bytes.length <= HEAD || isUtf8(bytes, true)) return head;
  let at = 0;
  while ((bytes[at] ?? 0x80) < 0x80) at++;
  return guessed(bytes.subarray(Math.max(0, at - HEAD / 8), at + HEAD / 8));
}

function byMark(bytes: Buffer): Encoding | undefined {
  const starts = (...mark: number[]) => mark.every((byte, n) => bytes[n] === byte);
  if (starts(0xef, 0xbb, 0xbf)) return { name: 'utf8', label: 'UTF-8', bom: true };
  if (starts(0xff, 0xfe, 0, 0)) return { name: 'utf-32le', label: 'UTF-32', bom: true };
  if (starts(0, 0, 0xfe, 0xff)) return { name: 'utf-32be', label: 'UTF-32', bom: true };
  if (starts(0xff, 0xfe)) return { name: 'utf-16le', label: 'UTF-16', bom: true };
  if (starts(0xfe, 0xff)) return { name: 'utf-16be', label: 'UTF-16', bom: true };
  return undefined;
}

/** UTF-16 without a mark: every second byte of the letters that code and western texts are made of is 0. */
function wideByNuls(bytes: Buffer): Encoding | undefined {
  const nuls = [0, 0];
  for (let at = 0; at < bytes.length; at++) if (bytes[at] === 0) nuls[at % 2] = (nuls[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = nuls;
  const half = bytes.length / 2;
  const name = odd > half * 0.4 && even === 0 ? 'utf-16le' : even > half * 0.4 && odd === 0 ? 'utf-16be' : '';
  if (name === '') return undefined;
  const text = iconv.decode(bytes.subarray(0, bytes.length & ~1), name);
  return /[\u0000-\u0008\u000e-\u001a\ufffd-\uffff]/.test(text)
    ? undefined
    : { name, label: 'UTF-16', bom: false };
}

export function isUtf8(bytes: Buffer, whole: boolean): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: !whole });
    return true;
  } catch {
    return false;
  }
}

function guessed(bytes: Buffer): Encoding | 'unknown' {
  // What commands and keys are in a terminal is in no text.
  if (/[\u0001-\u0006\u000e-\u001a]/.test(bytes.subarray(0, NULS).toString('latin1'))) return 'unknown';
  const guesses = analyse(bytes).filter(({ name }) => !/^(UTF|ASCII)/.test(name));
  const [best] = guesses;
  if (isWestern(bytes, best && LATIN.has(best.name) ? best.confidence : 0))
    return { name: 'windows-1252', label: 'Windows-1252 (Latin-1)', bom: false };
  if (!best) return 'unknown';
  const next = guesses.find(({ name }) => name !== best.name)?.confidence ?? 0;
  const sure = WIDE.has(best.name)
    ? best.confidence >= SURE_WIDE && best.confidence - next >= AHEAD_WIDE
    : best.confidence >= SURE_NARROW && best.confidence >= next * AHEAD_NARROW && !LATIN.has(best.name);
  if (!sure || !iconv.encodingExists(best.name)) return 'unknown';
  const text = iconv.decode(bytes, best.name);
  // The last character may be cut; nothing else may be missing.
  return text.slice(0, -2).includes('\ufffd') ? 'unknown' : { name: best.name, label: best.name, bom: false };
}

/** Single letters beyond ASCII inside of words, as in western languages; the detector needs longer texts for that. */
function isWestern(bytes: Buffer, confidence: number): boolean {
  const high: number[] = [];
  for (let at = 0; at < bytes.length; at++) if ((bytes[at] ?? 0) >= 0x80) high.push(at);
  const text = iconv.decode(Buffer.from(high.map((at) => bytes[at] ?? 0)), 'windows-1252');
  if (!WESTERN.test(text)) return false;
  const alone = high.filter((at) => (bytes[at - 1] ?? 0) < 0x80 && (bytes[at + 1] ?? 0) < 0x80);
  return alone.length >= high.length * 0.7 || (confidence >= 30 && alone.length >= high.length * 0.3);
}

/** Text of bytes that are all there. */
export const decode = (bytes: Buffer, { name }: Encoding): string => iconv.decode(bytes, name);

/** Turns bytes that come in pieces into text. */
export function decoder({ name }: Encoding): { write(bytes: Buffer): string; end(): string } {
  const stream = iconv.getDecoder(name);
  return { write: (bytes) => stream.write(bytes), end: () => stream.end() ?? '' };
}

/**
 * A text in an encoding; undefined where that has no bytes for some of its characters.
 *
 * @param start whether it begins a file, which may have a byte order mark
 */
export function encode(text: string, { name, bom }: Encoding, start: boolean): Buffer | undefined {
  const bytes = iconv.encode(text, name, { addBOM: false });
  if (iconv.decode(bytes, name, { stripBOM: false }) !== text) return undefined;
  return bom && start ? Buffer.concat([iconv.encode('\ufeff', name), bytes]) : bytes;
}
