import { basename } from 'node:path';
import type { CommandInput, CommandOutput } from '../../../shared/contract/contract';
import type { ExportFormat } from '../../../shared/contract/moving';
import { runKey, splitKey } from '../../../shared/contract/run-key';
import { Failure, isFailure } from '../../../shared/run/failure';
import { safeFileName } from '../../library/export/names';
import { redactor } from '../../library/export/redact';
import { localDay } from '../../library/words';
import { Jobs, type Job, type JobsOptions } from './jobs';
import { ENDINGS, intoFolder, type Place, type Places } from './places';
import { exportView, importView } from './reports';
import type { Mover, RunAt } from './tasks';
import { Upload } from './upload';
import type { Workshop } from './workshop';

export interface MovingOptions extends JobsOptions {
  mover: Mover;
  places: Places;
  workshop: Workshop;
  /** What a run is called, for the name of its file. Throws the store's Failures. */
  title(key: string): Promise<string>;
  /** Values that this person's settings and environment know to be secret. */
  secrets(): Promise<string[]>;
  /** Whether a single line end in an answer is a line break. */
  breaks(): boolean;
  /** Runs came into a store. */
  onArrived(keys: string[]): Promise<void>;
}

interface Incoming {
  job: Job;
  upload: Upload;
  folder: string;
  store: string;
}

/** Exports and imports, for the window. */
export class MovingDesk {
  readonly #jobs: Jobs;
  readonly #incoming = new Map<string, Incoming>();
  readonly #wrote = new Map<string, string>();
  readonly #working = new Set<Promise<void>>();

  constructor(private readonly options: MovingOptions) {
    this.#jobs = new Jobs(options);
    options.workshop.tidy();
  }

  jobs = () => this.#jobs.all();

  async prepare(ids: readonly string[], format: ExportFormat): Promise<CommandOutput<'export.prepare'>> {
    const [first = ''] = ids;
    const folder = this.options.places.start;
    const name =
      ids.length === 1
        ? await this.options.title(first)
        : `Holdfast, ${ids.length} runs, ${localDay(new Date())}`;
    return {
      // A key that was pasted into a first message has no place in the name of a file.
      name: safeFileName(redactor([])(name)),
      ending: intoFolder(format, ids.length) ? '' : ENDINGS[format],
      ...(folder !== undefined && { folder }),
    };
  }

