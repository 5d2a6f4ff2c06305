import type { FailureInfo } from '../../../shared/run/failure';
import { Failure, isFailure } from '../../../shared/run/failure';
import type { RunRecord } from '../../../shared/run/record';
import type { CatalogueEntry, SidecarEntry } from '../../../shared/run/sidecar';
import type { RunFacts, RunState, RunWarning } from '../../../shared/run/state';
import type { RecordPlace, RunStore } from '../../journal/journal';
import { readRunGently } from '../../journal/read';
import { tooLargeToShow } from '../fatal-runs';
import type { Counts } from './types';

/** A run as its journal says, with what stands beside it. Everything comes from one reading of the bytes. */
export interface ExportSource {
  id: string;
  /** The whole journal; while somebody writes, without the line that is on its way. */
  bytes: Uint8Array;
  records: RunRecord[];
  places: RecordPlace[];
  state: RunState;
  facts: RunFacts;
  warnings: RunWarning[];
  sidecar: SidecarEntry[];
  /** The notes are this run's own. */
  bound: boolean;
  catalogue: CatalogueEntry;
  texts: { name: string; toolUseId: string; text: string }[];
  missingTexts: string[];
  damage?: FailureInfo;
}

/**
 * Reads a run for an export; of a damaged one, what stands before the damage.
 *
 * @param unread no process survives that, so it is refused at once
 * @throws Failure `not_found`, `empty`, and what is wrong with a journal that has no readable record
 */
export async function readSource(store: RunStore, id: string, unread = false): Promise<ExportSource> {
  if (unread) throw tooLargeToShow();
  const { size } = store.slice ? await store.slice(id, 0, 0) : { size: 0 };
  if (size > LARGEST) throw tooLarge();
  const all = await store.bytes(id);
  const reading = await readRunGently(all);
  if (!reading.folded)
    throw reading.failure ?? new Failure({ code: 'empty', message: 'Nothing was recorded in this run.' });
  const beside = await besideRun(store, id);
  const { texts, missingTexts } = await keptTexts(store, id, beside.sidecar);
  const onItsWay = reading.tail.kind === 'torn' && (await store.writer(id)) !== 'none';
  return {
    id,
    bytes: onItsWay ? all.subarray(0, reading.tail.offset) : all,
    records: reading.records,
    places: reading.places,
    state: reading.folded.state,
    facts: reading.folded.facts,
    warnings: onItsWay ? reading.warnings.filter(({ code }) => code !== 'torn_tail') : reading.warnings,
    ...beside,
    texts,
    missingTexts,
    ...(reading.failure && { damage: reading.failure.toJSON() }),
  };
}

/** Bytes of a journal that is read as a whole. */
const LARGEST = 1024 ** 3;
/** Bytes that are copied at once. */
const PIECE = 4 * 1024 * 1024;

const tooLarge = (): Failure =>
  new Failure({
    code: 'too_large',
    message: 'This run is too large to be exported in this format.',
    kept: 'The run is untouched.',
    todo: 'Export it as a journal to get its exact bytes.',
  });

/** A journal's bytes as they are, however many. */
export async function* exactBytes(store: RunStore, id: string): AsyncGenerator<Uint8Array> {
  if (!store.slice) {
    yield await store.bytes(id);
    return;
  }
  let identity: string | undefined;
  for (let offset = 0; ;) {
    const got = await store.slice(id, offset, PIECE);
    if (identity !== undefined && got.identity !== identity)
      throw new Failure({
        code: 'conflict',
        message: 'This run was replaced while it was being exported.',
        kept: 'Nothing was written.',
        todo: 'Export it again.',
      });
    identity = got.identity;
    if (got.bytes.length === 0) return;
    yield got.bytes;
    offset += got.bytes.length;
  }
}

/** Of a damaged run only the bytes before the damage; any other as it is. */
export function intactPart(source: ExportSource): ExportSource {
  const last = source.places.at(-1);
  if (source.damage === undefined || last === undefined) return source;
  const end = last.offset + last.bytes;
  return { ...source, bytes: source.bytes.subarray(0, end + 1) };
}

/** Notes and labels, also of a run that cannot be loaded. */
async function besideRun(
  store: RunStore,
  id: string,
): Promise<Pick<ExportSource, 'sidecar' | 'bound' | 'catalogue'>> {
  try {
    const { sidecar, sidecarBound: bound, catalogue } = await store.load(id);
    return { sidecar, bound, catalogue };
  } catch (error) {
    if (!isFailure(error)) throw error;
    const { catalogue } = await store.summary(id);
    const notes = (await store.notes?.(id)) ?? { entries: [], bound: false };
    return { sidecar: notes.entries, bound: notes.bound, catalogue };
  }
}

async function keptTexts(
  store: RunStore,
  id: string,
  sidecar: SidecarEntry[],
): Promise<Pick<ExportSource, 'texts' | 'missingTexts'>> {
  const clips = new Map(
    sidecar.flatMap((entry) => (entry.kind === 'clip' ? [[entry.file, entry.tool_use_id] as const] : [])),
  );
  const [texts, missingTexts]: [ExportSource['texts'], string[]] = [[], []];
  for (const [name, toolUseId] of clips) {
    try {
      texts.push({ name, toolUseId, text: await store.kept(id, name) });
    } catch (error) {
      if (!isFailure(error, 'not_found')) throw error;
      missingTexts.push(name);
    }
  }
  return { texts, missingTexts };
}

/** What a journal holds, counted from its records. */
export function countsOf(records: readonly RunRecord[]): Counts {
  const counts: Counts = { records: records.length, calls: 0, results: 0 };
  for (const { assistant, user, tool_result: result } of records) {
    if (result) counts.results++;
    for (const block of (assistant ?? user)?.message.content ?? []) {
      if (block.tool_use) counts.calls++;
      if (block.tool_result) counts.results++;
    }
  }
  return counts;
}
