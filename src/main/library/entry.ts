import { folded } from '../../shared/text/fold';
import { spentOf, tokensOf } from '../../shared/run/tokens';
import type { RunRow, RunStatus } from '../../shared/contract/views';

/** A row with what it is sorted and found by, made once for as long as the row is the newest. */
export interface Entry {
  row: RunRow;
  /** Name of its store; empty for the usual one. */
  store: string;
  updated: number;
  created: number | undefined;
  tokens: number | undefined;
  /** What the words of a filter are looked for in, folded as they are. */
  text: string;
}

export function entryOf(row: RunRow, store: string, prompt: string): Entry {
  const created = Date.parse(row.created ?? '');
  return {
    row,
    store,
    updated: Date.parse(row.updated),
    created: Number.isNaN(created) ? undefined : created,
    tokens: row.counters && tokensOf(spentOf(row.counters)).all,
    text: folded([row.title, prompt, row.model ?? '', row.id, ...row.tags].join('\n')),
  };
}

/** States in the order in which a person wants to see them: what runs, what needs somebody, what is over. */
export const STATE_ORDER: Record<RunStatus, number> = {
  running: 0,
  waiting: 1,
  interrupted: 2,
  failed: 3,
  budget: 4,
  steps: 5,
  damaged: 6,
  paused: 7,
  your_turn: 8,
  finished: 9,
  new: 10,
};
