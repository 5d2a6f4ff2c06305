import { create } from 'zustand';
import type { CommandOutput } from '../../shared/contract/contract';
import type { TurnRow } from '../../shared/contract/reading';
import type { FailureInfo } from '../../shared/run/failure';
import { call, failureOf } from '../client';

type Page = CommandOutput<'run.turns'>;
export type Prices = CommandOutput<'prices.get'>;

interface Turns {
  id: string | undefined;
  rows: readonly TurnRow[];
  models: Page['models'];
  /** The record that the rows are as new as; 0: not asked for yet. */
  lastSeq: number;
  failure: FailureInfo | undefined;
  prices: Prices | undefined;
  /** The prices are being edited. */
  pricing: boolean;
}

/** The table of turns of the run that is shown; asked for only where it is looked at. */
export const useTurns = create<Turns>(() => ({
  ...none,
  id: undefined,
  prices: undefined,
  pricing: false,
}));
const none = { rows: [], models: [], lastSeq: 0, failure: undefined } satisfies Partial<Turns>;
const set = useTurns.setState;
const get = useTurns.getState;

/** Rows that one request brings. */
const PAGE = 1_000;
let asking = false;

/** Brings the rows up to record `lastSeq`; what is known already is asked for again only at its end. */
export async function loadTurns(id: string, lastSeq: number): Promise<void> {
  if (get().id !== id) set({ id, ...none });
  if (asking || get().lastSeq >= lastSeq) return;
  asking = true;
  try {
    // The last page may have grown, and its turns may have had results since.
    let from = Math.max(0, Math.floor((get().rows.length - 1) / PAGE) * PAGE);
    for (let rows = get().rows.slice(0, from); ;) {
      const page = await call('run.turns', { id, from, limit: PAGE });
      if (get().id !== id) return;
      rows = [...rows, ...page.rows];
      from += page.rows.length;
      const done = rows.length >= page.total || page.rows.length === 0;
      set({ rows, models: page.models, failure: undefined, ...(done && { lastSeq: page.lastSeq }) });
      if (done) return;
    }
  } catch (error) {
    if (get().id === id) set({ failure: failureOf(error) });
  } finally {
    asking = false;
  }
}

export const editPrices = (pricing: boolean) => set({ pricing });

export async function loadPrices(): Promise<void> {
  try {
    set({ prices: await call('prices.get', {}) });
  } catch {
    // Without prices nothing is priced.
  }
}

export async function savePrices(table: { currency: string; prices: Prices['prices'] }): Promise<void> {
  await call('prices.save', table);
  await loadPrices();
}

/** The model that a turn in record `seq` was asked of. */
export function modelAt(models: Page['models'], seq: number): string {
  let model = '';
  for (const one of models) if (one.after < seq) model = one.model;
  return model;
}
