import { decodeRecord } from '../../../shared/run/codec';
import { asFailure, isFailure } from '../../../shared/run/failure';
import { RECORD_VERSION } from '../../../shared/run/record';
import type { RunRecord } from '../../../shared/run/record';
import type { RunSummary, Writer } from '../journal';
import { summaryOf, wantsWriter } from '../read';
import { NO_ROW, changeRow, readRow, readRows } from './catalogue';
import type { CatalogueRow } from './catalogue';
import { claimIn } from './claim';
import type { ClaimState } from './claim';
import type { Ground } from './ground';
import { glanceLast, lastOf, patiently, scan } from './read';
import type { Stored } from './read';
import { readRecords } from './records';
import { removeAll, removeRun } from './remove';
import { decodeRow, edgeRow } from './row';
import type { FoldedRow } from './row';
import { HEADER } from './subjects';

/** Single messages that are asked for at once. */
const AT_ONCE = 256;
/** Marks of deleted runs that nothing is left of go after this time, when every watcher has seen them. ms. */
const TOMBSTONE_MS = 10 * 60_000;

export interface ListParts {
  ground: Ground;
  /** Who holds a run of which this is the last claim. */
  writer(id: string, claim: ClaimState | undefined): Promise<Writer>;
}

/** The first and the last message of a run, and what stands beside it. */
interface Edges {
  id: string;
  /** Absent: records without a beginning. */
  meta: Stored | undefined;
  last: Stored | undefined;
  row: CatalogueRow;
  claim: ClaimState | undefined;
}

/** Rows of all runs that are to be seen, or of all in the trash. Reads two records of each run. */
export async function listRuns(parts: ListParts, which: 'seen' | 'trash'): Promise<RunSummary[]> {
  const { ground } = parts;
  const [metas, rows, claims] = await Promise.all([readMetas(ground), readRows(ground), readClaims(ground)]);
  if (which === 'seen') sweep(ground, rows, metas);
  const wanted = [...metas].filter(([id, meta]) => {
    const row = rows.get(id) ?? NO_ROW;
    return which === 'seen' ? isSeen(row, meta) : row.hidden !== undefined && row.hidden.why !== 'deleting';
  });
  const found = await eachOf(wanted, AT_ONCE, async ([id, meta]) => {
    const last = await glanceLast(ground, ground.subjects.run(id));
    const edges = { id, meta, last, row: rows.get(id) ?? NO_ROW, claim: claims.get(id) };
    return rowOfEdges(parts, edges).catch((error: unknown) => unreadable(edges, error));
  });
  return found.flatMap((row) => {
    if (row === undefined) return [];
    const hidden = rows.get(row.id)?.hidden;
    return [which === 'trash' && hidden ? { ...row, trashed: new Date(hidden.at) } : row];
  });
}

/** One row, or undefined when there is no such run to be seen. */
export async function summaryOfRun(parts: ListParts, id: string): Promise<RunSummary | undefined> {
  const { ground } = parts;
  const [meta, last, row, claim] = await Promise.all([
    lastOf(ground, ground.subjects.meta(id)),
    lastOf(ground, ground.subjects.run(id)),
    readRow(ground, id),
    lastOf(ground, ground.subjects.claim(id, '>')),
  ]);
  if (!isSeen(row, meta)) return undefined;
  return rowOfEdges(parts, { id, meta, last, row, claim: claimIn(ground, claim) });
}

/** What was written to a run after it was deleted has no beginning, and is to be seen. */
const isSeen = (row: CatalogueRow, meta: Stored | undefined): boolean =>
  row.hidden === undefined || (row.hidden.why === 'deleting' && meta === undefined);

/** Meta records by id. Where records without a meta can exist (a writer went on after the run was deleted), their ids too. */
async function readMetas(ground: Ground): Promise<Map<string, Stored | undefined>> {
  const metas = new Map<string, Stored | undefined>();
  if (!ground.tailFence()) for (const id of await idsOf(ground)) metas.set(id, undefined);
  for (const stored of await scan(ground, ground.subjects.metas)) {
    const found = ground.subjects.parse(stored.subject);
    if (found?.family === 'run') metas.set(found.id, stored);
  }
  return metas;
}

/** Ids of all runs by the subjects that the stream holds; no message is read. */
async function idsOf(ground: Ground): Promise<Set<string>> {
  const ids = new Set<string>();
  const info = await patiently(ground, 'list the subjects of the stream', () =>
    ground.link.manager.streams.info(ground.stream, { subjects_filter: ground.subjects.records }),
  );
  for (const subject of Object.keys(info.state.subjects ?? {})) {
    const found = ground.subjects.parse(subject);
    if (found?.family === 'run') ids.add(found.id);
  }
  return ids;
}

async function readClaims(ground: Ground): Promise<Map<string, ClaimState>> {
  const claims = new Map<string, ClaimState>();
  for (const stored of await scan(ground, ground.subjects.all('claim'))) {
    const id = ground.subjects.parse(stored.subject)?.id;
    const claim = claimIn(ground, stored);
    if (id !== undefined && claim !== undefined && claim.n >= (claims.get(id)?.n ?? 0)) claims.set(id, claim);
  }
  return claims;
}

