import type { NatsConnection } from 'nats';

type Setting = (config: Record<string, unknown>, value: string) => void;
const text =
  (key: string): Setting =>
  (config, value) =>
    void (config[key] = value);
const whole =
  (key: string): Setting =>
  (config, value) =>
    void (config[key] = Number(value));
/** A duration as the tool reads it, in nanoseconds; -1 and 0s are none. */
const duration =
  (key: string): Setting =>
  (config, value) => {
    const parts = /^(\d+)([smh])$/.exec(value);
    if (parts === null && value !== '-1') throw new Error(`no duration: ${value}`);
    config[key] =
      parts === null ? 0 : Number(parts[1]) * { s: 1e9, m: 60e9, h: 3_600e9 }[parts[2] as 's' | 'm' | 'h'];
  };
const flag =
  (key: string, on: boolean): Setting =>
  (config) =>
    void (config[key] = on);

/** What each flag of `nats stream add` and `edit` does to a configuration. */
const FLAGS: Record<string, Setting> = {
  subjects: (config, value) => void (config.subjects = value.split(',')),
  storage: text('storage'),
  retention: text('retention'),
  discard: text('discard'),
  replicas: whole('num_replicas'),
  'discard-per-subject': flag('discard_new_per_subject', true),
  'max-msgs-per-subject': whole('max_msgs_per_subject'),
  'max-age': duration('max_age'),
  'max-msgs': whole('max_msgs'),
  'max-bytes': whole('max_bytes'),
  'max-msg-size': whole('max_msg_size'),
  'dupe-window': duration('duplicate_window'),
  ack: flag('no_ack', false),
  'allow-direct': flag('allow_direct', true),
  'no-allow-rollup': flag('allow_rollup_hdrs', false),
  'no-deny-delete': flag('deny_delete', false),
  'no-deny-purge': flag('deny_purge', false),
  'no-transform': (config) => void delete config.subject_transform,
  defaults: () => undefined,
  force: () => undefined,
};

/** Splits a line as a shell does, as far as our commands need it. */
const words = (line: string): string[] =>
  [...line.matchAll(/(?:'[^']*'|[^\s'])+/g)].map(([word]) => word.replace(/'/g, ''));

/**
 * Does what the `nats` tool does with one of the command lines that Holdfast suggests, through JetStream's own API.
 * A flag that the tool does not have is an error.
 */
export async function runNatsCommand(connection: NatsConnection, line: string): Promise<string> {
  const [tool, server, stream, verb, name, ...flags] = words(line);
  if (tool !== 'nats' || !server?.startsWith('--server=') || stream !== 'stream' || !name)
    throw new Error(`no command of the nats tool: ${line}`);
  const change: Record<string, unknown> = {};
  for (const one of flags) {
    const [, key = '', value = ''] = /^--([^=]+)(?:=(.*))?$/.exec(one) ?? [];
    const set = FLAGS[key];
    if (set === undefined) throw new Error(`the nats tool has no flag ${one}`);
    set(change, value);
  }
  const ask = async (what: string, body?: unknown): Promise<Record<string, unknown>> => {
    const reply = await connection.request(
      `$JS.API.STREAM.${what}.${name}`,
      body ? JSON.stringify(body) : '',
    );
    const answer = reply.json<{ error?: { description: string }; config: Record<string, unknown> }>();
    if (answer.error) throw new Error(`${line}: ${answer.error.description}`);
    return answer.config;
  };
  if (verb === 'add') {
    if (!flags.includes('--defaults')) throw new Error('the tool would ask questions');
    await ask('CREATE', { ...change, name });
  } else if (verb === 'edit') {
    if (!flags.includes('--force')) throw new Error('the tool would ask questions');
    const merged = { ...(await ask('INFO')), ...change };
    if (flags.includes('--no-transform')) delete merged.subject_transform;
    await ask('UPDATE', merged);
  } else throw new Error(`no verb of ours: ${verb}`);
  return name;
}
