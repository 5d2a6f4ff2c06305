import type { RunRow, RunStatus } from '../../shared/contract/views';
import type { SessionSnapshot } from '../agent/session';
import type { RunSummary } from '../journal/journal';
import { Failure } from '../../shared/run/failure';
import { spentOf, tokensOf } from '../../shared/run/tokens';
import { canBeDone, runStatus } from '../../shared/run/status';
import { amount, firstWords, promptTitle, some } from './words';

/** What the process that writes a run knows of it beyond its row in the store. */
export interface LiveRun {
  snapshot: SessionSnapshot;
  /** When it last did something, and when it began; RFC 3339. */
  updated: string;
  created: string;
}

/** A run as the library shows it: the store's row, the writing session over it. One of both is there. */
export function runRow(row: RunSummary | undefined, live: LiveRun | undefined, store: string): RunRow {
  try {
    return rowOf(row, live, store);
  } catch (error) {
    // Whatever a store holds, it costs its own row only.
    if (live || !row) throw error;
    const { id, updated, size, durability, writer } = row;
    const failure = new Failure({
      code: 'corrupt',
      message: 'What is stored about this run cannot be shown.',
      kept: 'Its bytes are as they were.',
    }).toJSON();
    const bare = { id, updated, size, durability, writer, warnings: 0, alerts: 0, catalogue: {} };
    return rowOf({ ...bare, health: 'damaged', failure }, undefined, store);
  }
}

function rowOf(row: RunSummary | undefined, live: LiveRun | undefined, store: string): RunRow {
  const snapshot = live?.snapshot;
  const status = runStatus(row ?? NOWHERE, snapshot);
  const prompt = snapshot?.state.prompt ?? row?.prompt;
  const title = row?.catalogue.title;
  const counters = snapshot?.counters ?? row?.counters;
  const fingerprint = snapshot?.state.fingerprint;
  const model = row?.catalogue.model ?? fingerprint?.model ?? row?.model;
  const provider = fingerprint?.provider ?? row?.provider;
  const created = timeOf(row?.created) ?? live?.created;
  const steps = snapshot?.state.next_iteration ?? row?.nextIteration;
  const updated = live?.updated ?? timeOf(row?.updated) ?? '';
  return {
    id: snapshot?.id ?? row?.id ?? '',
    title: title ?? (prompt === undefined ? nameless(row) : promptTitle(prompt)),
    renamed: title !== undefined,
    status,
    detail: detailOf(status, row, snapshot),
    ...(model !== undefined && { model }),
    ...(provider !== undefined && { provider }),
    store,
    ...(created !== undefined && { created }),
    updated,
    ...(counters && { counters: { ...counters } }),
    ...(steps !== undefined && { steps }),
    pinned: row?.catalogue.pinned ?? false,
    tags: row?.catalogue.tags ?? [],
    private: snapshot?.private ?? false,
    elsewhere: !snapshot && row?.writer === 'elsewhere',
    ...(row && !snapshot && canBeDone(status) && row.catalogue.done === doneAt(row) && { done: true }),
    ...(row?.alerts && { warnings: row.alerts }),
    ...(row?.failure && { failure: row.failure }),
  };
}

/** undefined for a time that no calendar has. */
const timeOf = (at: Date | undefined): string | undefined =>
  at === undefined || Number.isNaN(at.getTime()) ? undefined : at.toISOString();

/** Where a run is that is marked as done now. */
export const doneAt = (row: RunSummary): number => row.facts?.lastSeq ?? 0;

/** A private run has no row. */
const NOWHERE = { health: 'ok', terminal: { reason: 'completed' }, facts: { terminalIsLast: true } } as const;

const nameless = (row: RunSummary | undefined) =>
  row?.health === 'damaged' ? `Damaged run ${row.id.slice(0, 12)}` : 'Never started';

/** Half a sentence that says more than the state's word. */
function detailOf(status: RunStatus, row: RunSummary | undefined, live: SessionSnapshot | undefined): string {
  const used = live?.state.next_iteration ?? row?.nextIteration ?? 0;
  const cap = live?.steps.cap ?? row?.maxIterations ?? 0;
  // A chat's cap is one for each message, so it says nothing about the steps of the whole run.
  const limited = !(live?.state.interactive ?? row?.interactive ?? false) && cap > 0 && used <= cap;
  const step = `step ${Math.max(1, used)}${limited ? ` of ${cap}` : ''}`;
  const counters = live?.counters ?? row?.counters;
  const tokens = counters ? tokensOf(spentOf(counters)).all : 0;
  const spent = [some(used, 'step'), ...(tokens > 0 ? [`${amount(tokens)} tokens`] : [])].join(' · ');
  switch (status) {
    case 'running': {
      const doing = live?.runningTool?.tool ?? (live ? '' : row?.pendingTools?.[0]);
      return doing ? `${doing} · ${step}` : step;
    }
    case 'waiting':
      return live?.approval?.tool ?? '';
    case 'interrupted': {
      const at = row?.pendingTools?.[0];
      return `${at === undefined ? '' : `in ${at} · `}${step}`;
    }
    case 'damaged': {
      const { line, records } = row?.failure?.data ?? {};
      const where = typeof line === 'number' ? `at line ${line}` : '';
      const left = typeof records === 'number' ? some(records, 'record') + ' readable' : '';
      return [where, left].filter(Boolean).join(' · ') || (row?.failure?.message ?? '');
    }
    case 'failed': {
      const message = live?.outcome?.message ?? row?.terminal?.message ?? '';
      return firstWords(message === '' ? spent : message, 100);
    }
    case 'budget': {
      const most = live?.tokens ?? row?.maxTokens ?? 0;
      return `${amount(tokens)} of ${amount(most)} tokens`;
    }
    case 'steps':
      return limited ? `${used} of ${cap} steps` : spent;
    case 'new':
      return '';
    case 'paused':
      return step;
    default:
      return spent;
  }
}
