import { DiscardPolicy, RetentionPolicy, StorageType } from 'nats';
import type { StreamConfig } from 'nats';
import { Failure } from '../../../shared/run/failure';
import { changesRetention } from './server';

/** Smallest message size that a stream must take: a meta record with a prompt of a few lines. Bytes. */
export const RECORD_FLOOR = 4_096;

/** What a server says of a stream; newer settings than the client knows are read too. */
export type ServerConfig = Partial<StreamConfig> & {
  persist_mode?: string;
  allow_msg_counter?: boolean;
  subject_transform?: { src?: string; dest?: string } | null;
};

/** A setting with which runs would not be safe. */
export interface StreamProblem {
  setting: string;
  /** What is wrong, for a person. */
  text: string;
  /** Flag of `nats stream edit` that mends it; absent: the setting cannot be changed, the stream must be made anew. */
  flag?: string;
}

export interface StreamJudgement {
  /** Subjects stand below it; absent when it cannot be told. */
  prefix?: string;
  problems: StreamProblem[];
  /** Sentences about less than usual protection, none of them a problem. */
  cautions: string[];
  /** Why runs cannot be deleted; absent: they can. */
  keepsAll?: string;
  replicas: number;
}

const NEVER = 'it can never be changed for a stream that exists';

/** Judges the stream that the operator made on a server of this version. Nothing here asks the server. */
export function judgeStream(config: ServerConfig, version: string): StreamJudgement {
  const problems: StreamProblem[] = [];
  const wrong = (setting: string, text: string, flag?: string): void =>
    void problems.push({ setting, text, ...(flag !== undefined && { flag }) });

  const prefix = prefixOf(config, wrong);
  if (config.storage !== StorageType.File)
    wrong('storage', `it is kept in memory, so a restart of the server loses every run; ${NEVER}`);
  if (config.persist_mode === 'async')
    wrong('persist mode', `the server acknowledges records before it wrote them; ${NEVER}`);
  if (config.retention === RetentionPolicy.Interest)
    wrong(
      'retention',
      'records go as soon as every consumer has seen them ("interest"); it must be "limits"',
      changesRetention(version) ? '--retention=limits' : undefined,
    );
  else if (config.retention !== RetentionPolicy.Limits)
    wrong('retention', `records go as soon as one consumer has taken them ("work queue"); ${NEVER}`);
  if (config.max_msgs_per_subject !== 1)
    wrong(
      'messages per subject',
      'a subject must hold exactly one message, so that a record is written once',
      '--max-msgs-per-subject=1',
    );
  if (config.discard !== DiscardPolicy.New)
    wrong('discard', 'old records would make room for new ones; it must be "new"', '--discard=new');
  if (config.discard_new_per_subject !== true)
    wrong(
      'discard per subject',
      'a second message on a subject would replace the first; it must be refused',
      '--discard-per-subject',
    );
  if ((config.max_age ?? 0) > 0)
    wrong('age', 'records would go after some time; their age must not be limited', '--max-age=0s');
  const size = config.max_msg_size ?? -1;
  if (size >= 0 && size < RECORD_FLOOR)
    wrong(
      'message size',
      `messages of ${size} bytes are too small for a record; it must be unlimited or at least ${RECORD_FLOOR}`,
      '--max-msg-size=-1',
    );
  if (config.no_ack === true)
    wrong('acknowledgement', 'the server does not say whether it took a record', '--ack');
  if (config.sealed === true) wrong('sealed', `nothing can be written to it any more; ${NEVER}`);
  if (config.mirror) wrong('mirror', 'it only mirrors another stream; use the stream that it mirrors');
  if ((config.sources?.length ?? 0) > 0)
    wrong('sources', 'messages of other streams come in between; it must have no sources');
  if (config.subject_transform?.dest)
    wrong('transform', 'the server would rename the subjects of records', '--no-transform');
  if (config.allow_msg_counter === true) wrong('counter', `it counts and keeps no text; ${NEVER}`);

  return {
    ...(prefix !== undefined && { prefix }),
    problems,
    cautions: cautionsOf(config),
    ...(config.deny_purge === true && {
      keepsAll:
        'Runs cannot be deleted here: the stream forbids purging (deny_purge), and that can never be lifted.',
    }),
    replicas: config.num_replicas ?? 1,
  };
}

