import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { anthropicStandIn } from '../../support/anthropic-standin';
import { openaiStandIn } from '../../support/openai-standin';
import type { StandIn } from '../../support/standin';

/** The stand-ins guard everything else, so their own strictness is tested: each rule refuses what breaks it. */
const KEY = 'test-key-0123456789';
let service: StandIn;
afterEach(() => service.stop());

type Body = Record<string, unknown>;
async function post(path: string, body: Body, headers: Record<string, string>): Promise<[number, string]> {
  const response = await fetch(service.origin + path, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  return [response.status, await response.text()];
}

describe('the strict Messages API', () => {
  const headers = {
    'content-type': 'application/json',
    'x-api-key': KEY,
    authorization: `Bearer ${KEY}`,
    'anthropic-version': '2023-06-01',
  };
  const ask = (body: Body, extra: Record<string, string> = {}) =>
    post('/v1/messages', body, { ...headers, ...extra });
  const says = (text: string) => ({ role: 'user', content: [{ type: 'text', text }] });
  const good = { model: 'm', max_tokens: 10, stream: true, messages: [says('Hi')] };
  beforeEach(async () => {
    service = await anthropicStandIn({ seed: 1, key: KEY });
  });

  it('answers what is right, and counts it', async () => {
    const [status, text] = await ask({
      ...good,
      thinking: { type: 'adaptive', display: 'summarized' },
      system: [{ type: 'text', text: 'S', cache_control: { type: 'ephemeral', ttl: '1h' } }],
      tools: [{ name: 't', description: 'd', input_schema: { type: 'object' } }],
    });
    expect(status).toBe(200);
    expect(text).toContain('event: message_start');
    expect(text).toContain('message_stop');
    expect(service.counts).toEqual({ requests: 1, answered: 1, troubled: 0 });
    expect(service.rejected).toEqual([]);
  });

  const tool = { name: 't', description: 'd', input_schema: { type: 'object' } };
  it.each<[string, Body, RegExp]>([
    ['an unknown field', { ...good, temperature: 1 }, /temperature: unknown field/],
    ['no stream', { ...good, stream: false }, /stream/],
    ['no length limit', { ...good, max_tokens: undefined }, /max_tokens/],
    ['no messages', { ...good, messages: [] }, /must not be empty/],
    [
      'a first word of the assistant',
      { ...good, messages: [{ role: 'assistant', content: [{ type: 'text', text: 'x' }] }] },
      /alternate/,
    ],
    ['two user messages in a row', { ...good, messages: [says('a'), says('b')] }, /alternate/],
    ['an empty message', { ...good, messages: [{ role: 'user', content: [] }] }, /must not be empty/],
    ['blank text', { ...good, messages: [says(' \n')] }, /white space/],
    [
      'an unknown field of a block',
      { ...good, messages: [{ role: 'user', content: [{ type: 'text', text: 'x', note: 1 }] }] },
      /note: unknown field/,
    ],
    [
      'a result that answers nothing',
      {
        ...good,
        messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'x', content: 'y' }] }],
      },
      /unexpected tool_use_id/,
    ],
    [
      'a message that was never issued',
      {
        ...good,
        messages: [says('a'), { role: 'assistant', content: [{ type: 'text', text: 'forged' }] }, says('b')],
      },
      /not those that were issued/,
    ],
    ['blank system text', { ...good, system: [{ type: 'text', text: '' }] }, /white space/],
    ['a tool named twice', { ...good, tools: [tool, tool] }, /twice/],
    [
      'a tool without an object',
      { ...good, tools: [{ ...tool, input_schema: { type: 'string' } }] },
      /object/,
    ],
    [
      'a cache mark of odd length',
      { ...good, system: [{ type: 'text', text: 'S', cache_control: { type: 'ephemeral', ttl: '2h' } }] },
      /ttl/,
    ],
    [
      'a thinking budget that is too large',
      { ...good, thinking: { type: 'enabled', budget_tokens: 5000 } },
      /budget/,
    ],
  ])('refuses %s', async (_what, body, why) => {
    const [status, text] = await ask(body);
    expect(status).toBe(400);
    expect(text).toMatch(why);
    expect(service.rejected).toHaveLength(1);
  });

  it.each([
    ['a wrong key', 401, { 'x-api-key': 'other' }],
    ['no bearer', 401, { authorization: '' }],
    ['a wrong version', 400, { 'anthropic-version': 'latest' }],
    ['a wrong type', 400, { 'content-type': 'text/plain' }],
  ])('refuses %s', async (_what, status, extra) => {
    expect((await ask(good, extra))[0]).toBe(status);
  });

  it('wants every call answered, once, in the next message, before words', async () => {
    // Asked until it calls tools and thinks; the seed decides, so this always ends the same way.
    let calls: { content: Body[]; ids: string[] } | undefined;
    for (let i = 0; i < 50 && !calls; i++) calls = turnWithCalls((await ask(good))[1]);
    const { content, ids } = calls!;
    const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'ok' });
    const converse = (answers: unknown[], said = content) =>
      ask({
        ...good,
        messages: [says('Hi'), { role: 'assistant', content: said }, { role: 'user', content: answers }],
      });
    expect((await converse(ids.map(result)))[0]).toBe(200);
    expect((await converse([...ids.map(result), { type: 'text', text: 'Well?' }]))[0]).toBe(200);
    expect((await converse([{ type: 'text', text: 'Well?' }]))[1]).toMatch(/without tool_result/);
    expect((await converse([{ type: 'text', text: 'Well?' }, ...ids.map(result)]))[1]).toMatch(/before text/);
    expect((await converse([...ids, ids[0]!].map(result)))[1]).toMatch(/answered twice/);
    expect((await converse(ids.map((id) => ({ ...result(id), content: '' }))))[1]).toMatch(/white space/);
    const forged = content.map((block) =>
      block['type'] === 'tool_use' ? { ...block, name: 'other' } : block,
    );
    expect((await converse(ids.map(result), forged))[1]).toMatch(/not those that were issued/);
    expect((await converse(ids.map(result), content.slice(1)))[1]).toMatch(/not those that were issued/);
    expect((await ask({ ...good, messages: [says('Hi'), { role: 'assistant', content }] }))[0]).toBe(400);
  });
});

