import { lstat, open } from 'node:fs/promises';
import { constants } from 'node:fs';
import { posix } from 'node:path';
import { asFailure, Failure, isFailure } from '../../../shared/run/failure';
import type { RunStore } from '../../journal/journal';
import { MANIFEST, ZIP_FORMAT } from '../export/zip';
import { checkWeight } from './budget';
import { importOne } from './one';
import type { Candidate } from './one';
import { fileTree, folderTree } from './tree';
import type { Tree } from './tree';
import type { ImportOptions, ImportReport, ImportSource } from './types';
import { zipTree } from './zip-tree';

export type { Imported, ImportOptions, ImportProgress, ImportReport, ImportSource } from './types';
export { stagedTree } from './tree';
export { zipTree } from './zip-tree';

const ZIP_START = 'PK';
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
/** Bytes of the list of what a zip of ours has. */
const LARGEST_MANIFEST = 64 * 1024 * 1024;

/** As `importFrom`, by paths. */
export const importRuns = (
  store: RunStore,
  paths: readonly string[],
  options: ImportOptions,
): Promise<ImportReport> =>
  importFrom(
    store,
    paths.map((path) => ({ label: path, open: () => treeAt(path) })),
    options,
  );

/**
 * Takes runs in: journal files, folders of them, zips. Nothing that is there is overwritten: a run whose name is taken
 * gets a new one. What cannot be taken stands in the report with its reason, and stops nothing else. Never throws for
 * what it reads.
 */
export async function importFrom(
  store: RunStore,
  sources: readonly ImportSource[],
  options: ImportOptions,
): Promise<ImportReport> {
  const report: ImportReport = { imported: 0, failed: 0, files: [], cancelled: false };
  const failed = (source: string, failure: Failure): void => {
    report.failed++;
    report.files.push({ outcome: 'failed', source, failure: failure.toJSON() });
  };
  for (const { label, open: openTree } of sources) {
    let tree: Tree | undefined;
    try {
      tree = await openTree();
      for (const { name, failure } of tree.refused) failed(within(label, name), failure);
      const candidates = await candidatesOf(tree, label);
      if (candidates.length === 0 && tree.refused.length === 0) throw nothingIn();
      for (const [done, candidate] of candidates.entries()) {
        if (options.signal?.aborted) return { ...report, cancelled: true };
        options.onProgress?.({ source: candidate.source, done, total: candidates.length });
        try {
          report.files.push(await importOne(store, candidate, options));
          report.imported++;
        } catch (error) {
          if (isFailure(error, 'cancelled')) return { ...report, cancelled: true };
          failed(candidate.source, asFailure(error));
        }
      }
    } catch (error) {
      failed(label, asFailure(error));
    } finally {
      tree?.close();
    }
  }
  return report;
}

const within = (label: string, name: string): string => (label === '' ? name : `${label}: ${name}`);

async function treeAt(path: string): Promise<Tree> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => error.code ?? 'unknown');
  if (typeof found === 'string')
    throw new Failure({
      code: found === 'ENOENT' ? 'not_found' : 'io',
      message:
        found === 'ENOENT' ? `There is no file or folder "${path}".` : `"${path}" cannot be read (${found}).`,
      todo: 'Check the path.',
    });
  if (found.isSymbolicLink())
    throw new Failure({
      code: 'io',
      message: `"${path}" is a link, and an import follows none.`,
      kept: 'Nothing was imported.',
      todo: 'Name the file or folder that it leads to.',
    });
  if (found.isDirectory()) return folderTree(path);
  if (!found.isFile()) throw new Failure({ code: 'io', message: `"${path}" is no file.` });
  return (await isZip(path)) ? zipTree(path) : fileTree(path);
}

/** By its first bytes; never by its name. `io` where it cannot be read. */
export const isZip = async (path: string): Promise<boolean> => (await beginning(path)) === ZIP_START;

async function beginning(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | NO_FOLLOW);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(ZIP_START.length), 0, ZIP_START.length, 0);
    return buffer.subarray(0, bytesRead).toString('latin1');
  } finally {
    await file.close();
  }
}

/** Everything in a tree that could be a run. */
async function candidatesOf(tree: Tree, path: string): Promise<Candidate[]> {
  const manifest = await manifestOf(tree);
  // A file that was named itself is a journal whatever it is called.
  if (tree.main !== undefined) return [{ tree, name: tree.main, source: path }];
  return tree.files
    .filter(({ name }) => isJournalName(name) || (tree.given?.has(name) === true && !isCompanion(name)))
    .map(({ name }) => ({ tree, name, source: within(path, name), sha256: manifest.get(name) }));
}

function isJournalName(name: string): boolean {
  const base = posix.basename(name);
  // Pages for programs, not journals.
  return (
    base.endsWith('.json') && base !== MANIFEST && !base.endsWith('.state.json') && !/\.files\//.test(name)
  );
}

/** What lies beside a journal, and is read with it. */
const isCompanion = (name: string): boolean =>
  /(\.aux\.jsonl|\.catalogue\.jsonl|\.lock|\.partial|\.queue|\.began)$/.test(name) || name === MANIFEST;

/** Hashes of the journals of a zip of ours, by their names. */
async function manifestOf(tree: Tree): Promise<Map<string, string>> {
  const hashes = new Map<string, string>();
  if (!tree.files.some(({ name }) => name === MANIFEST)) return hashes;
  try {
    const bytes = await tree.read(MANIFEST, { most: LARGEST_MANIFEST });
    await checkWeight(MANIFEST, bytes);
    const manifest = JSON.parse(Buffer.from(bytes).toString('utf8')) as {
      format?: unknown;
      runs?: { journal?: { path?: unknown; sha256?: unknown } }[];
    };
    if (manifest.format !== ZIP_FORMAT) return hashes;
    for (const { journal } of manifest.runs ?? [])
      if (typeof journal?.path === 'string' && typeof journal.sha256 === 'string')
        hashes.set(journal.path, journal.sha256);
  } catch {
    // Journals speak for themselves.
  }
  return hashes;
}

const nothingIn = (): Failure =>
  new Failure({
    code: 'not_found',
    message: 'There is no run in it.',
    todo: 'Name a journal, a folder of journals, or a zip that Holdfast exported.',
  });
