/**
 * Bytes and text. An invalid byte becomes one U+FFFD each, as in Go; the web's decoder may fold several into one.
 */

/** The part of the platform that Node and browsers share and that this folder's compiler settings leave out. */
interface Decoder {
  decode(bytes: Uint8Array): string;
}
declare const TextDecoder: new (label: string, options: { fatal: boolean; ignoreBOM: boolean }) => Decoder;
declare const TextEncoder: new () => { encode(text: string): Uint8Array };

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

/** Lone surrogates become U+FFFD. */
export const encodeUtf8 = (text: string): Uint8Array => encoder.encode(text);

/** A byte order mark stays in the text, so that it is noticed. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch {
    return decodeDamaged(bytes);
  }
}

function decodeDamaged(bytes: Uint8Array): string {
  let text = '';
  let from = 0;
  let at = 0;
  while (at < bytes.length) {
    const length = sequenceLength(bytes, at);
    if (length > 0) {
      at += length;
      continue;
    }
    text += strict.decode(bytes.subarray(from, at)) + '\ufffd';
    from = ++at;
  }
  return text + strict.decode(bytes.subarray(from));
}

/** Length of the well-formed sequence at `at`, 0 for an invalid byte. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  const second = bytes[at + 1] ?? 0;
  const least = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const most = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (second < least || second > most) return 0;
  for (let i = 2; i < length; i++) {
    const next = bytes[at + i] ?? 0;
    if (next < 0x80 || next > 0xbf) return 0;
  }
  return length;
}
