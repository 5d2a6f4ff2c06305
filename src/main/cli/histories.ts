import { asFailure, Failure, isFailure } from '../../shared/run/failure';
import type { RunStore } from '../journal/journal';
import { exportRuns } from '../library/export';
import type { ExportedRun, ExportFormat, ExportReport } from '../library/export';
import { forkRun } from '../library/fork';
import { importRuns } from '../library/import';
import type { Imported } from '../library/import';
import { planRepair, repairRun } from '../library/repair';
import type { RepairPlan } from '../library/repair';
import { knownSecrets } from '../model/keys';
import { describeCall } from './describe';
import { EXIT, exitOfFailure } from './exit';
import type { ExitCode } from './exit';
import { withStore } from './flags';
import type { Cli, CommonFlags } from './flags';
import { jsonLine, oneLine, plural } from './text';

export interface ExportFlags extends CommonFlags {
  format?: ExportFormat;
  out: string;
  all?: boolean;
  tools?: boolean;
  thinking?: boolean;
  redact?: boolean;
  attachments?: 'inline' | 'separate';
  overwrite?: boolean;
  intact?: boolean;
}
export interface ForkFlags extends CommonFlags {
  at?: number;
  to?: string;
}
export interface RepairFlags extends CommonFlags {
  yes?: boolean;
  inside?: boolean;
}

/** `export ID…` */
export function exportCommand(cli: Cli, ids: string[], flags: ExportFlags): Promise<ExitCode> {
  return interruptible((signal) =>
    withStore(cli, flags, async (store) => {
      const {
        tools = true,
        thinking = true,
        attachments = 'inline',
        overwrite = false,
        intact = false,
      } = flags;
      const report = await exportRuns(store, flags.all ? await allRuns(store) : ids, {
        format: flags.format ?? formatOf(flags.out),
        out: flags.out,
        tools,
        thinking,
        attachments,
        overwrite,
        intact,
        ...(flags.redact && { secrets: await secrets(cli) }),
        describe: describeCall,
        signal,
        onProgress: ({ id, done, total }) => {
          if (cli.screen.interactive && total > 1)
            cli.screen.err(`\r${done + 1} of ${total}: ${oneLine(id)}\u001b[K`);
        },
      });
      if (cli.screen.interactive && report.runs.length + report.failed.length > 1)
        cli.screen.err('\r\u001b[K');
      await tellExport(cli, flags, report);
      const only = report.runs.length === 0 ? report.failed[0] : undefined;
      if (only) return exitOfFailure(new Failure(only.failure));
      return report.failed.length > 0 || report.runs.some(({ complete }) => !complete)
        ? EXIT.failed
        : EXIT.ok;
    }),
  );
}

async function tellExport({ screen }: Cli, { json }: CommonFlags, report: ExportReport): Promise<void> {
  if (json) {
    for (const run of report.runs) await screen.out(`${jsonLine({ event: 'exported', ...run })}\n`);
    for (const one of report.failed) await screen.out(`${jsonLine({ event: 'not_exported', ...one })}\n`);
    return;
  }
  for (const run of report.runs) {
    await screen.out(`${oneLine(run.id)}: ${countText(run)}\n`);
    for (const remark of run.remarks) await screen.out(`  ${oneLine(remark)}\n`);
  }
  for (const { id, failure } of report.failed)
    screen.err(`holdfast: ${oneLine(id)} was not exported: ${oneLine(failure.message)}\n`);
  for (const file of report.files.slice(0, 20)) await screen.out(`wrote ${oneLine(file)}\n`);
  if (report.files.length > 20) await screen.out(`wrote ${report.files.length - 20} more files\n`);
}

function countText({ written, found, complete, redacted, damage }: ExportedRun): string {
  const of = (n: number, all: number, what: string) =>
    n === all ? plural(n, what) : `${n} of ${plural(all, what)}`;
  const counts = [
    of(written.records, found.records, 'record'),
    of(written.calls, found.calls, 'call'),
    of(written.results, found.results, 'result'),
  ].join(', ');
  const hidden = redacted > 0 ? `; ${plural(redacted, 'secret')} taken out` : '';
  const whole = complete ? (damage ? 'all that can be read' : 'complete') : 'NOT complete';
  return `${counts} written: ${whole}${hidden}`;
}

const ENDINGS: Record<string, ExportFormat> = {
  md: 'md',
  markdown: 'md',
  html: 'html',
  htm: 'html',
  zip: 'zip',
};

function formatOf(out: string): ExportFormat {
  const format = ENDINGS[/\.([a-z]+)$/i.exec(out)?.[1]?.toLowerCase() ?? ''];
  if (format) return format;
  throw new Failure({
    code: 'bad_request',
    message: 'The name of the output does not say in which format to write.',
    kept: 'Nothing was written.',
    todo: 'Add --format md, html, json, journal or zip.',
  });
}

const allRuns = async (store: RunStore): Promise<string[]> =>
  (await store.list()).filter(({ health }) => health !== 'new').map(({ id }) => id);

/** Values that this person's settings and environment know to be secret. */
async function secrets(cli: Cli): Promise<string[]> {
  const { loadProfiles } = await import('../settings/profiles');
  const profiles = await loadProfiles().then(
    ({ profiles: all }) => all,
    () => [],
  );
  return [...new Set([...(await cli.parts()).secrets(), ...knownSecrets(process.env, profiles)])];
}

