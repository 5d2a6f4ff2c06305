import type { FailureInfo } from '../run/failure';

/** The only things that travel over a port: plain JSON. `call` numbers are the caller's own. */
export type Frame =
  | { kind: 'call'; call: number; name: string; input: unknown }
  | { kind: 'reply'; call: number; ok: true; output: unknown }
  | { kind: 'reply'; call: number; ok: false; failure: FailureInfo }
  /** Events are numbered from 1 on each connection, so that a client sees a gap. */
  | { kind: 'event'; n: number; name: string; payload: unknown };

/**
 * One end of a connection. Frames arrive whole, once and in order, or the port closes.
 * `send` never throws: on a closed port it does nothing.
 */
export interface Port {
  send(frame: Frame): void;
  onFrame(listener: (frame: Frame) => void): void;
  onClose(listener: () => void): void;
  close(): void;
}

/** Largest frame a door accepts, in bytes of its JSON text. */
export const FRAME_LIMIT = 8 * 1024 * 1024;
