import { createHash } from 'node:crypto';
import { Failure, isFailure } from '../../../shared/run/failure';
import { isNewRunId } from '../../../shared/run/names';
import type { CatalogueEntry, SidecarEntry } from '../../../shared/run/sidecar';
import { linesIn } from '../../../shared/run/slices';
import type { RunStore } from '../../journal/journal';
import type { RunParcel } from '../../journal/parcel';
import { readRunGently } from '../../journal/read';
import { refuseForeign } from './kind';
import { metaSha256, readSidecar } from '../../journal/sidecar';
import { RUN_EXPORT_FORMAT } from '../export/json';
import { schemaProblems } from '../schemas';
import { promptTitle } from '../words';
import { checkWeight } from './budget';
import { labelsIn } from './labels';
import type { Tree } from './tree';
import type { Imported, ImportOptions } from './types';

type Taken = Extract<Imported, { outcome: 'imported' }>;

const MOST_TRIES = 5;
const MOST_SCHEMA_PROBLEMS = 5;
/** Bytes of a record that is held against the schemas. */
const SCHEMA_LIMIT = 8 * 1024 * 1024;
/** Bytes of a file that lies beside a journal, and of all kept texts of a run. */
const BESIDE = 64 * 1024 * 1024;
const BESIDE_ALL = 256 * 1024 * 1024;

/** A journal in a tree, and what it should have been when it was exported, where that is known. */
export interface Candidate {
  tree: Tree;
  name: string;
  source: string;
  sha256?: string | undefined;
}

/**
 * Takes one journal in, with what lies beside it. Its records keep their bytes.
 *
 * @throws Failure for whatever makes it no run to be taken: `corrupt`, `empty`, `version`, `too_large`, `unsupported` …
 */
export async function importOne(
  store: RunStore,
  { tree, name, source, sha256 }: Candidate,
  options: ImportOptions,
): Promise<Imported> {
  const { signal } = options;
  const bytes = await tree.read(name, { signal });
  await checkWeight(name, bytes, signal);
  if (sha256 !== undefined && createHash('sha256').update(bytes).digest('hex') !== sha256)
    throw new Failure({
      code: 'corrupt',
      message: 'These are not the bytes that were exported.',
      kept: 'Nothing of it was taken.',
      todo: 'Export the run again.',
    });
  checkKind(bytes);
  const reading = await readRunGently(bytes);
  const { folded, failure, places } = reading;
  if (failure !== undefined || folded === undefined) {
    // What isn't ours is not damaged.
    refuseForeign(bytes, failure?.code);
    throw noRun(failure);
  }
  const lines = places.map(({ offset, bytes: length }) => bytes.subarray(offset, offset + length));
  const wanted = nameFor(name, reading.records[0]?.meta?.run_id);
  const beside = await besideIt(tree, name, metaSha256(lines[0] ?? ''));
  const lineage: SidecarEntry = {
    kind: 'lineage',
    at: (options.now?.() ?? new Date()).toISOString(),
    from: wanted,
    why: 'import',
    // Notes from elsewhere must not decide that a tool never ran.
    ...((!beside.bound || folded.state.pending !== null) && { unnoted: true }),
  };
  const { catalogue, texts } = beside;
  const parcel: RunParcel = { lines, sidecar: [...beside.notes, lineage], catalogue, texts };
  // Before it is taken: what fails from here on would tell of a run that is there as of one that is not.
  const schema = differences(lines, places);
  const id = await place(store, wanted, parcel, options);
  const kept = lines.reduce((sum, line) => sum + line.length + 1, 0);
  return {
    outcome: 'imported',
    source,
    id,
    wanted,
    title: catalogue.title ?? promptTitle(folded.state.prompt),
    records: lines.length,
    bytes: kept,
    dropped: Math.max(0, bytes.length - kept),
    notes: beside.notes.length,
    texts: texts.length,
    warnings: reading.warnings,
    schema,
  };
}

/** Where records differ from the published schemas: the first few places. */
function differences(lines: readonly Uint8Array[], places: readonly { line: number }[]): Taken['schema'] {
  const found: Taken['schema'] = [];
  for (const [n, line] of lines.entries()) {
    if (line.length > SCHEMA_LIMIT) continue;
    for (const message of schemaProblems(Buffer.from(line).toString('utf8')))
      found.push({ line: places[n]?.line ?? n + 1, message });
    if (found.length >= MOST_SCHEMA_PROBLEMS) return found.slice(0, MOST_SCHEMA_PROBLEMS);
  }
  return found;
}

