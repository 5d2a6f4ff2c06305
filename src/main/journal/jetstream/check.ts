import { headers } from 'nats';
import { asFailure } from '../../../shared/run/failure';
import type { FailureInfo } from '../../../shared/run/failure';
import type { NatsAddress } from './address';
import { addressOf, readStream, serverOf } from './bind';
import type { NatsOptions } from './bind';
import { addCommand, judgeStream, mendCommand } from './config';
import type { StreamJudgement } from './config';
import { takeLink } from './dial';
import { apiFailure } from './failures';
import type { Link } from './link';
import { hasTailFence, isFragile } from './server';
import { Subjects } from './subjects';

const ANSWER_MS = 5_000;

/** One step of a connection test. */
export interface NatsCheck {
  name:
    | 'address'
    | 'connection'
    | 'server'
    | 'stream'
    | 'settings'
    | 'writing'
    | 'fence'
    | 'delete'
    | 'durability';
  outcome: 'ok' | 'caution' | 'failed';
  /** What was found, for a person. */
  text: string;
  /** A `nats` line that mends it. */
  command?: string;
}

/**
 * Tries a store step by step, for the window's test button and for support. Stops at the first step that leaves nothing
 * to check. Never throws, changes nothing.
 */
export async function checkNats(url: string, options: NatsOptions = {}): Promise<NatsCheck[]> {
  const checks: NatsCheck[] = [];
  const failed = (name: NatsCheck['name'], { message, todo, data }: FailureInfo): NatsCheck[] => [
    ...checks,
    {
      name,
      outcome: 'failed',
      text: todo ? `${message} ${todo}` : message,
      ...(typeof data?.command === 'string' && { command: data.command }),
    },
  ];
  let address: NatsAddress;
  try {
    address = addressOf(url, options);
  } catch (error) {
    return failed('address', asFailure(error));
  }
  let taken: Awaited<ReturnType<typeof takeLink>>;
  try {
    taken = await takeLink(address);
  } catch (error) {
    return failed('connection', asFailure(error));
  }
  const { link, release } = taken;
  try {
    checks.push({ name: 'connection', outcome: 'ok', text: `Connected to ${serverOf(address)}.` });
    checks.push(serverCheck(link.version));
    const { config } = await readStream(link, address);
    checks.push({ name: 'stream', outcome: 'ok', text: `The stream "${address.stream}" is there.` });
    const judgement = judgeStream(config, link.version);
    checks.push(...settingChecks(judgement, address));
    if (judgement.problems.length === 0 && judgement.prefix !== undefined)
      checks.push(await writingCheck(link, judgement.prefix));
    checks.push(...otherChecks(judgement, link.version, address));
    return checks;
  } catch (error) {
    return failed('stream', asFailure(error));
  } finally {
    await release();
  }
}

const serverCheck = (version: string): NatsCheck =>
  isFragile(version)
    ? {
        name: 'server',
        outcome: 'caution',
        text: `nats-server ${version} can lose whole streams when it is killed; update it.`,
      }
    : { name: 'server', outcome: 'ok', text: `nats-server ${version}.` };

/** Whether the account may publish: what is sent is meant for no stream, so the server refuses to keep it. */
async function writingCheck(link: Link, prefix: string): Promise<NatsCheck> {
  const lines = headers();
  lines.append('Nats-Expected-Stream', '-');
  try {
    await link.ask(new Subjects(prefix).claim('test', 0), Buffer.from('?'), lines, ANSWER_MS);
    return { name: 'writing', outcome: 'ok', text: 'The account may write.' };
  } catch (error) {
    const { message, todo } = apiFailure('take a record', error);
    return { name: 'writing', outcome: 'failed', text: [message, todo].filter(Boolean).join(' ') };
  }
}

function settingChecks({ problems, prefix }: StreamJudgement, address: NatsAddress): NatsCheck[] {
  const server = serverOf(address);
  const checks: NatsCheck[] = problems.map((problem) => ({
    name: 'settings',
    outcome: 'failed',
    text: `${problem.setting}: ${problem.text}.`,
    command: mendCommand(server, address.stream, [problem]),
  }));
  if (problems.length === 0)
    checks.push({
      name: 'settings',
      outcome: 'ok',
      text: `Every setting is safe; runs are kept below "${prefix}".`,
    });
  else if (problems.every((problem) => problem.flag !== undefined) && problems.length > 1)
    checks.push({
      name: 'settings',
      outcome: 'failed',
      text: 'All of it at once can be mended with one command.',
      command: mendCommand(server, address.stream, problems),
    });
  return checks;
}

function otherChecks(
  { cautions, keepsAll, replicas }: StreamJudgement,
  version: string,
  address: NatsAddress,
): NatsCheck[] {
  return [
    hasTailFence(version)
      ? { name: 'fence', outcome: 'ok', text: 'The server fences each run by its last record.' }
      : {
          name: 'fence',
          outcome: 'caution',
          text: `nats-server ${version} fences single records only. No two writers ever mix, but after a run is deleted a writer that was cut off can leave records without a beginning; they are shown. Servers from 2.12.2 (or 2.11.11) on prevent that.`,
        },
    keepsAll === undefined
      ? { name: 'delete', outcome: 'ok', text: 'Runs can be deleted.' }
      : {
          name: 'delete',
          outcome: 'caution',
          text: keepsAll,
          command: addCommand(serverOf(address), `${address.stream}_HOLDFAST`),
        },
    {
      name: 'durability',
      outcome: replicas > 1 && cautions.length === 1 ? 'ok' : 'caution',
      text: cautions.join(' '),
    },
  ];
}
