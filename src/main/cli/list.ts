import { titleFrom } from '../../shared/text/title';
import { runStatus } from '../../shared/run/status';
import { asFailure } from '../../shared/run/failure';
import type { RunStore, RunSummary } from '../journal/journal';
import { EXIT, exitOfFailure } from './exit';
import type { ExitCode } from './exit';
import { withStore } from './flags';
import type { Cli, CommonFlags } from './flags';
import { clipped, columns, jsonLine, oneLine } from './text';

/** `ls` */
export function listCommand(cli: Cli, flags: CommonFlags & { trash?: boolean }): Promise<ExitCode> {
  return withStore(cli, flags, async (store) => {
    const rows = flags.trash ? await store.trashed() : await store.list();
    rows.sort((a, b) => b.updated.getTime() - a.updated.getTime() || (a.id < b.id ? -1 : 1));
    if (flags.json)
      for (const row of rows) await cli.screen.out(`${jsonLine({ ...row, status: runStatus(row) })}\n`);
    else if (rows.length > 0) await cli.screen.out(`${table(rows)}\n`);
    else cli.screen.err(flags.trash ? 'the trash is empty\n' : 'no runs yet\n');
    return EXIT.ok;
  });
}

const table = (rows: RunSummary[]): string =>
  columns([
    ['RUN', 'STATUS', 'UPDATED', 'MODEL', 'WHAT'],
    ...rows.map((row) => [
      row.id,
      runStatus(row),
      localTime(row.updated),
      oneLine(row.catalogue.model ?? row.model ?? '-'),
      about(row),
    ]),
  ]);

function about(row: RunSummary): string {
  if (row.failure) return clipped(row.failure.message, 100);
  return clipped(
    (row.catalogue.title ?? titleFrom(row.prompt ?? '')).trim().split(/\r\n?|\n/, 1)[0] ?? '',
    60,
  );
}

/** `2026-07-20 09:08`, in the time of this machine. */
function localTime(time: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}`;
}

/** `rm ID…` */
export const removeCommand = (
  cli: Cli,
  ids: string[],
  flags: CommonFlags & { purge?: boolean },
): Promise<ExitCode> =>
  forEach(cli, ids, flags, async (store, id) => {
    if (flags.purge) await store.purge(id);
    else await store.trash(id);
    return flags.purge ? 'deleted' : 'moved to the trash';
  });

/** `restore ID…` */
export const restoreCommand = (cli: Cli, ids: string[], flags: CommonFlags): Promise<ExitCode> =>
  forEach(cli, ids, flags, async (store, id) => {
    await store.restore(id);
    return 'restored';
  });

/** Does one thing to each run. One that fails does not stop the others; its code is the command's. */
function forEach(
  cli: Cli,
  ids: string[],
  flags: CommonFlags,
  act: (store: RunStore, id: string) => Promise<string>,
): Promise<ExitCode> {
  return withStore(cli, flags, async (store) => {
    let exit: ExitCode = EXIT.ok;
    for (const id of ids) {
      try {
        const done = await act(store, id);
        await cli.screen.out(flags.json ? `${jsonLine({ id, done })}\n` : `${id} ${done}\n`);
      } catch (error) {
        const failure = asFailure(error);
        exit = exitOfFailure(failure);
        cli.screen.err(`holdfast: ${oneLine(id)}: ${oneLine(failure.message)}\n`);
        for (const text of [failure.kept, failure.todo]) if (text) cli.screen.err(`  ${oneLine(text)}\n`);
        if (flags.json) await cli.screen.out(`${jsonLine({ id, failure })}\n`);
      }
    }
    return exit;
  });
}
