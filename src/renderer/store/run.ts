import { create } from 'zustand';
import { follow, type RunView } from '../../shared/contract/follow';
import type { TranscriptItem } from '../../shared/contract/items';
import type { RunChange, RunHead } from '../../shared/contract/views';
import type { FailureInfo } from '../../shared/run/failure';
import { call, client, failureOf } from '../client';
import { announce } from './announce';
import { openRun, toast } from './app';
import { mergeItems, mergePage } from './items';

/** Items that one request asks for. */
export const ITEM_PAGE = 60;

export interface StreamState {
  iteration: number;
  text: string;
  thinking: string;
}

interface RunState {
  id: string | undefined;
  head: RunHead | undefined;
  /** Sparse: items that have not been asked for are absent. Length is the number of all items. */
  items: readonly (TranscriptItem | undefined)[];
  /** The journal seq that `items` is as new as. */
  lastSeq: number;
  /** Only the end of the run has been read: `items` begin somewhere in the middle of it. */
  tail: boolean;
  /** Not the end but what stands around this record is shown. `whole`: the place of that can be known. */
  around: { seq: number; whole: boolean } | undefined;
  /** Grows when altogether other items are shown. */
  shown: number;
  /** Number that the list gives to the first item: it falls by what comes in front, so that nothing on the screen moves. */
  front: number;
  stream: StreamState | undefined;
  /** Answers that streamed by and are longer than their items carry, by key: they need not be fetched. */
  wholes: Readonly<Record<string, string>>;
  /** Why the answer under way started again. */
  retry: string | undefined;
  failure: FailureInfo | undefined;
  /** Grows each time all items must be asked for again. */
  epoch: number;
}

/** Larger than any run is long. */
const FRONT = 100_000_000;

const empty = {
  head: undefined,
  tail: false,
  around: undefined,
  front: FRONT,
  items: [],
  lastSeq: 0,
  stream: undefined,
  wholes: {},
  retry: undefined,
  failure: undefined,
} satisfies Partial<RunState>;

/** The one run that the window shows. */
export const useRun = create<RunState>(() => ({ id: undefined, ...empty, shown: 0, epoch: 0 }));

const set = useRun.setState;
const get = useRun.getState;

let stop: (() => void) | undefined;
let asked = new Set<number>();
/** For each page that is on its way, the keys of the items that have changed since it was asked for. */
const underWay = new Set<Set<string>>();

/** Follows a run; the one before is let go. */
export function watchRun(id: string): void {
  if (get().id === id && stop) return;
  leaveRun();
  set({ id, ...empty, epoch: get().epoch + 1 });
  stop = follow(client(), id, {
    snapshot: (view) => takeSnapshot(id, view),
    change: (change) => takeChange(id, change),
    failed: (failure) => {
      set({ failure: failure.toJSON() });
      if (isReaderGone(failure)) again(id);
    },
  });
}

/** The part that reads runs died; it is started again for whoever asks next, so that is done here. */
const isReaderGone = (failure: FailureInfo) => failure.data?.['reader'] === 'stopped';
const TRIES = 3;
let tries = 0;

/** Asks for the run anew, a few times with a while between; then the failure stays and has its button. */
function again(id: string): void {
  if (tries >= TRIES) return;
  tries += 1;
  window.setTimeout(() => {
    if (get().id !== id) return;
    leaveRun();
    watchRun(id);
  }, 400 * tries);
}

export function leaveRun(): void {
  stop?.();
  stop = undefined;
  asked = new Set();
  set({ id: undefined, ...empty });
}

/** A run whose store was away when it was to be shown is asked for again. */
export function retryRun(): void {
  const { id, failure, head } = get();
  if (id === undefined || head || failure?.code !== 'store_unavailable') return;
  leaveRun();
  watchRun(id);
}

function takeSnapshot(id: string, view: RunView): void {
  asked = new Set();
  const { head } = view;
  const before = get();
  // What is held stays on the screen until its page comes anew: a new connection must not blank the window.
  const items = before.items.slice(0, head.items);
  const tail = head.reading !== undefined;
  // Held items that are counted from another place are worth nothing.
  if (tail || before.tail) items.length = 0;
  items.length = head.items;
  set({
    head,
    items,
    tail,
    around: undefined,
    // What stood around a record is another place than the end.
    shown: before.shown + (before.around ? 1 : 0),
    front: FRONT,
    lastSeq: head.lastSeq,
    stream: view.stream,
    retry: undefined,
    failure: undefined,
    epoch: before.epoch + 1,
  });
  loadItems(head.items - ITEM_PAGE, head.items - 1);
  if (id !== before.id) return;
}