  /** Gives the job at once; what comes of it is told. */
  async export({ ids, format, options, to }: CommandInput<'export.start'>): Promise<string> {
    if (format === 'journal' && options.redact)
      throw new Failure({
        code: 'bad_request',
        message: 'A journal is exported byte for byte, so nothing can be taken out of it.',
        kept: 'Nothing was written.',
        todo: 'Choose Markdown, web page or JSON to have secrets taken out.',
      });
    const runs = [...new Set(ids)].map((key): RunAt => ({ key, ...splitKey(key) }));
    const many = intoFolder(format, runs.length);
    const { places, workshop, mover } = this.options;
    const place =
      'place' in to ? places.take(to.place, many) : await places.below(to.folder, to.name, format, many);
    const secrets = options.redact ? await this.options.secrets() : undefined;
    const job = this.#jobs.begin('export', { total: runs.length });
    const folder = workshop.make();
    const { tools, thinking, attachments, intact } = options;
    this.#work(
      mover
        .run<'export'>(
          {
            kind: 'export',
            runs,
            format,
            out: place.path,
            overwrite: place.overwrite,
            tools,
            thinking,
            breaks: this.options.breaks(),
            attachments,
            ...(intact && { intact }),
            ...(secrets && { secrets }),
            ledger: workshop.ledger(folder),
          },
          { signal: job.signal, onProgress: (progress) => job.change(progress) },
        )
        .then((report) => {
          const at = many ? place.path : (report.files[0] ?? place.path);
          this.#wrote.set(job.id, report.files[0] ?? place.path);
          job.end({
            state: 'done',
            done: runs.length,
            bytes: report.bytes,
            exported: exportView(report, at),
          });
        })
        .catch((error: unknown) => job.fail(withFree(error, place, format)))
        .finally(() => workshop.leave(folder)),
    );
    return job.id;
  }

  async beginImport(store: string, files: CommandInput<'import.begin'>['files']): Promise<Job> {
    const folder = this.options.workshop.make();
    let upload: Upload;
    let job: Job;
    try {
      upload = await Upload.begin(folder, files);
      job = this.#jobs.begin('import', { state: 'receiving', total: files.length, size: upload.size });
    } catch (error) {
      this.options.workshop.leave(folder);
      throw error;
    }
    this.#incoming.set(job.id, { job, upload, folder, store });
    job.signal.addEventListener('abort', () => void this.#drop(job.id));
    return job;
  }

  async chunk({ job: id, file, offset, data }: CommandInput<'import.chunk'>): Promise<void> {
    const { job, upload } = this.#receiving(id);
    try {
      await upload.put(file, offset, data);
    } catch (error) {
      job.fail(error);
      await this.#drop(id);
      throw error;
    }
    job.change({ bytes: upload.got, now: basename(upload.files[file]?.name ?? '') });
  }

  /** All is here: it is taken in. */
  async endImport(id: string): Promise<void> {
    const { job, upload, folder, store } = this.#receiving(id);
    this.#incoming.delete(id);
    const { workshop, mover } = this.options;
    try {
      await upload.end();
    } catch (error) {
      job.fail(error);
      workshop.leave(folder);
      throw error;
    }
    job.change({ state: 'running', bytes: upload.got, now: '' });
    this.#work(
      mover
        .run<'import'>(
          {
            kind: 'import',
            store,
            files: upload.files.map(({ name, path, size }) => ({ name, path, size })),
          },
          { signal: job.signal, onProgress: ({ done, total, now }) => job.change({ done, total, now }) },
        )
        .then((report) => {
          const imported = importView(report, store);
          const arrived = this.options.onArrived(
            report.files.flatMap((file) => (file.outcome === 'imported' ? [runKey(store, file.id)] : [])),
          );
          // What cannot be refreshed is read when it is listed.
          arrived.catch(() => undefined);
          job.end({
            state: report.cancelled ? 'cancelled' : 'done',
            done: report.files.length,
            total: report.files.length,
            imported,
          });
        })
        .catch((error: unknown) => job.fail(error))
        .finally(() => workshop.leave(folder)),
    );
  }

  cancel = (id: string): boolean => this.#jobs.cancel(id);
  forget(id: string): boolean {
    this.#wrote.delete(id);
    return this.#jobs.forget(id);
  }

  /** The file that an export wrote first. `not_found`. */
  wrote(id: string): string {
    const path = this.#wrote.get(id);
    if (path !== undefined) return path;
    throw new Failure({ code: 'not_found', message: 'There is no such export any more.' });
  }

  /** Stops what is at work; nothing half-written stays. */
  async close(): Promise<void> {
    this.#jobs.close();
    await Promise.allSettled([...this.#incoming.keys()].map((id) => this.#drop(id)));
    await Promise.allSettled(this.#working);
    await this.options.mover.close();
  }

  #work(task: Promise<void>): void {
    this.#working.add(task);
    void task.finally(() => this.#working.delete(task));
  }

  #receiving(id: string): Incoming {
    const incoming = this.#incoming.get(id);
    if (incoming) return incoming;
    throw new Failure({
      code: 'not_found',
      message: 'This import was stopped, or is from before Holdfast was started again.',
      kept: 'Nothing was taken in.',
      todo: 'Import the files again.',
    });
  }

  async #drop(id: string): Promise<void> {
    const incoming = this.#incoming.get(id);
    this.#incoming.delete(id);
    if (!incoming) return;
    incoming.job.fail(
      new Failure({ code: 'cancelled', message: 'The import was stopped.', kept: 'Nothing was taken in.' }),
    );
    await incoming.upload.close().catch(() => undefined);
    this.options.workshop.leave(incoming.folder);
  }
}

/** A taken name is told with one that is free, as far as that can be known. */
function withFree(error: unknown, place: Place, format: ExportFormat): unknown {
  if (!isFailure(error, 'exists')) return error;
  const name = basename(place.path);
  const ending = ENDINGS[format];
  return new Failure({
    ...error.toJSON(),
    todo: 'Save it under another name.',
    data: { ...error.data, name: name.endsWith(ending) ? name.slice(0, -ending.length) : name },
  });
}
