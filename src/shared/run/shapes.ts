import type { Field, Shape } from './shape';

/** The shapes of format v3, in the order in which the reference writes their fields. */
const scalar = (kind: 'string' | 'bool' | 'int' | 'uint' | 'bytes' | 'time' | 'raw'): Shape => ({ kind });
const always = (name: string, shape: Shape): Field => ({ name, shape });
const optional = (name: string, shape: Shape): Field => ({ name, shape, optional: true });
const struct = (...fields: Field[]): Shape => ({ kind: 'struct', fields });
const pointer = (to: Shape): Shape => ({ kind: 'pointer', to });

const string = scalar('string');
const int = scalar('int');

const fingerprint = struct(
  always('provider', string),
  always('model', string),
  always('system_hash', string),
  always('tools_hash', string),
  always('thinking_mode', string),
  always('max_tokens', int),
  always('max_iterations', int),
);

const toolResult = struct(
  always('tool_use_id', string),
  always('content', string),
  optional('is_error', scalar('bool')),
);

const block = struct(
  optional('text', pointer(struct(always('text', string)))),
  optional('thinking', pointer(struct(optional('text', string), optional('signature', scalar('bytes'))))),
  optional(
    'tool_use',
    pointer(struct(always('id', string), always('name', string), always('input', scalar('raw')))),
  ),
  optional('tool_result', pointer(toolResult)),
  optional('provider', pointer(struct(always('kind', string), always('raw', scalar('raw'))))),
);

const message = struct(always('role', string), always('content', { kind: 'list', of: block }));

export const RECORD_SHAPE: Shape = struct(
  always('seq', scalar('uint')),
  always('protocol', string),
  optional(
    'meta',
    pointer(
      struct(
        always('version', int),
        always('run_id', string),
        always('created', scalar('time')),
        always('fingerprint', fingerprint),
        always('prompt', string),
        optional('interactive', scalar('bool')),
      ),
    ),
  ),
  optional(
    'assistant',
    pointer(
      struct(
        always('iteration', int),
        always('message', message),
        optional('stop_reason', string),
        always('in_tokens', int),
        always('out_tokens', int),
        optional('cache_read_tokens', int),
        optional('cache_create_tokens', int),
      ),
    ),
  ),
  optional('user', pointer(struct(always('message', message)))),
  optional(
    'tool_result',
    pointer(
      struct(always('tool_use_id', string), always('result', toolResult), optional('remote', scalar('bool'))),
    ),
  ),
  optional('terminal', pointer(struct(always('reason', string), optional('message', string)))),
);
