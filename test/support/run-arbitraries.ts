import fc from 'fast-check';
import { rawJson } from '../../src/shared/run/codec';
import { goJson } from '../../src/shared/run/json';
import { bytesBase64 } from '../../src/shared/run/gotypes';
import { PROTOCOL } from '../../src/shared/run/record';
import type {
  Block,
  Fingerprint,
  Message,
  RawJson,
  Role,
  RunRecord,
  ToolResultBlock,
} from '../../src/shared/run/record';

/** Random records and journals for property tests. All are lawful unless a name says otherwise. */

const TRICKY = [
  '<',
  '>',
  '&',
  '"',
  '\\',
  '\n',
  '\u0000',
  '\b',
  '\f',
  '\u007f',
  '\u2028',
  '\u2029',
  'é',
  '🎈',
  '\ufffd',
];

/** Text without lone surrogates, with a liking for what needs escaping. */
export const someText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({ unit: fc.constantFrom(...TRICKY, 'a', ' ', '\\ud83d'), maxLength: 10 }),
  fc.constantFrom('', ' ', '\n\t', 'plain words', '{"a":"b"}', '\\', '\\\\', '\\"', 'x\\'),
);
const filled = someText.map((text) => text || 'x');

/** JSON texts that parse-and-print would change. */
export const rawTexts = [
  '{}',
  'null',
  '[]',
  '"\\ud83d"',
  '1.0',
  '1e3',
  '-0',
  '9007199254740993',
  '{"limit":1.50,"10":"\\u003cx\\u003e","2":"<","big":9007199254740993}',
  '{"k":1,"k":2}',
  ' { "a" : [ 1 , 2.50 ] ,\n"b\\"c": "d e" } ',
  '{"\u2028":"&"}',
];
export const someRaw: fc.Arbitrary<RawJson> = fc
  .oneof(
    fc.constantFrom(...rawTexts),
    fc.json({ maxDepth: 3 }),
    fc.jsonValue({ maxDepth: 3 }).map((value) => goJson(value)),
  )
  .map((text) => rawJson(text));
const someInput = fc.oneof({ weight: 3, arbitrary: fc.constant('{}' as RawJson) }, someRaw);

const signature = fc.uint8Array({ minLength: 1, maxLength: 9 }).map((bytes) => bytesBase64([...bytes]));

const thinking = fc.record({ text: filled, signature }, { requiredKeys: [] });
const plainBlock: fc.Arbitrary<Block> = fc.oneof(
  someText.map((text): Block => ({ text: { text } })),
  thinking.map((one): Block => ({ thinking: one })),
  fc
    .record({ kind: fc.constantFrom('redacted_thinking', 'server_tool_use', 'x'), raw: someRaw })
    .map((provider): Block => ({ provider })),
);
const call = (ids: fc.Arbitrary<string>): fc.Arbitrary<Block> =>
  fc.record({ id: ids, name: filled, input: someInput }).map((tool_use): Block => ({ tool_use }));
const result = (ids: fc.Arbitrary<string>): fc.Arbitrary<ToolResultBlock> =>
  fc.record(
    { tool_use_id: ids, content: someText, is_error: fc.constant(true) },
    { requiredKeys: ['tool_use_id', 'content'] },
  );

const fewIds = fc.constantFrom('a', 'b', 'c', 'a.b', 'a:b', '');
const anyBlock = fc.oneof(
  plainBlock,
  call(fewIds),
  result(fewIds).map((tool_result): Block => ({ tool_result })),
  fc.constant<Block>({}),
);
const list = (blocks: fc.Arbitrary<Block>): fc.Arbitrary<Block[] | null> =>
  fc.option(fc.array(blocks, { maxLength: 4 }), { freq: 6 });
const message = (role: fc.Arbitrary<Role>, blocks: fc.Arbitrary<Block>): fc.Arbitrary<Message> =>
  fc.record({ role, content: list(blocks) });

const count = fc.oneof(fc.nat(20), fc.maxSafeNat());
const some = count.map((n) => n + 1).filter(Number.isSafeInteger);

export const someFingerprint: fc.Arbitrary<Fingerprint> = fc.record({
  provider: someText,
  model: someText,
  system_hash: someText,
  tools_hash: someText,
  thinking_mode: someText,
  max_tokens: count,
  max_iterations: count,
});

const two = (n: number): string => String(n).padStart(2, '0');
const someTime = fc
  .record({
    day: fc.integer({ min: 1, max: 28 }),
    hour: fc.nat(23),
    nano: fc.nat(999_999_999),
    offset: fc.nat(1439),
  })
  .map(({ day, hour, nano, offset }) => {
    const fraction = nano === 0 ? '' : `.${String(nano).padStart(9, '0').replace(/0+$/, '')}`;
    const zone = offset === 0 ? 'Z' : `-${two(Math.floor(offset / 60))}:${two(offset % 60)}`;
    return `2026-02-${two(day)}T${two(hour)}:05:06${fraction}${zone}`;
  });

