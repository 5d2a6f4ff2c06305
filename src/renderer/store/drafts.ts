import { create } from 'zustand';
import { call } from '../client';

/** Milliseconds of quiet after which what was typed is kept by the main process. */
const QUIET = 250;

export const NEW_DRAFT = 'new';

interface Drafts {
  texts: Record<string, string | undefined>;
}
export const useDrafts = create<Drafts>(() => ({ texts: {} }));

/** Drafts of private chats: they live in this page only. */
const unkept = new Set<string>();

/** Keys of drafts that could not be kept, since there was nobody to keep them. */
const unsaved = new Set<string>();

/** There is again somebody to keep what was typed. */
export function keepUnsaved(): void {
  for (const key of unsaved) keep(key);
}

const timers = new Map<string, number>();
const loading = new Map<string, Promise<void>>();

/** Brings what was typed and not sent, once for each key. What is typed meanwhile wins. */
export function loadDraft(key: string): Promise<void> {
  const known = loading.get(key);
  if (known) return known;
  const load = call('draft.get', { key }).then(
    ({ text }) => {
      if (useDrafts.getState().texts[key] === undefined) put(key, text);
    },
    () => void loading.delete(key),
  );
  loading.set(key, load);
  return load;
}

const put = (key: string, text: string) =>
  useDrafts.setState((state) => ({ texts: { ...state.texts, [key]: text } }));

/** Whether a draft may be kept beyond this page. What was kept of one that may not is forgotten at once. */
export function keepDraft(key: string, kept: boolean): void {
  if (kept === !unkept.has(key)) return;
  if (kept) {
    unkept.delete(key);
    keep(key);
    return;
  }
  unkept.add(key);
  window.clearTimeout(timers.get(key));
  timers.delete(key);
  call('draft.set', { key, text: '' }).catch(() => undefined);
}

function keep(key: string): void {
  window.clearTimeout(timers.get(key));
  timers.delete(key);
  if (unkept.has(key)) return;
  call('draft.set', { key, text: useDrafts.getState().texts[key] ?? '' }).then(
    () => void unsaved.delete(key),
    () => void unsaved.add(key),
  );
}

export function setDraft(key: string, text: string): void {
  put(key, text);
  if (unkept.has(key)) return;
  window.clearTimeout(timers.get(key));
  timers.set(
    key,
    window.setTimeout(() => keep(key), QUIET),
  );
}

/**
 * Sends what was typed: the field is empty at once, the kept copy goes only when `send` resolved (so a crash in between
 * loses nothing), and comes back when it failed.
 */
export async function sendDraft(key: string, send: (text: string) => Promise<void>): Promise<void> {
  const text = useDrafts.getState().texts[key] ?? '';
  window.clearTimeout(timers.get(key));
  timers.delete(key);
  put(key, '');
  try {
    await send(text);
  } catch (error) {
    const typed = useDrafts.getState().texts[key];
    setDraft(key, typed ? `${text}\n\n${typed}` : text);
    throw error;
  }
  if (!timers.has(key)) keep(key);
}

/** Puts a text in front of what is typed; resolves once that is kept, where it may be. */
export async function giveBack(key: string, text: string): Promise<void> {
  await loadDraft(key);
  const typed = useDrafts.getState().texts[key];
  const both = typed ? `${text}\n\n${typed}` : text;
  setDraft(key, both);
  if (!unkept.has(key)) await call('draft.set', { key, text: both });
}

/** Keeps at once what still waits for quiet: the window goes away. */
export function flushDrafts(): void {
  for (const key of [...timers.keys()]) keep(key);
}
