import { createHash } from 'node:crypto';
import { Failure, isFailure } from '../../shared/run/failure';
import { checkId, checkNewId, runExists } from './check';
import type { LoadedRun, RunStore } from './journal';
import type { RunParcel } from './parcel';

export interface CopyReport {
  /** Ids in the two stores. */
  id: string;
  as: string;
  records: number;
  /** Of the copy's journal, and their SHA-256 in hex. */
  bytes: number;
  sha256: string;
  /** Bytes of the original that are no record (a torn last line, blank lines) and so are not in the copy. */
  dropped: number;
  notes: number;
  texts: number;
  /** Names of kept texts that the original could not give any more. */
  missingTexts: string[];
  /** How often the original was read until it held still. */
  readings: number;
}

export interface CopyOptions {
  /** Id in the target; the same as in the source otherwise. */
  as?: string;
}

const READINGS = 12;
const PAUSE_MS = 80;

/**
 * Copies a run from one store to another, record by record and byte for byte, with its notes, labels and kept texts.
 * The numbers of the records stay as they are, gaps included. A source that moves while it is read is read again; the
 * copy is compared with what was read.
 *
 * @throws Failure `exists` when the target has the id, `unsupported` when it only reads, `busy` when the source does
 *   not hold still, `too_large` before anything is written, `io` when the copy is not the same (it is thrown away), and
 *   whatever loading the source says: a damaged run is not copied
 */
export async function copyRun(
  from: RunStore,
  to: RunStore,
  id: string,
  options: CopyOptions = {},
): Promise<CopyReport> {
  const target = options.as ?? id;
  checkId(id);
  checkNewId(target);
  const bring = to.import?.bind(to);
  if (bring === undefined || !to.supports.write)
    throw new Failure({
      code: 'unsupported',
      message: 'That store is only read; no run can be copied into it.',
      kept: 'Nothing was changed.',
      todo: 'Copy the run into a store of your own.',
    });
  if (await isThere(to, target)) throw runExists();

  const { parcel, report } = await packRun(from, id);
  await bring(target, parcel);
  const copy = await to.bytes(target);
  if (Buffer.compare(copy, joined(parcel.lines)) !== 0) {
    await to.purge(target).catch(() => undefined);
    throw new Failure({
      code: 'io',
      message: 'The copy does not have the same bytes as the run that was copied.',
      kept: 'The original is untouched; the copy was thrown away.',
      todo: 'Try again.',
    });
  }
  return { id, as: target, ...report };
}

async function isThere(store: RunStore, id: string): Promise<boolean> {
  try {
    return (await store.summary(id)).health !== 'new';
  } catch (error) {
    if (isFailure(error, 'not_found')) return false;
    throw error;
  }
}

type Report = Omit<CopyReport, 'id' | 'as'>;

/**
 * Everything about a run as it stands at one moment, to be brought to another place.
 *
 * @throws Failure `busy` when it does not hold still, and whatever loading it says
 */
export async function packRun(
  from: RunStore,
  id: string,
): Promise<{ parcel: RunParcel; loaded: LoadedRun; report: Report }> {
  for (let readings = 1; readings <= READINGS; readings++) {
    const loaded = await from.load(id);
    const bytes = await from.bytes(id);
    const { texts, missingTexts } = await keptTexts(from, id, loaded);
    if (bytes.length === loaded.size && (await stands(from, id, loaded))) {
      const lines = loaded.places.map(({ offset, bytes: length }) => bytes.slice(offset, offset + length));
      const whole = joined(lines);
      return {
        parcel: {
          lines,
          ...(loaded.sidecarBound && { sidecar: loaded.sidecar }),
          catalogue: loaded.catalogue,
          texts,
        },
        loaded,
        report: {
          records: lines.length,
          bytes: whole.length,
          sha256: createHash('sha256').update(whole).digest('hex'),
          dropped: Math.max(0, bytes.length - whole.length),
          notes: loaded.sidecarBound ? loaded.sidecar.length : 0,
          texts: texts.length,
          missingTexts,
          readings,
        },
      };
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  throw new Failure({
    code: 'busy',
    message: 'This run grows faster than it can be read for a copy.',
    kept: 'Nothing was copied.',
    todo: 'Pause it, or copy it once it is at rest.',
  });
}

/** Whether the run still ends where it ended when it was loaded: numbers only grow. */
async function stands(from: RunStore, id: string, loaded: LoadedRun): Promise<boolean> {
  return (await from.summary(id)).facts?.lastSeq === loaded.facts.lastSeq;
}

async function keptTexts(
  from: RunStore,
  id: string,
  loaded: LoadedRun,
): Promise<{ texts: { name: string; text: string }[]; missingTexts: string[] }> {
  const names = new Set(loaded.sidecar.flatMap((entry) => (entry.kind === 'clip' ? [entry.file] : [])));
  const [texts, missingTexts]: [{ name: string; text: string }[], string[]] = [[], []];
  for (const name of names) {
    try {
      texts.push({ name, text: await from.kept(id, name) });
    } catch (error) {
      if (!isFailure(error, 'not_found')) throw error;
      missingTexts.push(name);
    }
  }
  return { texts, missingTexts };
}

const NEWLINE = Buffer.from('\n');
const joined = (lines: readonly Uint8Array[]): Buffer =>
  Buffer.concat(lines.flatMap((line) => [line, NEWLINE]));
