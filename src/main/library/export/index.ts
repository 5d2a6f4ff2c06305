import { rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { asFailure, Failure, isFailure } from '../../../shared/run/failure';
import type { RunStore } from '../../journal/journal';
import { cancelled, checkFree, writeFileWhole } from './file-out';
import { titleOf } from './head';
import { named, numbered, safeFileName } from './names';
import type { NamedRun } from './names';
import { ENDING, render, reportOf } from './run';
import { redactor } from './redact';
import { exactBytes, intactPart, readSource } from './source';
import type { ExportSource } from './source';
import type { ExportFormat, ExportOptions, ExportReport, RunToExport } from './types';
import { exportZip } from './zip';

export type {
  ExportFormat,
  ExportOptions,
  ExportProgress,
  ExportReport,
  ExportedRun,
  RunToExport,
} from './types';

/** As `exportAll`, for runs of one store. */
export const exportRuns = (
  store: RunStore,
  ids: readonly string[],
  options: ExportOptions,
): Promise<ExportReport> =>
  exportAll(
    ids.map((id) => ({ store, id })),
    options,
  );

/**
 * Writes runs out, from their journals. One bad run does not stop the others: it stands in `failed`. Each file is there
 * whole or not at all, and a run's files are all there or none.
 *
 * @throws Failure `bad_request` for what cannot be asked for, `cancelled`, and for a zip or a single run whatever kept it
 *   from being written (`exists`, `no_space`, `io`, `not_found`, …)
 */
export async function exportAll(runs: readonly RunToExport[], options: ExportOptions): Promise<ExportReport> {
  const wanted = named(runs);
  if (wanted.length === 0) throw bad('There is no run to export.', 'Name at least one.');
  if (options.format === 'journal' && options.secrets)
    throw bad(
      'A journal is exported byte for byte, so nothing can be taken out of it.',
      'Export it as Markdown, HTML or JSON to have secrets taken out.',
    );
  if (options.format === 'zip') return exportZip(wanted, options);
  const report: ExportReport = { format: options.format, runs: [], failed: [], files: [], bytes: 0 };
  const many = wanted.length > 1 || (await isFolder(options.out)) || /[/\\]$/.test(options.out);
  const place = { many, total: wanted.length, format: options.format, cleared: new Set<string>() };
  for (const run of wanted) {
    tell(run.key, place.total, options, report);
    try {
      await exportOne(run, place, options, report);
    } catch (error) {
      if (wanted.length === 1 || isFailure(error, 'cancelled')) throw error;
      report.failed.push({ id: run.key, failure: asFailure(error).toJSON() });
    }
  }
  return report;
}

interface Where {
  many: boolean;
  total: number;
  cleared: Set<string>;
  format: Exclude<ExportFormat, 'zip'>;
}

function tell(id: string, total: number, options: ExportOptions, report: ExportReport): void {
  const done = report.runs.length + report.failed.length;
  options.onProgress?.({ id, done, total, bytes: report.bytes });
}

/** Names that are tried where one is taken. */
const MOST_NAMES = 1000;

async function exportOne(
  run: NamedRun,
  where: Where,
  options: ExportOptions,
  report: ExportReport,
): Promise<void> {
  if (options.signal?.aborted) throw cancelled();
  const whole = await readSource(run.store, run.id, run.unread).catch((error: unknown) => {
    // What is too large to be read still has its bytes.
    if (isFailure(error, 'too_large') && where.format === 'journal' && !options.intact) return error;
    throw error;
  });
  if (whole instanceof Failure) return exportExact(run, whole, where, options, report);
  const source = options.intact ? intactPart(whole) : whole;
  if (!where.many || !options.byTitle)
    return writeRun(
      run,
      source,
      where.many ? join(options.out, `${run.name}${ENDING[where.format]}`) : options.out,
      where,
      options,
      report,
    );
  // A secret must not leave in the name of a file either.
  const title = safeFileName(redactor(options.secrets)(titleOf(source)));
  for (let n = 1; ; n++) {
    const main = join(options.out, `${numbered(title, n)}${ENDING[where.format]}`);
    try {
      return await writeRun(run, source, main, where, options, report);
    } catch (error) {
      if (n >= MOST_NAMES || !isFailure(error, 'exists')) throw error;
    }
  }
}

/** The exact bytes of a journal that can't be read as a whole, piece by piece, without what lies beside it. */
async function exportExact(
  { store, id, key, name }: NamedRun,
  damage: Failure,
  { many, total, cleared, format }: Where,
  options: ExportOptions,
  report: ExportReport,
): Promise<void> {
  const path = many ? join(options.out, `${name}${ENDING[format]}`) : options.out;
  await writeFileWhole(path, exactBytes(store, id), {
    overwrite: options.overwrite,
    signal: options.signal,
    onPart: options.onPart,
    cleared,
    onBytes: (bytes) => {
      report.bytes += bytes;
      tell(key, total, options, report);
    },
  });
  const nothing = { records: 0, calls: 0, results: 0 };
  report.files.push(path);
  report.runs.push({
    id: key,
    title: name,
    files: [path],
    found: nothing,
    written: nothing,
    complete: true,
    redacted: 0,
    missingTexts: [],
    damage: damage.toJSON(),
    remarks: [
      'This run is too large to be looked into: its exact bytes were written, and nothing was counted.',
    ],
  });
}

async function writeRun(
  { key }: NamedRun,
  source: ExportSource,
  main: string,
  { format, total, cleared }: Where,
  options: ExportOptions,
  report: ExportReport,
): Promise<void> {
  const ending = ENDING[format];
  const [folder, file] = [dirname(resolve(main)), basename(main)];
  const base = file.endsWith(ending) ? file.slice(0, -ending.length) : file.replace(/\.[^.]*$/, '') || file;
  const rendering = render(source, format, base, file, options, options.now?.() ?? new Date());
  const [first, ...beside] = rendering.files;
  if (first === undefined) return;
  const write = async (name: string, chunks: Iterable<string | Uint8Array>): Promise<string> => {
    const path = join(folder, name);
    await writeFileWhole(path, chunks, {
      overwrite: options.overwrite,
      signal: options.signal,
      onPart: options.onPart,
      cleared,
      onBytes: (bytes) => {
        report.bytes += bytes;
        tell(key, total, options, report);
      },
    });
    return path;
  };
  // The name that was asked for is the one to be told of, where it is taken.
  if (!options.overwrite) await checkFree(join(folder, file));
  const files: string[] = [];
  try {
    // The file that was asked for comes last: where it is, everything beside it is too.
    for (const { name, chunks } of beside) files.push(await write(name, chunks));
    files.unshift(await write(format === 'journal' ? file : first.name, first.chunks));
  } catch (error) {
    if (!options.overwrite) for (const path of files) await rm(path, { force: true }).catch(() => undefined);
    throw error;
  }
  report.files.push(...files);
  report.runs.push(await reportOf(rendering, files, key));
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

const bad = (message: string, todo: string): Failure =>
  new Failure({ code: 'bad_request', message, kept: 'Nothing was written.', todo });
