import { Folder } from '../../../shared/run/fold';
import { PROTOCOL } from '../../../shared/run/record';
import { z } from '../../../shared/zod';
import type { RunRecord } from '../../../shared/run/record';
import type { Counters } from '../../../shared/run/state';
import type { RunSummary } from '../journal';
import type { Reading } from '../read';
import { summaryOf } from '../read';
import { HEADER } from './subjects';

/**
 * What a run folds to, in a header of its last record, so that a list needs no other record to show a row. It is a copy
 * for lists only: opening, resuming and showing a run always fold its records. A row without it (another program wrote
 * the record) shows what the first and the last record tell.
 *
 * One line of JSON, its first member the version of this form.
 */
const VERSION = 1;
const MOST = 2_000;

/** The members of a summary that only the whole journal tells. */
export type FoldedRow = Pick<
  RunSummary,
  | 'counters'
  | 'nextIteration'
  | 'terminal'
  | 'facts'
  | 'pendingTools'
  | 'hasPending'
  | 'endsOnAssistant'
  | 'lastStopReason'
> & { size: number; warnings: number; alerts: number };

const COUNTERS = [
  'llm_calls',
  'tool_calls',
  'remote_tool_calls',
  'in_tokens',
  'out_tokens',
  'cache_read_tokens',
  'cache_create_tokens',
] as const satisfies readonly (keyof Counters)[];

/** undefined: too long for a header. */
export function encodeRow(reading: Pick<Reading, 'folded' | 'size' | 'warnings'>): string | undefined {
  const row = summaryOf(
    { records: [], places: [], tail: { kind: 'clean', offset: 0, bytes: 0 }, unborn: false, ...reading },
    { id: '', updated: new Date(0), catalogue: {}, writer: 'none', durability: 'acknowledged' },
  );
  if (row.counters === undefined || row.facts === undefined) return undefined;
  const counters = row.counters;
  const text = JSON.stringify([
    VERSION,
    row.size,
    row.warnings,
    COUNTERS.map((name) => counters[name]),
    row.nextIteration,
    row.terminal ? [row.terminal.reason, row.terminal.message] : null,
    [row.facts.terminalIsLast, row.facts.lastSeq, row.facts.lastKind],
    row.pendingTools,
    row.hasPending,
    row.endsOnAssistant,
    row.lastStopReason,
    row.alerts,
  ]);
  // Escapes only make it longer.
  if (text.length > MOST) return undefined;
  // Headers are lines of ASCII.
  const line = text.replace(/[^ -~]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return line.length > MOST ? undefined : line;
}

/** The row after these records; undefined when they do not fold. */
export function rowOfRecords(records: readonly RunRecord[], size: number): string | undefined {
  const folder = new Folder();
  try {
    for (const record of records) folder.push(record);
  } catch {
    return undefined;
  }
  return encodeRow({ folded: { state: folder.state, facts: folder.facts }, warnings: folder.warnings, size });
}

/** Headers of a record: the claim it is written under, whose it is, and the row where the message has room for it. */
export function recordHeaders(
  claim: number,
  own: string | undefined,
  row: string | undefined,
  room: number,
): Record<string, string> {
  return {
    [HEADER.claim]: `${claim}`,
    ...(own !== undefined && { [HEADER.own]: own }),
    ...(row !== undefined && row.length < room && { [HEADER.row]: row }),
  };
}

const whole = z.int().min(0);
/** A row as it stands in a header, where anybody who may write to the stream could have put it. */
const headerRow = z.tuple(
  [
    z.literal(VERSION),
    whole,
    whole,
    z.array(whole).length(COUNTERS.length),
    whole,
    z.tuple([z.string().max(40), z.string().nullable().optional()]).nullable(),
    z.tuple([z.boolean(), whole, z.string().max(40)]),
    z.array(z.string()),
    z.boolean(),
    z.boolean(),
    z.string(),
  ],
  // What was added since: how many warnings alert. Rows of earlier versions do not tell.
  whole,
);

/** undefined for anything that this version did not write. */
export function decodeRow(line: string | undefined): FoldedRow | undefined {
  if (!line || line.length > MOST) return undefined;
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch {
    return undefined;
  }
  const read = headerRow.safeParse(json);
  if (!read.success) return undefined;
  const [, size, warnings, counters, nextIteration, terminal, facts, tools, pending, ends, stop, alerts] =
    read.data;
  return {
    size,
    warnings,
    alerts: alerts ?? 0,
    counters: countersOf(counters),
    nextIteration,
    terminal: terminal && {
      reason: terminal[0],
      ...(typeof terminal[1] === 'string' && { message: terminal[1] }),
    },
    facts: { terminalIsLast: facts[0], lastSeq: facts[1], lastKind: facts[2] },
    pendingTools: tools,
    hasPending: pending,
    endsOnAssistant: ends,
    lastStopReason: stop,
  };
}

function countersOf(values: number[]): Counters {
  const counters: Counters = {
    llm_calls: 0,
    tool_calls: 0,
    remote_tool_calls: 0,
    in_tokens: 0,
    out_tokens: 0,
    cache_read_tokens: 0,
    cache_create_tokens: 0,
  };
  for (const [n, name] of COUNTERS.entries()) counters[name] = values[n] ?? 0;
  return counters;
}

const KINDS = new Map(Object.entries(PROTOCOL).map(([kind, id]) => [id as string, kind]));

/** What the last record alone tells of its run. */
export function edgeRow(last: RunRecord): Partial<RunSummary> {
  const lastKind = KINDS.get(last.protocol) ?? '';
  const blocks = last.assistant?.message.content ?? [];
  const tools = blocks.flatMap((block) => (block.tool_use ? [block.tool_use.name] : []));
  return {
    facts: { terminalIsLast: last.terminal !== undefined, lastSeq: last.seq, lastKind },
    ...(last.terminal ? { terminal: last.terminal } : { terminal: null }),
    ...(last.assistant && {
      pendingTools: tools,
      hasPending: tools.length > 0,
      endsOnAssistant: tools.length === 0,
      lastStopReason: last.assistant.stop_reason ?? '',
      nextIteration: last.assistant.iteration + 1,
    }),
    ...((last.user ?? last.meta) && { pendingTools: [], hasPending: false, endsOnAssistant: false }),
  };
}
