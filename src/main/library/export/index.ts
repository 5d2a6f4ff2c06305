import { stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { asFailure, Failure, isFailure } from '../../../shared/run/failure';
import type { RunStore } from '../../journal/journal';
import { cancelled, writeFileWhole } from './file-out';
import { ENDING, render, reportOf } from './run';
import { readSource } from './source';
import type { ExportOptions, ExportReport } from './types';
import { exportZip } from './zip';

export { EXPORT_FORMATS } from './types';
export type { ExportFormat, ExportOptions, ExportProgress, ExportReport, ExportedRun } from './types';

/**
 * Writes runs out, from their journals. One bad run does not stop the others: it stands in `failed`. Each file is there
 * whole or not at all.
 *
 * @throws Failure `bad_request` for what cannot be asked for, `cancelled`, and for a zip or a single run whatever kept it
 *   from being written (`exists`, `no_space`, `io`, `not_found`, …)
 */
export async function exportRuns(
  store: RunStore,
  ids: readonly string[],
  options: ExportOptions,
): Promise<ExportReport> {
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) throw bad('There is no run to export.', 'Name at least one.');
  if (options.format === 'journal' && options.secrets)
    throw bad(
      'A journal is exported byte for byte, so nothing can be taken out of it.',
      'Export it as Markdown, HTML or JSON to have secrets taken out.',
    );
  if (options.format === 'zip') return exportZip(store, wanted, options);
  const report: ExportReport = { format: options.format, runs: [], failed: [], files: [], bytes: 0 };
  const folder = await isFolder(options.out);
  const many = wanted.length > 1 || folder || /[/\\]$/.test(options.out);
  for (const id of wanted) {
    options.onProgress?.({
      id,
      done: report.runs.length + report.failed.length,
      total: wanted.length,
      bytes: report.bytes,
    });
    try {
      await exportOne(store, id, many, options, report);
    } catch (error) {
      if (wanted.length === 1 || isFailure(error, 'cancelled')) throw error;
      report.failed.push({ id, failure: asFailure(error).toJSON() });
    }
  }
  return report;
}

async function exportOne(
  store: RunStore,
  id: string,
  many: boolean,
  options: ExportOptions & { format: string },
  report: ExportReport,
): Promise<void> {
  const format = options.format;
  if (format === 'zip') return;
  if (options.signal?.aborted) throw cancelled();
  const source = await readSource(store, id);
  const ending = ENDING[format];
  const main = many ? join(options.out, `${id}${ending}`) : options.out;
  const [folder, file] = [dirname(resolve(main)), basename(main)];
  const base = file.endsWith(ending) ? file.slice(0, -ending.length) : file.replace(/\.[^.]*$/, '') || file;
  const rendering = render(source, format, base, file, options, options.now?.() ?? new Date());
  const files: string[] = [];
  for (const { name, chunks } of rendering.files) {
    const path = join(folder, name === `${base}.json` && format === 'journal' ? file : name);
    report.bytes += await writeFileWhole(path, chunks, {
      overwrite: options.overwrite,
      signal: options.signal,
    });
    files.push(path);
    options.onProgress?.({
      id,
      done: report.runs.length + report.failed.length,
      total: 0,
      bytes: report.bytes,
    });
  }
  report.files.push(...files);
  report.runs.push(await reportOf(rendering, files));
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

const bad = (message: string, todo: string): Failure =>
  new Failure({ code: 'bad_request', message, kept: 'Nothing was written.', todo });
