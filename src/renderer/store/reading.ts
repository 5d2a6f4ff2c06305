import { create } from 'zustand';
import type { CommandOutput } from '../../shared/contract/contract';
import { call } from '../client';
import { openRun, useApp } from './app';
import { useGoal } from './goal';

type Hit = CommandOutput<'run.find'>['hits'][number];

/** The bytes of a record, or what the run amounted to after it. */
export type RecordSide = 'record' | 'stand';
/** What is shown beside the transcript. */
export type Panel = 'turns' | 'usage';

/** Stays from run to run: who reads with the table of turns wants it for the next one too. */
export const usePanel = create<{ panel: Panel | undefined }>(() => ({ panel: undefined }));
export const togglePanel = (panel: Panel) =>
  usePanel.setState((state) => ({ panel: state.panel === panel ? undefined : panel }));
export const closePanel = () => usePanel.setState({ panel: undefined });

interface Reading {
  /** The find bar is shown; `focus` grows each time it should take the focus. */
  finding: boolean;
  focus: number;
  words: string;
  hits: Hit[];
  total: number;
  /** Number of the current occurrence among all, from 0; -1: none. */
  now: number;
  searching: boolean;
  /** Key of the item that must be unfolded, because a hit lies in it. */
  reveal: string | undefined;
  /** Grows with each message that the reader sends: then the end is wanted. */
  sent: number;
  /** Record that the inspector shows, and which side of it. */
  record: number | undefined;
  side: RecordSide;
  /** All of a kind folded or unfolded by choice; absent: each as it comes. */
  thinking: boolean | undefined;
  output: boolean | undefined;
}

const still = {
  finding: false,
  focus: 0,
  words: '',
  hits: [],
  total: 0,
  now: -1,
  searching: false,
  reveal: undefined,
  sent: 0,
  record: undefined,
  side: 'record',
  thinking: undefined,
  output: undefined,
} satisfies Reading;

/** What a reader does with the run that is shown. */
export const useReading = create<Reading>(() => still);
const set = useReading.setState;
const get = useReading.getState;

export const resetReading = () => set(still);
export const inspect = (record: number | undefined, side: RecordSide = get().side) =>
  set(record === undefined ? { record, side: 'record' } : { record, side });
export const sentOne = () => set({ sent: get().sent + 1 });
export const fold = (change: Partial<Pick<Reading, 'thinking' | 'output'>>) => set(change);

/** Opens a run's transcript at the item that stands in record `seq`. */
export function openRecord(id: string, seq: number): void {
  useGoal.setState({ wanted: { id, seq } });
  openRun(id, 'transcript');
}

/** Opens the find bar on the run that is shown; nothing to find elsewhere. */
export function startFind(): void {
  const { place } = useApp.getState();
  if (place.view !== 'run') return;
  if (place.pane === 'resume') openRun(place.id, 'transcript');
  set({ finding: true, focus: get().focus + 1 });
}
let asked = 0;
let soon: number | undefined;

export function endFind(): void {
  // What is still looked for is not wanted any more.
  asked += 1;
  window.clearTimeout(soon);
  set({ finding: false, words: '', hits: [], total: 0, now: -1, searching: false, reveal: undefined });
}

/** Searches a moment after the last letter. */
export function find(id: string, words: string): void {
  set({ words });
  window.clearTimeout(soon);
  const mine = ++asked;
  if (words.trim() === '') {
    set({ hits: [], total: 0, now: -1, searching: false, reveal: undefined });
    return;
  }
  set({ searching: true });
  soon = window.setTimeout(() => {
    call('run.find', { id, words: words.slice(0, 500) }).then(
      ({ hits, total }) => {
        if (mine !== asked) return;
        set({ hits, total, now: total > 0 ? 0 : -1, searching: false, reveal: hits[0]?.key });
      },
      () => {
        if (mine === asked) set({ hits: [], total: 0, now: -1, searching: false });
      },
    );
  }, 150);
}

/** Where the occurrence with this number lies: its item, and its place within that item. */
export function hitAt(hits: readonly Hit[], now: number): { hit: Hit; nth: number } | undefined {
  let before = 0;
  for (const hit of hits) {
    if (now < before + hit.count) return { hit, nth: now - before };
    before += hit.count;
  }
  return undefined;
}

export function nextHit(step: 1 | -1): void {
  const { total, now, hits } = get();
  if (total === 0) return;
  const next = (now + step + total) % total;
  set({ now: next, reveal: hitAt(hits, next)?.hit.key });
}
