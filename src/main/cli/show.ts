import { existsSync } from 'node:fs';
import type { RunRecord } from '../../shared/run/record';
import type { RunState, RunWarning } from '../../shared/run/state';
import { Failure, isFailure } from '../../shared/run/failure';
import { spentOf, tokensText } from '../../shared/run/tokens';
import { transcriptLines, transcriptText } from '../../shared/run/transcript';
import { RUN_ID } from '../journal/journal';
import { readRun } from '../journal/read';
import { describeCall } from './describe';
import { EXIT } from './exit';
import type { ExitCode } from './exit';
import { bytesOf } from './files';
import { withStore } from './flags';
import type { Cli, CommonFlags } from './flags';
import { jsonLine, oneLine } from './text';

/** `show ID` or `show FILE`. A name that can be a run's is looked up in the store first. Of a damaged run: what is readable. */
export async function showCommand(cli: Cli, what: string, flags: CommonFlags): Promise<ExitCode> {
  const { bytes, writing } = await found(cli, what, flags);
  const reading = readRun(bytes);
  const { folded, failure, records, warnings } = reading;
  if (!folded) throw failure ?? new Failure({ code: 'empty', message: 'Nothing was recorded in it.' });
  if (flags.json) {
    const damage = failure && { failure };
    await cli.screen.out(`${jsonLine({ run: what, state: folded.state, warnings, ...damage })}\n`);
  } else await cli.screen.out(dumpText({ name: what, records, state: folded.state, warnings, writing }));
  if (!failure) return EXIT.ok;
  cli.screen.err(`holdfast: ${oneLine(failure.message)}\n  shown is what stands before the damage\n`);
  return EXIT.failed;
}

async function found(
  cli: Cli,
  what: string,
  flags: CommonFlags,
): Promise<{ bytes: Uint8Array; writing: boolean }> {
  if (!RUN_ID.test(what)) return { bytes: await bytesOf(what), writing: false };
  try {
    return await withStore(cli, flags, async (store) => {
      const bytes = await store.bytes(what);
      const writer = await store.writer(what).catch(() => 'none');
      return { bytes, writing: writer === 'elsewhere' || writer === 'here' };
    });
  } catch (error) {
    if (!isFailure(error, 'not_found') || !existsSync(what)) throw error;
    return { bytes: await bytesOf(what), writing: false };
  }
}

interface Shown {
  name: string;
  records: RunRecord[];
  state: RunState;
  warnings: RunWarning[];
  /** Somebody writes the run at this moment. */
  writing: boolean;
}

/** The whole run as plain text: facts, what is odd about it, and the conversation. */
function dumpText({ name, records, state, warnings, writing }: Shown): string {
  const { fingerprint, counters, terminal, pending } = state;
  const remote = counters.remote_tool_calls > 0 ? `, ${counters.remote_tool_calls} of them remote` : '';
  const facts = [
    ['run', name === state.run_id ? name : `${name} (recorded as ${state.run_id})`],
    ['kind', state.interactive ? 'chat' : 'one-shot'],
    ['model', `${fingerprint.model} (${fingerprint.provider})`],
    ['calls', `${counters.llm_calls} model, ${counters.tool_calls} tool${remote}`],
    ['tokens', tokensText(spentOf(counters))],
    [
      'end',
      terminal ? `${terminal.reason}${terminal.message ? `: ${terminal.message}` : ''}` : 'none recorded',
    ],
    ...(writing ? [['now', 'somebody is writing this run']] : []),
    ...(pending ? [['pending', 'the last answer asked for tools that are not all answered']] : []),
    ...warnings.map(({ line, detail }) => [
      'warning',
      `${line === undefined ? '' : `line ${line}: `}${detail}`,
    ]),
  ];
  const head = facts.map(([key = '', value = '']) => `${`${key}:`.padEnd(9)}${oneLine(value)}`).join('\n');
  return `${head}\n\n--- transcript ---\n\n${replayText(records, writing)}`;
}

/** The conversation as it was recorded, the turn that is still open last. */
export const replayText = (records: RunRecord[], writing = false): string =>
  transcriptText(transcriptLines(records).items, describeCall, writing);
