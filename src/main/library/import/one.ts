import { createHash } from 'node:crypto';
import { Failure, isFailure } from '../../../shared/run/failure';
import { catalogueEntry } from '../../../shared/run/sidecar';
import type { CatalogueEntry, SidecarEntry } from '../../../shared/run/sidecar';
import { RUN_ID } from '../../journal/journal';
import type { RunStore } from '../../journal/journal';
import type { RunParcel } from '../../journal/parcel';
import { readRunGently } from '../../journal/read';
import { refuseForeign } from './kind';
import { metaSha256, readSidecar } from '../../journal/sidecar';
import { RUN_EXPORT_FORMAT } from '../export/json';
import { schemaProblems } from '../schemas';
import { firstWords } from '../words';
import type { Tree } from './tree';
import type { Imported, ImportOptions } from './types';

type Taken = Extract<Imported, { outcome: 'imported' }>;

const MOST_TRIES = 5;
const MOST_SCHEMA_PROBLEMS = 5;

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
  const bytes = await tree.read(name);
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
    title: catalogue.title ?? firstWords(folded.state.prompt),
    records: lines.length,
    bytes: kept,
    dropped: Math.max(0, bytes.length - kept),
    notes: beside.notes.length,
    texts: texts.length,
    warnings: reading.warnings,
    schema,
  };
}

/** Where records differ from the published schemas. */
const differences = (lines: readonly Uint8Array[], places: readonly { line: number }[]): Taken['schema'] =>
  lines
    .flatMap((line, n) =>
      schemaProblems(Buffer.from(line).toString('utf8')).map((message) => ({
        line: places[n]?.line ?? n + 1,
        message,
      })),
    )
    .slice(0, MOST_SCHEMA_PROBLEMS);

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
  let id = RUN_ID.test(wanted) && !(await isTaken(store, wanted)) ? wanted : newId();
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
  return !RUN_ID.test(wanted) && recorded !== undefined && RUN_ID.test(recorded) ? recorded : wanted;
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
    names.has(file) ? Buffer.from(await tree.read(file).catch(() => new Uint8Array())).toString('utf8') : '';
  const sidecar = base === name ? '' : await text(`${base}.aux.jsonl`);
  const { entries, bound } = readSidecar(sidecar.split('\n'), sha256);
  // What came from elsewhere proves nothing here, also where this machine wrote it once.
  const notes = entries.filter(({ kind }) => kind !== 'bind' && kind !== 'own').map(unsigned);
  const wanted = new Set(notes.flatMap((entry) => (entry.kind === 'clip' ? [entry.file] : [])));
  const texts: Beside['texts'] = [];
  for (const file of wanted)
    if (names.has(`${base}.files/${file}`))
      texts.push({ name: file, text: await text(`${base}.files/${file}`) });
  const labels = [
    await text(`${folder}.catalogue.jsonl`),
    base === name ? '' : await text(`${base}.catalogue.jsonl`),
  ];
  return { notes, bound, catalogue: labelsOf(labels.join('\n'), wantedId(name)), texts };
}

function unsigned(entry: SidecarEntry): SidecarEntry {
  if (!('mac' in entry)) return entry;
  const { mac: _mac, ...rest } = entry;
  return rest as SidecarEntry;
}

function labelsOf(text: string, id: string): CatalogueEntry {
  let labels: CatalogueEntry = {};
  for (const line of text.split('\n')) {
    try {
      const entry = JSON.parse(line) as { id?: unknown; set?: unknown; unset?: unknown; gone?: unknown };
      if (entry.id !== id) continue;
      if (entry.gone === true) labels = {};
      const set = catalogueEntry.safeParse(entry.set ?? {});
      if (set.success) labels = { ...labels, ...set.data };
      const unset = new Set(Array.isArray(entry.unset) ? entry.unset : []);
      // What was accepted elsewhere is not taken over.
      delete labels.model;
      labels = Object.fromEntries(Object.entries(labels).filter(([key]) => !unset.has(key)));
    } catch {
      // A torn or unknown line.
    }
  }
  return labels;
}