/**
 * Ends deletions that were cut short, and takes away the marks of those that are done. Only what stands before the mark
 * in the stream goes: a run that was made anew under the name meanwhile stands behind it, whatever the clocks say. Never
 * rejects.
 */
function sweep(
  ground: Ground,
  rows: Map<string, CatalogueRow>,
  metas: Map<string, Stored | undefined>,
): void {
  if (ground.judgement.keepsAll !== undefined || !ground.tailFence()) return;
  for (const [id, { hidden, seq }] of rows) {
    if (hidden?.why !== 'deleting' || Date.now() - Date.parse(hidden.at) < TOMBSTONE_MS) continue;
    const meta = metas.get(id);
    const work =
      meta === undefined
        ? removeAll(ground, ground.subjects.catalogue(id, '>'), seq + 1)
        : meta.seq < seq
          ? removeRun(ground, id, seq)
          : unmark(ground, id, seq);
    void work.catch(() => undefined);
  }
}

/** Ends the making of a run that was cut short before it took the mark of its forerunner away. */
const unmark = (ground: Ground, id: string, seq: number): Promise<void> =>
  changeRow(ground, id, 'added', (row) => ({
    labels: row.labels,
    ...(row.seq !== seq && row.hidden !== undefined && { hidden: row.hidden }),
  }));

async function rowOfEdges(parts: ListParts, edges: Edges): Promise<RunSummary | undefined> {
  const { id, last, row, claim } = edges;
  if (last === undefined) return undefined;
  const summary = quick(parts.ground, edges) ?? (await whole(parts.ground, id, row));
  if (summary === undefined) return undefined;
  // A replica that was asked a moment later may not have the newest claim; the next look tells.
  return wantsWriter(summary) ? { ...summary, writer: await parts.writer(id, claim) } : summary;
}

/** A row from the edges alone; undefined when they are not as they should be. */
function quick(ground: Ground, { id, meta: first, last, row }: Edges): RunSummary | undefined {
  if (first === undefined || last === undefined) return undefined;
  const meta = recordOf(first);
  const end = last.seq === first.seq ? meta : recordOf(last);
  if (meta?.meta === undefined || end === undefined || meta.meta.version !== RECORD_VERSION) return undefined;
  if (end !== meta && last.subject !== ground.subjects.record(id, end.seq)) return undefined;
  const { fingerprint, prompt, run_id, created, interactive } = meta.meta;
  const line = last.headers?.get(HEADER.row);
  const header = decodeRow(line);
  // Neither this program nor one like it wrote that: the records tell.
  if (line && header === undefined && !ground.known.get(id, last.seq)) return undefined;
  const folded: FoldedRow | undefined =
    header?.facts?.lastSeq === end.seq ? header : ground.known.get(id, last.seq);
  const shown = folded ?? edgeRow(end);
  return {
    id,
    health: 'ok',
    runId: run_id,
    prompt,
    created: new Date(created),
    provider: fingerprint.provider,
    model: fingerprint.model,
    interactive: interactive ?? false,
    maxIterations: fingerprint.max_iterations,
    maxTokens: fingerprint.max_tokens,
    ...shown,
    updated: last.time,
    size: folded?.size ?? first.data.length + 1 + (last.seq === first.seq ? 0 : last.data.length + 1),
    warnings: folded?.warnings ?? 0,
    alerts: folded?.alerts ?? 0,
    catalogue: row.labels,
    writer: 'none',
    durability: 'acknowledged',
  };
}

function recordOf(stored: Stored): RunRecord | undefined {
  try {
    return decodeRecord(Buffer.from(stored.data).toString('utf8'));
  } catch (error) {
    if (isFailure(error)) return undefined;
    throw error;
  }
}

/** A run that cannot even be listed costs its own row, never the list. Whatever is wrong with the store is thrown. */
function unreadable({ id, last, row }: Edges, error: unknown): RunSummary {
  if (isFailure(error, 'store_unavailable')) throw error;
  return {
    id,
    health: 'damaged',
    failure: asFailure(error).toJSON(),
    updated: last?.time ?? new Date(0),
    size: 0,
    warnings: 0,
    alerts: 0,
    catalogue: row.labels,
    writer: 'none',
    durability: 'acknowledged',
  };
}

/** A row from all records: for runs that are damaged, of another version, or without a beginning. */
async function whole(ground: Ground, id: string, row: CatalogueRow): Promise<RunSummary | undefined> {
  const read = await readRecords(ground, id);
  if (read === undefined) return undefined;
  return summaryOf(read.reading, {
    id,
    updated: read.updated,
    catalogue: row.labels,
    writer: 'none',
    durability: 'acknowledged',
  });
}

/** Runs `task` on every item, so many at once, and keeps the order. */
async function eachOf<T, R>(items: T[], atOnce: number, task: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = new Array<R>(items.length);
  let next = 0;
  const work = async (): Promise<void> => {
    for (let n = next++; n < items.length; n = next++) results[n] = await task(items[n]!);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work));
  return results;
}
