import { decodeFrame, encodeFrame, type Port } from './frame';

/** Anything that carries texts: what a door has to offer to become a port. */
export interface TextLine {
  /** May throw; then the port closes. */
  send(text: string): void;
  onText(listener: (text: unknown) => void): void;
  onClose(listener: () => void): void;
  close(): void;
}

/** The one way from texts to frames, so that every door treats size, JSON and closing alike. */
export function textPort(line: TextLine): Port {
  let open = true;
  const listeners: ((frame: unknown) => void)[] = [];
  const closers: (() => void)[] = [];
  /** Frames that came before anybody listened. */
  let early: unknown[] | undefined = [];

  const closed = () => {
    if (!open) return;
    open = false;
    early = undefined;
    for (const closer of closers.splice(0)) closer();
  };
  line.onClose(closed);
  line.onText((text) => {
    if (!open) return;
    const frame = decodeFrame(text);
    if (listeners.length === 0) early?.push(frame);
    else for (const listener of listeners) listener(frame);
  });

  const close = () => {
    if (!open) return;
    closed();
    line.close();
  };
  return {
    send(frame) {
      if (!open) return false;
      const text = encodeFrame(frame);
      if (text === undefined) return false;
      try {
        line.send(text);
        return true;
      } catch {
        close();
        return false;
      }
    },
    onFrame(listener) {
      listeners.push(listener);
      const waiting = early ?? [];
      early = undefined;
      for (const frame of waiting) listener(frame);
    },
    onClose(listener) {
      if (open) closers.push(listener);
      else listener();
    },
    close,
  };
}

/** The part of a WebSocket that a port needs; a browser's and that of `ws` both have it. */
export interface SocketLike {
  readonly readyState: number;
  send(text: string): void;
  close(code?: number): void;
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void;
  addEventListener(type: 'close', listener: () => void): void;
}

/** A port over an open WebSocket. */
export const socketPort = (socket: SocketLike): Port =>
  textPort({
    send: (text) => socket.send(text),
    onText: (listener) => socket.addEventListener('message', (event) => listener(event.data)),
    onClose: (listener) =>
      socket.readyState > 1 ? listener() : socket.addEventListener('close', () => listener()),
    close: () => socket.close(),
  });

/** What the preload shows to the window, and nothing else. */
export interface Bridge {
  send(text: string): void;
  /** The one listener; a later call replaces it. */
  onFrame(listener: (text: string) => void): void;
}

/** A port over the preload's channel. It lives as long as its page. */
export const bridgePort = (bridge: Bridge): Port =>
  textPort({
    send: (text) => bridge.send(text),
    onText: (listener) => bridge.onFrame(listener),
    onClose: () => undefined,
    close: () => undefined,
  });
