import type { RunHead, RunRow } from '../../shared/contract/views';
import { spentOf, tokensOf } from '../../shared/run/tokens';
import type { FailureInfo } from '../../shared/run/failure';
import type { Counters } from '../../shared/run/state';
import type { SessionSnapshot } from '../agent/session';
import type { Durability } from '../journal/journal';
import type { RunOverview } from './read/reader';

export interface HeadSources {
  row: RunRow;
  overview: RunOverview | undefined;
  live: SessionSnapshot | undefined;
  /** Why the last session could not record what came. */
  unsaved: FailureInfo | undefined;
  queued: RunHead['queued'];
  /** Where the run works, as the session was given it. */
  place: { profile?: string; folder?: string; endpoint?: string };
  lastSeq: number;
  items: number;
  bytes: number;
  durability: Durability;
  caution: string | undefined;
}

/** What is said of a private run. */
export const PRIVATE = 'Private: nothing of this chat is written down, and it is gone when it ends.';

const NONE: Counters = {
  llm_calls: 0,
  tool_calls: 0,
  remote_tool_calls: 0,
  in_tokens: 0,
  out_tokens: 0,
  cache_read_tokens: 0,
  cache_create_tokens: 0,
};

/** A run as the middle of the window shows it, from what the session, the reader and the library know. */
export function runHead(sources: HeadSources): RunHead {
  const { row, overview, live, place } = sources;
  const active = live !== undefined && live.phase !== 'ended';
  const fingerprint = live?.state.fingerprint ?? overview?.fingerprint;
  // Until all of it is read, the list knows best.
  const counters = live?.counters ?? overview?.counters ?? row.counters ?? NONE;
  const failure = failureOf(sources);
  const { profile, folder, endpoint } = { ...overview, ...place };
  return {
    row,
    mode: active ? 'live' : row.elsewhere ? 'watch' : 'still',
    chat: live?.state.interactive ?? overview?.chat ?? false,
    ...(live && { phase: live.phase }),
    pausing: live?.pausing ?? false,
    ...(active && live.approval && { approval: live.approval }),
    queued: sources.queued,
    ...(active && live.runningTool && { runningTool: live.runningTool }),
    ...(profile !== undefined && { profile }),
    ...(folder !== undefined && { folder }),
    ...(endpoint !== undefined && { endpoint }),
    steps: live?.steps ?? overview?.steps ?? { used: 0, cap: 0 },
    lastStep: live?.state.next_iteration ?? overview?.nextIteration ?? row.steps ?? 0,
    budget: { used: tokensOf(spentOf(counters)).all, cap: live?.tokens ?? overview?.tokens ?? 0 },
    counters: { ...counters },
    lastSeq: sources.lastSeq,
    // What was written since the run was read has no gaps.
    ...(overview?.records !== undefined && {
      records: overview.records + sources.lastSeq - overview.lastSeq,
    }),
    items: sources.items,
    ...(overview?.reading !== undefined && !active && { reading: overview.reading }),
    durability: row.private ? 'memory' : sources.durability,
    bytes: sources.bytes,
    // What is a fact of any healthy run stands in the conversation, and is nothing to warn of.
    warnings: (overview?.warnings ?? [])
      .filter(({ ordinary }) => !ordinary)
      .map(({ code, detail, seq }) => ({ code, detail, ...(seq !== undefined && { seq }) })),
    ...(failure && { failure }),
    ...(sources.caution !== undefined && { caution: sources.caution }),
    ...(fingerprint && { fingerprint: { ...fingerprint } }),
    ...(overview?.origin && { origin: overview.origin }),
    ...(overview?.repairs && { repairs: overview.repairs }),
  };
}

/** Why the run ended or cannot go on, where there is something to say. */
function failureOf({ row, overview, live, unsaved, lastSeq }: HeadSources): RunHead['failure'] {
  if (live?.outcome?.failure) return live.outcome.failure;
  if (live && live.phase !== 'ended' && live.phase !== 'idle') return undefined;
  if (overview?.failure) return overview.failure;
  if (unsaved && !live) return unsaved;
  if (overview?.ended && !live) return overview.ended;
  if (row.failure) return row.failure;
  const message = live?.outcome?.message ?? (row.status === 'failed' ? row.detail : undefined);
  const kept = `Everything up to record ${lastSeq} is kept.`;
  switch (row.status) {
    case 'failed':
      return {
        code: 'internal',
        message: message ?? 'The run ended in an error.',
        kept,
        todo: 'Resume to try again.',
      };
    case 'budget':
      return {
        code: 'budget',
        message: message ?? `The run used up its tokens: ${row.detail}.`,
        kept,
        todo: 'Raise the limit in the profile, then resume.',
      };
    case 'steps':
      return {
        code: 'max_iterations',
        message: message ?? `The run took all the steps that it may take: ${row.detail}.`,
        kept,
        todo: 'Say something to go on, or raise the limit in the profile and resume.',
      };
    default:
      return undefined;
  }
}