/** Under the wanted name if it is free, else under a new one; never over a run that is there. */
async function place(
  store: RunStore,
  wanted: string,
  parcel: RunParcel,
  { newId }: ImportOptions,
): Promise<string> {
  const bring = store.import?.bind(store);
  if (bring === undefined || !store.supports.write)
    throw new Failure({
      code: 'unsupported',
      message: 'This store is only read; no run can be brought into it.',
      kept: 'Nothing was changed.',
      todo: 'Import into a store of your own.',
    });
  let id = isNewRunId(wanted) && !(await isTaken(store, wanted)) ? wanted : newId();
  for (let tries = 1; ; tries++) {
    try {
      await bring(id, parcel);
      return id;
    } catch (error) {
      if (tries >= MOST_TRIES || !(isFailure(error, 'exists') || isFailure(error, 'locked'))) throw error;
      id = newId();
    }
  }
}

async function isTaken(store: RunStore, id: string): Promise<boolean> {
  try {
    await store.summary(id);
    return true;
  } catch (error) {
    if (!isFailure(error, 'not_found')) throw error;
  }
  // A run in the trash must be able to come back under its name.
  return (await store.trashed()).some((row) => row.id === id);
}

const baseOf = (name: string): string => name.replace(/\.json$/, '');
const wantedId = (name: string): string => baseOf(name.slice(name.lastIndexOf('/') + 1));

/** The name that a run had: its file's, as stores call them, or where that says something else, the one recorded in it. */
function nameFor(name: string, recorded: string | undefined): string {
  const wanted = wantedId(name);
  return !isNewRunId(wanted) && recorded !== undefined && isNewRunId(recorded) ? recorded : wanted;
}

/** Why nothing was taken. That a run never began tells its owner something, but nobody who brings a file. */
function noRun(failure: Failure | undefined): Failure {
  if (failure !== undefined && failure.code !== 'empty' && failure.code !== 'no_meta') return failure;
  return new Failure({
    code: failure?.code ?? 'empty',
    message: 'This is no journal: it does not begin with the record that every run begins with.',
    kept: 'Nothing of it was taken.',
    todo: 'Choose a journal, a folder of journals, or a zip that Holdfast exported.',
  });
}

function checkKind(bytes: Uint8Array): void {
  const start = Buffer.from(bytes.subarray(0, 200)).toString('utf8');
  if (start.includes(`"format":"${RUN_EXPORT_FORMAT}"`))
    throw new Failure({
      code: 'unsupported',
      message: 'This is a run exported to be read by programs; a run cannot be made from it again.',
      kept: 'Nothing of it was taken.',
      todo: 'Export the run as a journal or a zip, and import that.',
    });
}

interface Beside {
  notes: SidecarEntry[];
  bound: boolean;
  catalogue: CatalogueEntry;
  texts: { name: string; text: string }[];
}

/** What lies beside a journal. Nothing in it is needed, so what cannot be read is left out. */
async function besideIt(tree: Tree, name: string, sha256: string): Promise<Beside> {
  const base = baseOf(name);
  const folder = name.slice(0, name.lastIndexOf('/') + 1);
  const names = new Set(tree.files.map((file) => file.name));
  const text = async (file: string): Promise<string> =>
    names.has(file)
      ? Buffer.from(await tree.read(file, { most: BESIDE }).catch(() => new Uint8Array())).toString('utf8')
      : '';
  const sidecar = base === name ? '' : await text(`${base}.aux.jsonl`);
  const { entries, bound } = readSidecar(linesIn(sidecar), sha256);
  // What came from elsewhere proves nothing here, also where this machine wrote it once.
  const notes = entries.filter(({ kind }) => kind !== 'bind' && kind !== 'own').map(unsigned);
  const wanted = new Set(notes.flatMap((entry) => (entry.kind === 'clip' ? [entry.file] : [])));
  const texts: Beside['texts'] = [];
  let room = BESIDE_ALL;
  for (const file of wanted) {
    if (!names.has(`${base}.files/${file}`) || room <= 0) continue;
    const kept = await text(`${base}.files/${file}`);
    room -= kept.length;
    texts.push({ name: file, text: kept });
  }
  const id = wantedId(name);
  const shared = await labelsOfFolder(tree, folder, () => text(`${folder}.catalogue.jsonl`));
  const own = base === name ? '' : await text(`${base}.catalogue.jsonl`);
  const labels = new Map([[id, shared.get(id) ?? {}]]);
  return { notes, bound, catalogue: labelsIn(own, labels).get(id) ?? {}, texts };
}

function unsigned(entry: SidecarEntry): SidecarEntry {
  if (!('mac' in entry)) return entry;
  const { mac: _mac, ...rest } = entry;
  return rest as SidecarEntry;
}

/** The labels of each folder of a tree, which are read once for all its runs. */
const folderLabels = new WeakMap<Tree, Map<string, Promise<Map<string, CatalogueEntry>>>>();

function labelsOfFolder(tree: Tree, folder: string, read: () => Promise<string>) {
  let known = folderLabels.get(tree);
  if (!known) folderLabels.set(tree, (known = new Map()));
  let labels = known.get(folder);
  if (!labels) known.set(folder, (labels = read().then(labelsIn)));
  return labels;
}
