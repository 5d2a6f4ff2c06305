import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { networkFetch } from '../../../src/main/model/http';
import { toWire } from '../../../src/main/agent/wire';
import { chatBody } from '../../../src/main/model/openai/body';
import { habitsOf } from '../../../src/main/model/openai/service';
import { ChatReader } from '../../../src/main/model/openai/stream';
import { ThinkTags } from '../../../src/main/model/openai/think';
import { readProblem } from '../../../src/main/model/problem';
import { endpointOf } from '../../../src/main/model/endpoint';
import type { Where } from '../../../src/main/model/errors';
import type { ModelTurn } from '../../../src/main/model/model';
import type { Block, Message, RawJson } from '../../../src/shared/run/record';
import { failureOf } from '../../support/wait';

const where: Where = {
  host: 'h',
  model: 'm',
  local: false,
  keyVariable: undefined,
  key: { saved: false },
  secrets: [],
};
const fixture = (name: string) =>
  readFileSync(new URL(`../../fixtures/faults/${name}`, import.meta.url), 'utf8');

function turnOf(chunks: readonly object[], end = true): ModelTurn {
  const reader = new ChatReader(where, []);
  for (const chunk of chunks) reader.push({ event: '', data: JSON.stringify(chunk) });
  if (end) reader.push({ event: '', data: '[DONE]' });
  return reader.turn();
}
const chunksOf = (name: string): object[] =>
  fixture(name)
    .split('\n')
    .flatMap((line) => (/^data: \{/.test(line) ? [JSON.parse(line.slice(6)) as object] : []));
const said = (content: unknown, finish: string | null = null) => ({
  choices: [{ index: 0, delta: { content }, finish_reason: finish }],
});
const stop = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
const words = (content: readonly Block[], kind: 'text' | 'thinking') =>
  content.map((block) => block[kind]?.text ?? '').join('');

/** Cuts a text at any places. */
const pieces = (text: string, cuts: readonly number[]): string[] => {
  const places = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b);
  return [...places, text.length].map((end, n) => text.slice(places[n - 1] ?? 0, end));
};
const bodyOf = (message: Message) =>
  JSON.parse(
    chatBody(
      {
        model: 'm',
        system: [],
        tools: [],
        messages: [
          { role: 'user', content: [{ text: { text: 'hi' } }] },
          message,
          { role: 'user', content: [{ text: { text: 'more' } }] },
        ],
        thinking: 'off',
        maxOutputTokens: 10,
        timeoutMs: 1,
        chat: true,
        iteration: 1,
      },
      {
        ...habitsOf(endpointOf({ provider: 'openai', endpoint: 'http://127.0.0.1:1/v1' }), 'm'),
        echo: 'always',
      },
    ),
  ) as { messages: { content: string }[] };