function takeChange(id: string, change: RunChange): void {
  const state = get();
  switch (change.type) {
    case 'items': {
      // They come with the page in which what is shown is given its place.
      if (state.around) {
        set({ lastSeq: change.seq });
        break;
      }
      for (const changed of underWay) for (const { key } of change.items) changed.add(key);
      const merged = mergeItems(state.items, change.items, change.total);
      set({
        items: merged.items,
        lastSeq: change.seq,
        wholes: withStreamed(state.wholes, state.stream, change.items),
      });
      if (merged.lost) {
        asked = new Set();
        set({ epoch: state.epoch + 1 });
        loadItems(change.total - ITEM_PAGE, change.total - 1);
      }
      break;
    }
    case 'stream': {
      const old = state.stream?.iteration === change.iteration ? state.stream : undefined;
      const stream = old ?? { iteration: change.iteration, text: '', thinking: '' };
      const text = stream[change.part].slice(0, change.from) + change.text;
      set({ stream: { ...stream, [change.part]: text }, ...(state.retry && { retry: undefined }) });
      break;
    }
    case 'stream_end':
      set({ stream: undefined, retry: change.reason });
      break;
    case 'head':
      tell(state.head, change.head);
      set({ head: change.head });
      break;
    case 'whole':
      if (state.around) set({ around: { ...state.around, whole: true } });
      else
        recount({
          items: inFront(change.before, state.items, change.total),
          front: state.front - change.before,
          tail: false,
        });
      break;
    case 'notice':
      toast({ tone: 'warn', text: change.text });
      break;
    case 'rotated':
      openRun(change.to);
      break;
  }
  void id;
}

/** Items are counted in another way from now on, so that pages that are under way are worth nothing. */
export function recount(change: Partial<RunState>): void {
  asked = new Set();
  set({ ...change, epoch: get().epoch + 1 });
}

/** The same items behind `before` others that are not here yet. */
function inFront(before: number, items: RunState['items'], total: number): RunState['items'] {
  const all: (TranscriptItem | undefined)[] = Array<undefined>(before).concat(items as undefined[]);
  all.length = total;
  return all;
}

/** Keeps what streamed for items that carry only a part of it. */
function withStreamed(
  wholes: RunState['wholes'],
  stream: StreamState | undefined,
  items: readonly TranscriptItem[],
): RunState['wholes'] {
  if (!stream) return wholes;
  const found = items.flatMap((item) =>
    item.kind === 'text' &&
    item.iteration === stream.iteration &&
    item.more !== undefined &&
    stream.text.length === item.text.length + item.more &&
    stream.text.startsWith(item.text)
      ? [[item.key, stream.text] as const]
      : [],
  );
  return found.length === 0 ? wholes : { ...wholes, ...Object.fromEntries(found) };
}

/** Loads the pages that hold these items, where they are not here yet. */
export function loadItems(from: number, to: number): void {
  const { id, items, epoch, around } = get();
  if (id === undefined || items.length === 0 || around) return;
  const first = Math.floor(Math.max(0, from) / ITEM_PAGE);
  const last = Math.floor(Math.min(items.length - 1, Math.max(0, to)) / ITEM_PAGE);
  for (let page = first; page <= last; page++) {
    if (asked.has(page)) continue;
    asked.add(page);
    const changed = new Set<string>();
    underWay.add(changed);
    call('run.items', { id, from: page * ITEM_PAGE, limit: ITEM_PAGE }).then(
      (reply) => {
        underWay.delete(changed);
        const now = get();
        if (now.id !== id || now.epoch !== epoch) return;
        if ((reply.tail ?? false) !== now.tail) {
          // It was counted from another beginning than is known here; the news of that is on its way.
          asked.delete(page);
          return;
        }
        tries = 0;
        set({ items: mergePage(now.items, reply, now.lastSeq, changed) });
        // A page that was not full then may have grown since.
        if (reply.items.length < ITEM_PAGE) asked.delete(page);
      },
      (error: unknown) => {
        underWay.delete(changed);
        asked.delete(page);
        if (get().id !== id) return;
        const failure = failureOf(error);
        set({ failure });
        if (isReaderGone(failure)) again(id);
      },
    );
  }
}

/** A pause was accepted: shown at once, since its boundary may be far. */
export function pausing(id: string): void {
  const { head } = get();
  if (head?.row.id === id && head.mode === 'live') set({ head: { ...head, pausing: true } });
}

/** Says what a person who does not look at the screen needs to hear; never single tokens. */
function tell(before: RunHead | undefined, now: RunHead): void {
  if (now.approval && now.approval.hash !== before?.approval?.hash) {
    announce(`Waiting for you: ${now.approval.tool} asks to run. ${now.approval.line}`);
    return;
  }
  const was = before?.row.status;
  if (was === undefined || was === now.row.status) return;
  if (now.row.status === 'your_turn') announce('Answer finished.');
  else if (now.row.status === 'finished') announce('Run finished.');
  else if (now.failure) announce(`The run stopped. ${now.failure.message}`);
  else if (now.row.status === 'paused') announce('The run is paused.');
}