/** The blocks of a streamed turn that calls tools; undefined for any other. */
function turnWithCalls(stream: string): { content: Body[]; ids: string[] } | undefined {
  interface Event {
    type: string;
    index: number;
    content_block: Body;
    delta: Record<string, string>;
  }
  const content: Body[] = [];
  const inputs: string[] = [];
  for (const [, data] of stream.matchAll(/^data: (.*)$/gm)) {
    const event = JSON.parse(data!) as Event;
    if (event.type === 'content_block_start') content[event.index] = { ...event.content_block };
    const block = content[event.index];
    if (event.type !== 'content_block_delta' || !block) continue;
    for (const key of ['text', 'thinking', 'signature'])
      if (event.delta[key] !== undefined) block[key] = `${String(block[key] ?? '')}${event.delta[key]}`;
    inputs[event.index] = `${inputs[event.index] ?? ''}${event.delta['partial_json'] ?? ''}`;
  }
  // Only turns that JSON.stringify writes as they were issued: no odd numbers, no invalid inputs.
  const plain = content.every(
    (block) => block['type'] === 'text' || block['type'] === 'tool_use' || block['type'] === 'thinking',
  );
  if (!plain || /odd|nope|\["/.test(stream) || content.length < 2) return undefined;
  const kept = content.filter((block) => block['type'] !== 'text' || String(block['text']).trim() !== '');
  kept.forEach((block) => {
    const i = content.indexOf(block);
    if (block['type'] === 'tool_use')
      block['input'] = JSON.parse(inputs[i]!.replace(/</g, '').replace(/>/g, '')) as Body;
  });
  const ids = kept.flatMap((block) => (block['type'] === 'tool_use' ? [block['id'] as string] : []));
  return ids.length > 0 && kept.length > ids.length ? { content: kept, ids } : undefined;
}

describe('the strict chat completions service', () => {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${KEY}` };
  const ask = (body: Body, extra: Record<string, string> = {}) =>
    post('/v1/chat/completions', body, { ...headers, ...extra });
  const user = { role: 'user', content: 'Hi' };
  const good = { model: 'm', max_tokens: 10, stream: true, messages: [user] };
  beforeEach(async () => {
    service = await openaiStandIn({ seed: 1, key: KEY });
  });

  it('answers what is right', async () => {
    const [status, text] = await ask({ ...good, stream_options: { include_usage: true } });
    expect(status).toBe(200);
    expect(text).toContain('finish_reason');
    expect(service.rejected).toEqual([]);
  });

  const call = { id: 'c', type: 'function', function: { name: 't', arguments: '{}' } };
  it.each<[string, Body, RegExp]>([
    ['an unknown field', { ...good, seed: 1 }, /seed: unknown field/],
    ['a missing limit', { ...good, max_tokens: undefined }, /max_tokens/],
    ['blank words', { ...good, messages: [{ role: 'user', content: ' ' }] }, /white space/],
    ['two user messages in a row', { ...good, messages: [user, user] }, /in a row/],
    ['a late system message', { ...good, messages: [user, { role: 'system', content: 'S' }] }, /comes first/],
    [
      'an answer to nothing',
      { ...good, messages: [user, { role: 'tool', tool_call_id: 'x', content: 'y' }] },
      /answers nothing/,
    ],
    [
      'a message that was never issued',
      { ...good, messages: [user, { role: 'assistant', content: 'forged' }, user] },
      /never issued/,
    ],
    [
      'a call that was never issued',
      {
        ...good,
        messages: [
          user,
          { role: 'assistant', content: null, tool_calls: [call] },
          { role: 'tool', tool_call_id: 'c', content: 'y' },
        ],
      },
      /never issued/,
    ],
    [
      'an assistant without words or calls',
      { ...good, messages: [user, { role: 'assistant', content: null }, user] },
      /must be text/,
    ],
    [
      'reasoning in a turn without tools',
      { ...good, messages: [user, { role: 'assistant', content: 'x', reasoning_content: 'y' }, user] },
      /does not belong/,
    ],
    [
      'an end with the assistant',
      { ...good, messages: [{ role: 'assistant', content: 'x' }] },
      /out of turn/,
    ],
    [
      'an unknown field of a message',
      { ...good, messages: [{ ...user, name: 'me' }] },
      /name: unknown field/,
    ],
  ])('refuses %s', async (_what, body, why) => {
    const [status, text] = await ask(body);
    expect(status).toBe(400);
    expect(text).toMatch(why);
  });

  it.each([
    ['a wrong key', 401, { authorization: 'Bearer other' }],
    ['a wrong type', 400, { 'content-type': 'text/plain' }],
  ])('refuses %s', async (_what, status, extra) => {
    expect((await ask(good, extra))[0]).toBe(status);
  });
});
