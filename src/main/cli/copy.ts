import { Failure } from '../../shared/run/failure';
import { copyRun } from '../journal/copy';
import { EXIT } from './exit';
import type { ExitCode } from './exit';
import type { Cli } from './flags';
import { jsonLine, oneLine, plural } from './text';

export interface CopyFlags {
  from?: string;
  to?: string;
  as?: string;
  json?: boolean;
}

/** `copy ID`: the run, byte for byte, into another store; compared afterwards. */
export async function copyCommand(cli: Cli, id: string, flags: CopyFlags): Promise<ExitCode> {
  if (flags.from === undefined && flags.to === undefined)
    throw new Failure({
      code: 'bad_request',
      message: 'A copy needs two stores.',
      todo: 'Name one with --from or --to; the other is your own runs folder.',
    });
  const from = await cli.store(flags.from);
  try {
    const to = await cli.store(flags.to);
    try {
      for (const { caution } of [from, to]) if (caution) cli.screen.err(`holdfast: ${oneLine(caution)}\n`);
      const report = await copyRun(from, to, id, flags.as === undefined ? {} : { as: flags.as });
      const told = { ...report, from: from.url, to: to.url };
      if (flags.json) await cli.screen.out(`${jsonLine(told)}\n`);
      else {
        cli.screen.err(
          `copied ${plural(report.records, 'record')}, ${report.bytes} bytes, to ${oneLine(to.url)}\n  sha256 ${report.sha256}, the same in both\n`,
        );
        if (report.dropped > 0)
          cli.screen.err(
            `  ${report.dropped} bytes at the end of the original are no record, and were left out\n`,
          );
        if (report.missingTexts.length > 0)
          cli.screen.err(
            `  ${plural(report.missingTexts.length, 'kept text')} could not be read any more, and went missing\n`,
          );
        await cli.screen.out(`${report.as}\n`);
      }
      return EXIT.ok;
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}