/** `import PATH…` */
export function importCommand(cli: Cli, paths: string[], flags: CommonFlags): Promise<ExitCode> {
  return interruptible((signal) =>
    withStore(cli, flags, async (store) => {
      const { newId } = await cli.parts();
      const report = await importRuns(store, paths, { newId, signal });
      for (const file of report.files) await tellImport(cli, flags, file);
      const told = `${plural(report.imported, 'run')} imported, ${report.failed} not`;
      if (flags.json)
        await cli.screen.out(
          `${jsonLine({ event: 'import', imported: report.imported, failed: report.failed, cancelled: report.cancelled })}\n`,
        );
      else await cli.screen.out(`${told}${report.cancelled ? '; stopped' : ''}\n`);
      if (report.cancelled) return EXIT.interrupted;
      const [only] = report.files;
      if (report.imported === 0 && only?.outcome === 'failed' && report.failed === 1)
        return exitOfFailure(new Failure(only.failure));
      return report.failed > 0 ? EXIT.failed : EXIT.ok;
    }),
  );
}

async function tellImport({ screen }: Cli, { json }: CommonFlags, file: Imported): Promise<void> {
  if (json) return screen.out(`${jsonLine({ event: file.outcome, ...file })}\n`);
  if (file.outcome === 'failed') {
    screen.err(`holdfast: not imported: ${oneLine(file.source)}: ${oneLine(file.failure.message)}\n`);
    return;
  }
  const renamed = file.id === file.wanted ? '' : ` (it was ${oneLine(file.wanted)})`;
  await screen.out(`${file.id}${renamed}: ${plural(file.records, 'record')} from ${oneLine(file.source)}\n`);
  if (file.dropped > 0)
    await screen.out(`  ${plural(file.dropped, 'byte')} at its end are no record and were left out\n`);
  for (const { code, detail } of file.warnings) await screen.out(`  ${code}: ${oneLine(detail)}\n`);
  for (const { line, message } of file.schema)
    await screen.out(`  line ${line} differs from the schema: ${oneLine(message)}\n`);
}

/** `fork ID` */
export function forkCommand(cli: Cli, id: string, flags: ForkFlags): Promise<ExitCode> {
  return withStore(cli, flags, async (store) => {
    const to = flags.to === undefined ? store : await cli.store(flags.to);
    try {
      const { newId, now } = await cli.parts();
      const at = flags.at === undefined ? {} : { at: flags.at };
      const made = await forkRun(store, id, { ...at, to, newId, now });
      await cli.screen.out(flags.json ? `${jsonLine({ event: 'forked', ...made })}\n` : `${made.id}\n`);
      cli.screen.err(`${plural(made.records, 'record')} of ${oneLine(id)}, up to record ${made.through}\n`);
      return EXIT.ok;
    } finally {
      if (to !== store) await to.close();
    }
  });
}

/** `repair ID`: shows what it would cut; with `--yes`, or a person's word, it does. */
export function repairCommand(cli: Cli, id: string, flags: RepairFlags): Promise<ExitCode> {
  const { screen } = cli;
  return withStore(cli, flags, async (store) => {
    const plan = await planRepair(store, id);
    if (!flags.json) await screen.out(planText(plan));
    if (plan.kind === 'none' || plan.cuts === undefined) {
      if (flags.json) await screen.out(`${jsonLine({ event: 'plan', ...plan })}\n`);
      return plan.kind === 'none' ? EXIT.ok : EXIT.failed;
    }
    const agreed = flags.yes === true && (plan.kind === 'end' || flags.inside === true);
    if (!agreed && !(screen.interactive && !flags.json && (await asked(cli)))) {
      if (flags.json) await screen.out(`${jsonLine({ event: 'plan', ...plan })}\n`);
      screen.err(
        `  nothing was changed; --yes${plan.kind === 'inside' ? ' --inside' : ''} cuts this off, after keeping a copy of the whole\n`,
      );
      return EXIT.failed;
    }
    const done = await repairRun(store, plan, { inside: true });
    if (flags.json) await screen.out(`${jsonLine({ event: 'repaired', ...done })}\n`);
    else await screen.out(`repaired; all its bytes as they were are in ${done.backup}, beside the journal\n`);
    return EXIT.ok;
  });
}

async function asked({ screen }: Cli): Promise<boolean> {
  const answer = await screen.ask('cut this off? A copy of the whole is kept. [y/N] ');
  return answer?.trim().toLowerCase() === 'y';
}

function planText({ id, kind, failure, keeps, cuts }: RepairPlan): string {
  if (kind === 'none')
    return failure
      ? `${id}: ${oneLine(failure.message)}\n`
      : `${id}: nothing to repair (${plural(keeps.records, 'record')})\n`;
  const what = failure ? oneLine(failure.message) : 'its last line is unfinished, or no record';
  if (!cuts) return `${id}: ${what}\n  not even its first record can be read, so nothing could be kept\n`;
  return (
    [
      `${id}: ${what}`,
      `  kept: ${plural(keeps.records, 'record')}, ${plural(keeps.bytes, 'byte')}`,
      `  cut: ${plural(cuts.bytes, 'byte')} from byte ${cuts.offset} (line ${cuts.line}): ${plural(cuts.lines, 'line')}, ${cuts.readable} of which can be read`,
      `  its first ${plural(cuts.shown, 'byte')}:`,
      `    ${cuts.hex}`,
      `    ${oneLine(cuts.text)}`,
    ].join('\n') + '\n'
  );
}

/** Ctrl-C stops the work at its next step, with nothing half-done left behind. */
async function interruptible(work: (signal: AbortSignal) => Promise<ExitCode>): Promise<ExitCode> {
  const stop = new AbortController();
  const onSignal = (): void => stop.abort();
  process.once('SIGINT', onSignal);
  try {
    return await work(stop.signal);
  } catch (error) {
    if (isFailure(error, 'cancelled')) return EXIT.interrupted;
    throw asFailure(error);
  } finally {
    process.off('SIGINT', onSignal);
  }
}
