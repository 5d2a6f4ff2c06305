import { createHash } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import yazl from 'yazl';
import { asFailure, Failure, isFailure } from '../../../shared/run/failure';
import type { FailureInfo } from '../../../shared/run/failure';
import { cancelled, writeFileWhole } from './file-out';
import { statusWords, titleOf } from './head';
import { indexOf } from './index-page';
import { journalFiles } from './journal';
import type { NamedRun } from './names';
import { render, reportOf } from './run';
import { intactPart, readSource } from './source';
import type { ExportedRun, ExportOptions, ExportReport } from './types';

export const ZIP_FORMAT = 'holdfast.runs';
export const ZIP_VERSION = 1;
export const MANIFEST = 'holdfast.json';

/** One run in the zip's manifest and on its index page. */
export interface ZippedRun {
  id: string;
  title: string;
  status: string;
  model: string;
  created: string;
  records: number;
  page: string;
  /** Absent where secrets were taken out: a journal cannot leave anything out. */
  journal?: { path: string; bytes: number; sha256: string };
}

/** Pages, journals and an index of many runs in one file, one run after another: memory holds one at a time. */
export async function exportZip(runs: readonly NamedRun[], options: ExportOptions): Promise<ExportReport> {
  const now = options.now?.() ?? new Date();
  const report: ExportReport = { format: 'zip', runs: [], failed: [], files: [options.out], bytes: 0 };
  const zip = new yazl.ZipFile();
  const out = new PassThrough();
  // Whoever reads it hears of an error; before somebody does, nobody needs to.
  out.on('error', () => undefined);
  zip.outputStream.pipe(out);
  const add = adder(zip, out, now);
  const fill = async (): Promise<void> => {
    const listed: ZippedRun[] = [];
    for (const run of runs) {
      if (options.signal?.aborted) throw cancelled();
      options.onProgress?.({
        id: run.key,
        done: report.runs.length + report.failed.length,
        total: runs.length,
        bytes: report.bytes,
      });
      try {
        const one = await addRun(run, options, add, now);
        report.runs.push(one.report);
        listed.push(one.listed);
      } catch (error) {
        if (isFailure(error, 'cancelled')) throw error;
        report.failed.push({ id: run.key, failure: asFailure(error).toJSON() });
      }
    }
    if (listed.length === 0) throw noneLeft(report.failed);
    const manifest = {
      format: ZIP_FORMAT,
      version: ZIP_VERSION,
      exported: now.toISOString(),
      runs: listed,
      failed: report.failed,
    };
    await add('index.html', indexOf(listed, report.failed, now));
    await add(MANIFEST, [`${JSON.stringify(manifest, undefined, 1)}\n`]);
    zip.end();
  };
  const filled = fill().catch((error: unknown) => {
    out.destroy(asFailure(error));
    throw error;
  });
  filled.catch(() => undefined);
  const onBytes = (bytes: number): void => void (report.bytes += bytes);
  try {
    await writeFileWhole(options.out, out, {
      overwrite: options.overwrite,
      signal: options.signal,
      onPart: options.onPart,
      onBytes,
    });
  } catch (error) {
    out.destroy();
    throw error;
  }
  await filled;
  return report;
}

type Add = (name: string, chunks: Iterable<string | Uint8Array>) => Promise<void>;

/** Adds one entry and resolves when it was read to its end, so that what made it can be let go. */
function adder(zip: yazl.ZipFile, out: PassThrough, mtime: Date): Add {
  const stopped = new Promise<never>((_, reject) => {
    out.once('close', () => reject(cancelled()));
    zip.once('error', reject);
  });
  stopped.catch(() => undefined);
  return (name, chunks) => {
    const stream = Readable.from(bytesOf(chunks), { objectMode: false });
    const read = new Promise<void>((resolve, reject) => {
      stream.once('end', resolve);
      stream.once('error', reject);
    });
    zip.addReadStream(stream, name, { mtime, mode: 0o100600 });
    return Promise.race([read, stopped]);
  };
}

function* bytesOf(chunks: Iterable<string | Uint8Array>): Generator<Buffer> {
  for (const chunk of chunks) {
    const bytes = Buffer.from(chunk as string);
    if (bytes.length > 0) yield bytes;
  }
}

async function addRun(
  { store, id, key, name: base, unread }: NamedRun,
  options: ExportOptions,
  add: Add,
  now: Date,
): Promise<{ report: ExportedRun; listed: ZippedRun }> {
  const whole = await readSource(store, id, unread);
  const source = options.intact ? intactPart(whole) : whole;
  const rendering = render(source, 'html', base, `${base}.html`, options, now);
  const page = `runs/${base}.html`;
  const files: string[] = [];
  const put: Add = async (name, chunks) => {
    await add(name, chunks);
    files.push(name);
  };
  for (const { name, chunks } of rendering.files) await put(`runs/${name}`, chunks);
  const journal = `journals/${base}.json`;
  if (!options.secrets)
    for (const { name, chunks } of journalFiles(source, base)) await put(`journals/${name}`, chunks);
  const { records, state, bytes } = source;
  return {
    report: await reportOf(rendering, files, key),
    listed: {
      id,
      title: rendering.page.clean(titleOf(source)),
      status: statusWords(source),
      model: state.fingerprint.model,
      created: records[0]?.meta?.created ?? '',
      records: records.length,
      page,
      ...(!options.secrets && {
        journal: {
          path: journal,
          bytes: bytes.length,
          sha256: createHash('sha256').update(bytes).digest('hex'),
        },
      }),
    },
  };
}

function noneLeft(failed: { id: string; failure: FailureInfo }[]): Failure {
  const [only] = failed;
  return failed.length === 1 && only
    ? new Failure(only.failure)
    : new Failure({
        code: 'io',
        message: 'None of these runs could be exported.',
        kept: 'The runs are untouched; no file was written.',
        data: { failed },
      });
}
