import type { FailureInfo } from '../run/failure';

/** The only things that travel over a port: plain JSON. `call` numbers are the caller's own, from 1. */
export type Frame =
  | { kind: 'call'; call: number; name: string; input: unknown }
  | { kind: 'reply'; call: number; ok: true; output: unknown }
  /** `call` 0: what was received could not be told apart as a call. */
  | { kind: 'reply'; call: number; ok: false; failure: FailureInfo }
  /** Events are numbered from 1 on each connection, so that a client sees a gap. */
  | { kind: 'event'; n: number; name: string; payload: unknown };

/**
 * One end of a connection. Frames arrive whole, once and in order, or the port closes.
 * What arrives is shaped like JSON and no larger than FRAME_LIMIT; that it is a Frame is only claimed, so the
 * receiver checks. Something that is no JSON at all arrives as `undefined`.
 */
export interface Port {
  /** Never throws. false: nothing was sent, because the port is closed or the frame is larger than FRAME_LIMIT. */
  send(frame: Frame): boolean;
  onFrame(listener: (frame: unknown) => void): void;
  /** Called once; at once when the port is closed already. */
  onClose(listener: () => void): void;
  /** Idempotent. */
  close(): void;
}

/** Largest frame a door accepts, in bytes of its JSON text. */
export const FRAME_LIMIT = 8 * 1024 * 1024;

/** Bytes of a text in UTF-8; a lone surrogate counts as the three bytes of its replacement. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    bytes += unit < 0x800 ? 1 : 2;
    // A pair is two units and four bytes.
    if (unit >= 0xd800 && unit < 0xdc00 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
      bytes -= 1;
      i += 1;
    }
  }
  return bytes;
}

export const fitsFrame = (text: string) =>
  text.length * 3 <= FRAME_LIMIT || (text.length <= FRAME_LIMIT && utf8Length(text) <= FRAME_LIMIT);

/** The frame's text, or undefined when it cannot travel (too large, or not JSON). */
export function encodeFrame(frame: Frame): string | undefined {
  try {
    const text = JSON.stringify(frame);
    return fitsFrame(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

/** What a text holds; undefined when it is no text, too large or no JSON. */
export function decodeFrame(text: unknown): unknown {
  if (typeof text !== 'string' || !fitsFrame(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