/** One record of any kind in the form in which records are kept; not part of any lawful journal. */
export const someRecord: fc.Arbitrary<RunRecord> = fc.oneof(
  fc
    .record(
      {
        version: fc.nat(9),
        run_id: someText,
        created: someTime,
        fingerprint: someFingerprint,
        prompt: someText,
        interactive: fc.constant(true as const),
      },
      { requiredKeys: ['version', 'run_id', 'created', 'fingerprint', 'prompt'] },
    )
    .map((meta) => ({ seq: 1, protocol: PROTOCOL.meta, meta })),
  fc.record({
    seq: some,
    protocol: fc.constant(PROTOCOL.assistant),
    assistant: fc.record(
      {
        iteration: count,
        message: message(fc.constantFrom('assistant', 'user'), anyBlock),
        stop_reason: filled,
        in_tokens: count,
        out_tokens: count,
        cache_read_tokens: some,
        cache_create_tokens: some,
      },
      { requiredKeys: ['iteration', 'message', 'in_tokens', 'out_tokens'] },
    ),
  }),
  fc.record({
    seq: some,
    protocol: fc.constant(PROTOCOL.user),
    user: fc.record({ message: message(fc.constantFrom('user', 'assistant'), anyBlock) }),
  }),
  fc.record({
    seq: some,
    protocol: fc.constant(PROTOCOL.tool_result),
    tool_result: fc.record(
      { tool_use_id: someText, result: result(someText), remote: fc.constant(true as const) },
      { requiredKeys: ['tool_use_id', 'result'] },
    ),
  }),
  fc.record({
    seq: some,
    protocol: fc.constant(PROTOCOL.terminal),
    terminal: fc.record({ reason: someText, message: filled }, { requiredKeys: ['reason'] }),
  }),
);

const STOPS = ['end_turn', 'tool_use', 'max_tokens', 'pause_turn', 'refusal', 'odd'];

type Step = (seq: number, open: boolean) => RunRecord | undefined;
const step: fc.Arbitrary<Step> = fc.oneof(
  fc
    .record({
      message: message(fc.constant('assistant'), fc.oneof(plainBlock, call(fewIds))),
      stop: fc.constantFrom(...STOPS),
    })
    .map(({ message, stop }): Step => (seq) => ({
      seq,
      protocol: PROTOCOL.assistant,
      assistant: { iteration: seq, message, stop_reason: stop, in_tokens: 1, out_tokens: 2 },
    })),
  fc
    .record({ message: message(fc.constantFrom('assistant', 'user'), anyBlock) })
    .map(({ message }): Step => (seq) => ({
      seq,
      protocol: PROTOCOL.assistant,
      assistant: { iteration: seq, message, in_tokens: 1, out_tokens: 2 },
    })),
  message(fc.constantFrom('user', 'user', 'user', 'assistant'), fc.oneof(plainBlock, anyBlock)).map(
    (message): Step =>
      (seq) => ({ seq, protocol: PROTOCOL.user, user: { message } }),
  ),
  ...[0, 1].map(() =>
    fc.record({ id: fewIds, result: result(fewIds), remote: fc.boolean(), same: fc.nat(9) }).map(
      ({ id, result, remote, same }): Step =>
        (seq, open) =>
          open
            ? {
                seq,
                protocol: PROTOCOL.tool_result,
                tool_result: {
                  tool_use_id: id,
                  result: same > 0 ? { ...result, tool_use_id: id } : result,
                  ...(remote && { remote }),
                },
              }
            : undefined,
    ),
  ),
  fc
    .constantFrom('suspended', 'error', 'completed')
    .map((reason): Step => (seq) => ({ seq, protocol: PROTOCOL.terminal, terminal: { reason } })),
);

/** A journal that folds, however oddly it goes: orphans, doubles, unanswered turns, empty and null content, odd roles, gaps. */
export const someJournal: fc.Arbitrary<RunRecord[]> = fc
  .record({
    prompt: someText,
    chat: fc.boolean(),
    steps: fc.array(fc.tuple(step, fc.integer({ min: 1, max: 8 })), { maxLength: 14 }),
  })
  .map(({ prompt, chat, steps }) => {
    const print = { provider: 'p', model: 'm', system_hash: 's', tools_hash: 't', thinking_mode: 'off' };
    const records: RunRecord[] = [
      {
        seq: 1,
        protocol: PROTOCOL.meta,
        meta: {
          version: 3,
          run_id: 'r',
          created: '2026-07-20T09:08:07Z',
          fingerprint: { ...print, max_tokens: 0, max_iterations: 50 },
          prompt,
          ...(chat && { interactive: true }),
        },
      },
    ];
    let open = false;
    let seq = 1;
    for (const [make, gap] of steps) {
      const record = make(seq + (gap === 8 ? 3 : 1), open);
      if (!record) continue;
      if (record.assistant) open = true;
      if (record.user) open = false;
      seq = record.seq;
      records.push(record);
    }
    return records;
  });
