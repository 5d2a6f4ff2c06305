import type { Port } from '../../../shared/contract/frame';
import { textPort } from '../../../shared/contract/text-port';
import { originOf } from './origin';

export const OPEN_CHANNEL = 'holdfast:open';
export const FRAME_CHANNEL = 'holdfast:frame';

/** The parts of Electron's objects that the door looks at. */
export interface SenderFrame {
  readonly url: string;
  readonly origin: string;
  readonly parent: unknown;
  readonly detached?: boolean;
}
export interface Contents {
  readonly id: number;
  isDestroyed(): boolean;
  send(channel: string, page: string, text: string): void;
  on(event: 'destroyed' | 'render-process-gone', listener: () => void): unknown;
}
export interface IpcEvent {
  readonly sender: Contents;
  /** null or detached after the frame navigated or went away. */
  readonly senderFrame: SenderFrame | null;
}
export interface Ipc {
  on(channel: string, listener: (event: never, ...args: unknown[]) => void): unknown;
}

export interface IpcDoorOptions {
  ipc: Ipc;
  /** Origin of the window's page, as Electron writes it. */
  origin: string;
  /** Whether these contents are a window that we made. */
  isOurs(contents: Contents): boolean;
  /** A page began. */
  onConnect(port: Port): void;
  /** A message that was not let in; nothing else happens for it. */
  onRefused?: (why: string) => void;
}

/**
 * The window over Electron's IPC. Each message is judged by the frame that sent it, synchronously, before anything else
 * is read: only the main frame of one of our windows, showing our page, is heard.
 */
export function openIpcDoor(options: IpcDoorOptions): void {
  const pages = new Map<number, { name: string; text(text: unknown): void; gone(): void }>();

  /** Contents whose end is listened for; once for each, however often its page is loaded again. */
  const watched = new WeakSet<Contents>();

  /** Reads `senderFrame` while the event is being delivered: later it may be null or another frame. */
  const refusal = (event: IpcEvent): string | undefined => {
    const frame = event.senderFrame;
    if (frame === null || frame === undefined) return 'no frame';
    if (frame.detached === true) return 'detached frame';
    if (frame.parent !== null) return 'not the main frame';
    if (originOf(frame.url) !== options.origin) return 'foreign page';
    if (!options.isOurs(event.sender)) return 'foreign window';
    return undefined;
  };

  options.ipc.on(OPEN_CHANNEL, (event: IpcEvent, name: unknown, ...more: unknown[]) => {
    const why = refusal(event) ?? (more.length > 0 ? 'too much' : undefined);
    if (why !== undefined) return options.onRefused?.(why);
    if (typeof name !== 'string' || name.length > 100) return options.onRefused?.('no page');
    const contents = event.sender;
    // A page that begins anew (reload) ends what the page before had open.
    pages.get(contents.id)?.gone();
    let listener: (text: unknown) => void = () => undefined;
    let closer: () => void = () => undefined;
    const page = {
      name,
      text: (text: unknown) => listener(text),
      gone: () => {
        if (pages.get(contents.id) === page) pages.delete(contents.id);
        closer();
      },
    };
    pages.set(contents.id, page);
    if (!watched.has(contents)) {
      watched.add(contents);
      for (const end of ['destroyed', 'render-process-gone'] as const) {
        contents.on(end, () => pages.get(contents.id)?.gone());
      }
    }
    const port = textPort({
      send: (text) => {
        if (!contents.isDestroyed()) contents.send(FRAME_CHANNEL, name, text);
      },
      onText: (next) => (listener = next),
      onClose: (next) => (closer = next),
      close: page.gone,
    });
    options.onConnect(port);
  });

  options.ipc.on(FRAME_CHANNEL, (event: IpcEvent, name: unknown, text: unknown, ...more: unknown[]) => {
    const why = refusal(event) ?? (more.length > 0 ? 'too much' : undefined);
    if (why !== undefined) return options.onRefused?.(why);
    const page = pages.get(event.sender.id);
    // What a page sent before it was loaded again is nothing that the new one asked for.
    if (page === undefined || page.name !== name) return options.onRefused?.('no page');
    page.text(text);
  });
}