type Wrong = (setting: string, text: string, flag?: string) => void;

/** The one wildcard `a.b.>`; literal subjects beside it are of no concern. */
function prefixOf(config: ServerConfig, wrong: Wrong): string | undefined {
  const wild = (config.subjects ?? []).filter((subject) => /(^|\.)[*>](\.|$)/.test(subject));
  const usable = wild.filter((subject) => /^[^\s*>$_][^\s*>]*\.>$/.test(subject) && !/\.\./.test(subject));
  const name = config.name ?? 'RUNS';
  if (wild.length === 1 && usable.length === 1) return usable[0]!.slice(0, -2);
  const flag = `--subjects='${usable[0] ?? `${plain(name)}.>`}'`;
  if (wild.length === 0)
    wrong('subjects', 'it has no wildcard subject; it needs exactly one, like "runs.>"', flag);
  else if (wild.length > 1)
    wrong(
      'subjects',
      `it has ${wild.length} wildcard subjects (${wild.join(', ')}); it needs exactly one, like "runs.>"`,
      flag,
    );
  else
    wrong(
      'subjects',
      `its wildcard subject "${wild[0]}" is not of the form "runs.>", some words and one ">"`,
      flag,
    );
  return undefined;
}

const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9_-]/g, '_');

function cautionsOf(config: ServerConfig): string[] {
  const cautions: string[] = [];
  const replicas = config.num_replicas ?? 1;
  cautions.push(
    replicas === 1
      ? 'One replica: records are acknowledged by NATS when one server has them. They survive its crash; a power loss may take the last of them unless its sync_interval is "always".'
      : `${replicas} replicas: records are acknowledged by NATS when most of ${replicas} servers have them. They survive the loss of one server; a power loss of all may take the last of them unless sync_interval is "always".`,
  );
  if (config.republish)
    cautions.push(`Every record is also published on "${config.republish.dest}", to whoever listens there.`);
  if ((config.max_consumers ?? -1) > 0)
    cautions.push(
      `The stream allows only ${config.max_consumers} consumers at once, and every reader needs one for a moment.`,
    );
  return cautions;
}

const quoted = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text}'`);

/** A line for the `nats` tool that makes a stream which passes every check. */
export function addCommand(server: string, name: string, prefix = plain(name)): string {
  return [
    `nats --server=${server} stream add ${quoted(name)}`,
    `--subjects='${prefix}.>'`,
    '--storage=file --replicas=1 --retention=limits',
    '--discard=new --discard-per-subject --max-msgs-per-subject=1',
    '--max-age=-1 --max-msgs=-1 --max-bytes=-1 --max-msg-size=-1 --dupe-window=2m',
    '--no-allow-rollup --no-deny-delete --no-deny-purge --allow-direct --defaults',
  ].join(' ');
}

/** A line for the `nats` tool that mends all that can be mended in the stream that is there. */
export const editCommand = (server: string, name: string, flags: string[]): string =>
  `nats --server=${server} stream edit ${quoted(name)} ${flags.join(' ')} --force`;

/** The command that mends these problems. What cannot be changed asks for another stream under another name. */
export function mendCommand(server: string, name: string, problems: StreamProblem[]): string {
  const flags = problems.map((problem) => problem.flag);
  return flags.every((flag) => flag !== undefined)
    ? editCommand(server, name, flags)
    : addCommand(server, `${name}_HOLDFAST`);
}

export const missingStream = (server: string, name: string): Failure =>
  new Failure({
    code: 'store_config',
    message: `The NATS server has no stream "${name}". Holdfast uses a stream that you make, and never makes one itself.`,
    todo: `Make it with: ${addCommand(server, name)}`,
    data: { stream: name, command: addCommand(server, name) },
  });

export function wrongStream(server: string, name: string, problems: StreamProblem[]): Failure {
  const command = mendCommand(server, name, problems);
  const anew = problems.some((problem) => problem.flag === undefined);
  return new Failure({
    code: 'store_config',
    message: `The stream "${name}" would not keep runs safely: ${problems
      .map((problem) => `${problem.setting}: ${problem.text}`)
      .join('; ')}.`,
    kept: 'Nothing was changed in the stream.',
    todo: anew ? `Make another stream for runs with: ${command}` : `Mend it with: ${command}`,
    data: { stream: name, command, settings: problems.map((problem) => problem.setting) },
  });
}
