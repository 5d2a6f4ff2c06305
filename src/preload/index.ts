import { contextBridge, ipcRenderer } from 'electron';
import type { Bridge } from '../shared/contract/text-port';

// Spelled out here because a preload imports nothing but electron; ipc-door.ts holds the other end.
const OPEN = 'holdfast:open';
const FRAME = 'holdfast:frame';

/** Of this page alone: what was on its way for the page before it is not for this one. */
const page = `${Date.now()}-${Math.random()}`;

let listener: ((text: string) => void) | undefined;
let early: string[] = [];

ipcRenderer.on(FRAME, (_event, to: unknown, text: unknown) => {
  if (to !== page || typeof text !== 'string') return;
  if (listener) listener(text);
  else early.push(text);
});

/** Text in, text out: neither ipcRenderer nor an event ever reaches the page. */
const bridge: Bridge = {
  send(text) {
    if (typeof text === 'string') ipcRenderer.send(FRAME, page, text);
  },
  onFrame(next) {
    if (typeof next !== 'function') return;
    listener = (text) => next(text);
    for (const text of early.splice(0)) listener(text);
    early = [];
  },
};

contextBridge.exposeInMainWorld('holdfast', Object.freeze(bridge));
ipcRenderer.send(OPEN, page);
