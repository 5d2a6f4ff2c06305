import { createHash } from 'node:crypto';
import { Boundaries } from '../../shared/run/boundaries';
import { Failure, isFailure } from '../../shared/run/failure';
import type { RunRecord } from '../../shared/run/record';
import type { SidecarEntry } from '../../shared/run/sidecar';
import { packRun } from '../journal/copy';
import type { LoadedRun, RunStore } from '../journal/journal';
import type { RunParcel } from '../journal/parcel';
import { madeFrom, promptTitle } from './words';

export interface ForkOptions {
  /** Number of the last record to take: a boundary (see `forkPoints`). Absent: the whole run as it is. */
  at?: number;
  /** Where the new run goes. Default: the same store. */
  to?: RunStore;
  newId(): string;
  now?(): Date;
}

export interface Forked {
  /** The new run. */
  id: string;
  from: string;
  through: number;
  records: number;
  bytes: number;
  /** Of the bytes that both runs share, in hex. */
  prefixSha256: string;
}

const MOST_TRIES = 5;

/** Numbers of the records after which a new run can begin. */
export function forkPoints(records: readonly RunRecord[]): number[] {
  const boundaries = new Boundaries();
  return records.filter((record) => boundaries.push(record)).map(({ seq }) => seq);
}

/**
 * Makes a new run from the beginning of another: its records byte for byte up to a boundary, with what is noted of them
 * and where they came from. The original is only read. The new run is resumed like any other, through the same gates.
 *
 * @throws Failure `bad_request` where a run cannot begin (data: the nearest boundaries `before` and `after`), `not_found`,
 *   `unsupported` for a store that only reads, `busy`, and whatever loading the run says
 */
export async function forkRun(from: RunStore, id: string, options: ForkOptions): Promise<Forked> {
  const { parcel, loaded } = await packRun(from, id);
  const { records, facts } = loaded;
  const at = options.at ?? facts.lastSeq;
  const whole = options.at === undefined;
  if (!whole) checkPoint(records, at);
  const count = records.findLastIndex(({ seq }) => seq <= at) + 1;
  const lines = parcel.lines.slice(0, count);
  const bytes = Buffer.concat(lines.flatMap((line) => [line, NEWLINE]));
  const prefixSha256 = createHash('sha256').update(bytes).digest('hex');
  const lineage: SidecarEntry = {
    kind: 'lineage',
    at: (options.now?.() ?? new Date()).toISOString(),
    from: id,
    store: from.url,
    through_seq: at,
    prefix_sha256: prefixSha256,
    why: whole ? 'continue' : 'fork',
    ...(!loaded.sidecarBound && { unnoted: true }),
  };
  const kept = notesThrough(loaded, count, at);
  const texts = new Set(kept.flatMap((entry) => (entry.kind === 'clip' ? [entry.file] : [])));
  const fork: RunParcel = {
    lines,
    sidecar: [...kept, lineage],
    catalogue: whole ? parcel.catalogue : labelled(loaded),
    texts: parcel.texts.filter(({ name }) => texts.has(name)),
  };
  const made = await bring(options.to ?? from, fork, options.newId);
  return { id: made, from: id, through: at, records: count, bytes: bytes.length, prefixSha256 };
}

/** *Continue here*: a run of a store that is only read, copied whole into one of our own. */
export const continueRun = (
  from: RunStore,
  id: string,
  to: RunStore,
  options: Omit<ForkOptions, 'at' | 'to'>,
): Promise<Forked> => forkRun(from, id, { ...options, to });

const NEWLINE = Buffer.from('\n');

function checkPoint(records: readonly RunRecord[], at: number): void {
  const points = forkPoints(records);
  if (points.includes(at)) return;
  const before = points.findLast((seq) => seq < at);
  const after = points.find((seq) => seq > at);
  const near = [before, after].filter((seq) => seq !== undefined).join(' or ');
  throw new Failure({
    code: 'bad_request',
    message: records.some(({ seq }) => seq === at)
      ? `No run can begin after record ${at}: it stands inside a turn, or marks an end.`
      : `There is no record ${at} in this run.`,
    kept: 'Nothing was changed.',
    ...(near !== '' && { todo: `Fork at record ${near}.` }),
    data: { at, ...(before !== undefined && { before }), ...(after !== undefined && { after }) },
  });
}

/** What is noted of the records that are taken. Notes stand in the order in which things happened. */
function notesThrough({ sidecar, records }: LoadedRun, count: number, at: number): SidecarEntry[] {
  const taken = records.slice(0, count);
  const whole = count === records.length;
  const ids = new Set(
    taken.flatMap(({ assistant }) =>
      (assistant?.message.content ?? []).flatMap(({ tool_use: call }) => (call ? [call.id] : [])),
    ),
  );
  let later = false;
  return sidecar.filter((entry) => {
    if (entry.kind === 'resume') later ||= entry.after_seq > at;
    switch (entry.kind) {
      case 'bind':
      case 'turn':
        return false;
      case 'lineage':
        // Its own lineage leads on to the original's, but what is unknown stays unknown.
        return whole || entry.unnoted === true;
      case 'time':
      case 'failure':
      case 'own':
        return entry.seq <= at;
      case 'bad_input':
        return entry.seq <= at && !later;
      case 'partial':
      case 'repair':
        return whole;
      case 'intent':
      case 'approval':
      case 'clip':
        return ids.has(entry.tool_use_id) && !later;
      case 'resume':
      case 'config':
        return !later;
    }
  });
}

function labelled({ catalogue, state }: LoadedRun): RunParcel['catalogue'] {
  const title = madeFrom(catalogue.title ?? promptTitle(state.prompt), 'fork');
  return { title, ...(catalogue.tags && { tags: catalogue.tags }) };
}

async function bring(to: RunStore, parcel: RunParcel, newId: () => string): Promise<string> {
  const take = to.import?.bind(to);
  if (take === undefined || !to.supports.write)
    throw new Failure({
      code: 'unsupported',
      message: 'This store is only read; no run can be made in it.',
      kept: 'Nothing was changed.',
      todo: 'Make the new run in a store of your own.',
    });
  for (let tries = 1; ; tries++) {
    const id = newId();
    try {
      await take(id, parcel);
      return id;
    } catch (error) {
      if (tries >= MOST_TRIES || !isFailure(error, 'exists')) throw error;
    }
  }
}