describe('thinking between tags', () => {
  it('is thinking, kept as it came, and not sent back', () => {
    const { content } = turnOf(chunksOf('m-think.sse'));
    expect(content).toEqual([
      { thinking: { text: '<think>\nThe user greets me.\n</think>' } },
      { text: { text: '\n\nHello' } },
    ]);
    expect(JSON.stringify(bodyOf({ role: 'assistant', content }))).not.toContain('greets');
  });

  it('is the same wherever the pieces are cut, and nothing is lost', () => {
    const inner = fc.stringMatching(/^[a-z <>/\n]{0,30}$/).filter((text) => !/<\/think/i.test(text));
    fc.assert(
      fc.property(
        fc.constantFrom('think', 'thinking', 'THINK', 'Think'),
        fc.constantFrom('', '\n', '  '),
        inner,
        fc.constantFrom('', 'Hello', '\n\nHello </think> <think>x', '<thin'),
        fc.array(fc.nat(200), { maxLength: 12 }),
        (tag, before, thought, answer, cuts) => {
          const thinking = `${before}<${tag}>${thought}</${tag}>`;
          const { content } = turnOf([...pieces(thinking + answer, cuts).map((text) => said(text)), stop]);
          expect(words(content, 'thinking')).toBe(thinking);
          expect(words(content, 'text')).toBe(answer);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('is only what stands at the beginning, closed', () => {
    const text = fc.oneof(
      fc.string(),
      fc.constantFrom('<thinker>', '<th', 'Use <think>x</think>', '<think>never closed', '<'),
    );
    fc.assert(
      fc.property(
        text.filter((one) => one !== '' && !/^\s*<think(ing)?>.*<\/think/is.test(one)),
        fc.array(fc.nat(60)),
        (one, cuts) => {
          const { content } = turnOf([...pieces(one, cuts).map((piece) => said(piece)), stop]);
          expect(words(content, 'text')).toBe(one);
          expect(words(content, 'thinking')).toBe('');
        },
      ),
      { numRuns: 300 },
    );
    // Cut off in the middle of it.
    const { content } = turnOf([said('<think>half a th'), said('', 'length')]);
    expect(content).toEqual([{ thinking: { text: '<think>half a th' } }]);
    expect(new ThinkTags().end()).toEqual([]);
  });
});

describe('parts of unknown kinds', () => {
  it('are kept as they came and fail no answer', () => {
    const { content } = turnOf(chunksOf('m-mistral-reference.sse'));
    expect(content).toEqual([
      { text: { text: 'Paris is the capital of France.' } },
      { provider: { kind: 'reference', raw: '{"type":"reference","reference_ids":[1]}' } },
    ]);
    expect(bodyOf({ role: 'assistant', content }).messages[1]?.content).toBe(
      'Paris is the capital of France.',
    );
    const part = fc.record({
      type: fc.oneof(fc.string(), fc.constantFrom('image_url', 'reasoning_details', 'redacted_thinking', '')),
      x: fc.jsonValue(),
    });
    fc.assert(
      fc.property(part, fc.boolean(), (unknown, listed) => {
        fc.pre(!['thinking', 'reasoning', 'refusal', 'text', 'output_text'].includes(unknown.type));
        const made = turnOf([
          said('a'),
          said(listed ? [unknown] : unknown),
          said([{ type: 'text', text: 'b' }], 'stop'),
        ]);
        expect(words(made.content, 'text')).toBe('ab');
        const kept = made.content.find((block) => block.provider)?.provider;
        expect(JSON.parse(kept?.raw ?? 'null')).toEqual(JSON.parse(JSON.stringify(unknown)));
        expect(['reasoning_details', 'redacted_thinking', 'tool_call_extra']).not.toContain(kept?.kind);
      }),
      { numRuns: 200 },
    );
  });
});

describe('images, audio and annotations beside an answer', () => {
  it('are kept as they came, in their order, each once, and fail no answer', () => {
    const field = fc.record({
      name: fc.constantFrom('images', 'audio', 'annotations'),
      value: fc.oneof(
        fc.array(fc.record({ type: fc.string(), x: fc.jsonValue() }), { minLength: 1, maxLength: 3 }),
        fc.record({ id: fc.string(), data: fc.string() }),
      ),
    });
    fc.assert(
      fc.property(fc.array(field, { minLength: 1, maxLength: 4 }), fc.boolean(), (fields, closes) => {
        const beside = fields.map(({ name, value }) => ({
          choices: [{ index: 0, delta: { content: 'a', [name]: value }, finish_reason: null }],
        }));
        const again = {
          choices: [
            {
              index: 0,
              message: { content: '', [fields[0]!.name]: fields[0]!.value },
              finish_reason: 'stop',
            },
          ],
        };
        const { content } = turnOf([...beside, closes ? again : stop]);
        expect(words(content, 'text')).toBe('a'.repeat(fields.length));
        expect(
          content.flatMap(({ provider }) => (provider ? [[provider.kind, JSON.parse(provider.raw)]] : [])),
        ).toEqual(fields.map(({ name, value }) => [name, JSON.parse(JSON.stringify(value))]));
      }),
      { numRuns: 200 },
    );
  });
});

describe('a closing chunk that has the whole message again', () => {
  it('adds nothing, in any shape and wherever the answer was cut', () => {
    fc.assert(
      fc.property(
        fc
          .string({ minLength: 20, maxLength: 80 })
          .filter((text) => text.trim().length > 16 && !text.trimStart().startsWith('<')),
        fc.array(fc.nat(80), { minLength: 1 }),
        fc.constantFrom('delta', 'message'),
        fc.boolean(),
        (text, cuts, key, trimmed) => {
          const all = [...pieces(text, cuts).map((piece) => said(piece))];
          const again = {
            choices: [
              {
                index: 0,
                [key]: { role: 'assistant', content: trimmed ? text.trim() : text },
                finish_reason: 'stop',
              },
            ],
          };
          expect(words(turnOf([...all, again]).content, 'text')).toBe(text);
        },
      ),
      { numRuns: 200 },
    );
    // A word that is said twice.
    expect(words(turnOf([said('ha'), said('ha', 'stop')]).content, 'text')).toBe('haha');
    expect(words(turnOf([said('Hello'), said(' you', 'stop')]).content, 'text')).toBe('Hello you');
  });
});

describe('ids of tool calls', () => {
  it('go back to chat completions as they came, each once, and plain to others', () => {
    const [block] = turnOf(chunksOf('m-kimi-id.sse')).content;
    expect(block?.tool_use?.id).toBe('functions.list_files:0');
    const id = fc.oneof(
      fc.string({ minLength: 1 }),
      fc.constantFrom('functions.x:0', 'call|1', 'a b', 'é', '🙂', 'x'.repeat(200)),
    );
    fc.assert(
      fc.property(fc.uniqueArray(id, { minLength: 1, maxLength: 5 }), (ids) => {
        const messages: Message[] = [
          { role: 'user', content: [{ text: { text: 'go' } }] },
          {
            role: 'assistant',
            content: ids.map((one) => ({ tool_use: { id: one, name: 't', input: '{}' as RawJson } })),
          },
          { role: 'user', content: ids.map((one) => ({ tool_result: { tool_use_id: one, content: 'ok' } })) },
        ];
        const asked = (how: 'plain' | 'as_recorded') =>
          toWire({ messages }, [], how).flatMap(({ content }) =>
            (content ?? []).flatMap(
              ({ tool_use: use, tool_result: result }) => use?.id ?? result?.tool_use_id ?? [],
            ),
          );
        expect(asked('as_recorded')).toEqual([...ids, ...ids]);
        for (const one of asked('plain')) expect(one).toMatch(/^[a-zA-Z0-9_-]+$/);
      }),
      { numRuns: 200 },
    );
  });
});

describe('an error in the middle or behind the end of an answer', () => {
  it.each(['o.made.error-after-stop.sse', 'o.made.error-with-choices.sse'])('is told: %s', (name) => {
    expect(() => turnOf(chunksOf(name))).toThrow('Upstream provider lost');
  });
});

describe('the reason of a refusal', () => {
  it('is told from wherever gateways put it, once', () => {
    const told = readProblem(JSON.parse(fixture('m-openrouter-raw.http400.json'))).message;
    expect(told).toBe('Provider returned error: mock-1 supports at most 1 image per prompt');
    const why = 'too many pears';
    const inner = { error: { message: why } };
    for (const error of [
      { message: 'Bad', metadata: { raw: JSON.stringify(inner) } },
      { message: 'Bad', metadata: { raw: inner } },
      { message: 'Bad', metadata: { raw: why } },
      { message: 'Bad', metadata: { reason: why } },
      { message: 'Bad', metadata: { reasons: [why] } },
      { message: 'Bad', details: [{ message: why }] },
      { message: 'Bad', details: why },
      { message: 'Bad', innererror: { message: why } },
      { message: 'Bad', error: { message: why } },
      { message: 'Bad', errors: [{ message: why }] },
      { message: 'Bad', cause: inner },
      { message: 'Bad', body: JSON.stringify({ detail: why }) },
    ])
      expect(readProblem({ error }).message, JSON.stringify(error)).toBe(`Bad: ${why}`);
    expect(readProblem({ error: { message: why, metadata: { raw: JSON.stringify(inner) } } }).message).toBe(
      why,
    );
  });
});

describe('a proxy of a kind that cannot be used', () => {
  it('is said by its name, and only where a call would go through it', async () => {
    for (const [name, address] of [
      ['ALL_PROXY', 'socks4://127.0.0.1:1'],
      ['all_proxy', 'ftp://127.0.0.1:1'],
      ['HTTPS_PROXY', 'pac+http://127.0.0.1:1'],
    ] as const) {
      const env = { [name]: address, NO_PROXY: 'inside.test' };
      const failure = await failureOf(networkFetch(env)('https://outside.test/'));
      expect(failure.message).toContain(
        `${name.toUpperCase()} names a proxy of the kind ${address.split(':')[0]}`,
      );
      for (const url of [
        'http://127.0.0.1:1/',
        'http://localhost:1/',
        'http://[::1]:1/',
        'http://a.inside.test:1/',
      ])
        await expect(networkFetch(env)(url)).rejects.toThrow(/fetch failed/);
    }
  });
});
