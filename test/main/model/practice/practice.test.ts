import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { isFailure } from '../../../../src/shared/run/failure';
import type { Block, Message } from '../../../../src/shared/run/record';
import type { ModelEvent, ModelRequest, ModelTurn } from '../../../../src/main/model/model';
import { practiceModel } from '../../../../src/main/model/practice';
import { builtInTools } from '../../../../src/main/tool/registry';
import { raw } from '../../../support/scripted-model';
import { tempFolder } from '../../../support/folder';

beforeEach(() => {
  vi.stubEnv('HOLDFAST_PRACTICE_DELAY', '0');
  vi.stubEnv('HOLDFAST_PRACTICE_SLOW', '0');
});

const model = practiceModel();
const tools = builtInTools('practice');
const user = (...content: Block[]): Message => ({ role: 'user', content });
const ask = (messages: Message[], patch: Partial<ModelRequest> = {}): ModelRequest => ({
  model: 'practice-1',
  system: ['Be brief.'],
  tools: tools.map((tool) => tool.def),
  messages,
  thinking: 'summarized',
  maxOutputTokens: 8192,
  timeoutMs: 60_000,
  chat: true,
  iteration: 0,
  ...patch,
});

async function one(request: ModelRequest, signal = new AbortController().signal) {
  const events: ModelEvent[] = [];
  for await (const event of model.answer(request, signal)) events.push(event);
  const last = events.at(-1);
  if (last?.type !== 'turn') throw new Error('no turn');
  return { events, turn: last.turn };
}

/** Runs the whole conversation as the loop would, every tool allowed. */
async function talk(folder: string, text: string, patch: Partial<ModelRequest> = {}) {
  const messages: Message[] = [user({ text: { text } })];
  const turns: ModelTurn[] = [];
  for (let iteration = 0; iteration < 20; iteration++) {
    const { turn } = await one(ask(messages, { iteration, ...patch }));
    turns.push(turn);
    messages.push({ role: 'assistant', content: turn.content });
    const results: Block[] = [];
    for (const { tool_use: use } of turn.content) {
      if (!use) continue;
      const tool = tools.find((found) => found.def.name === use.name) ?? expect.fail();
      const outcome = await tool.run(JSON.parse(use.input), { folder, signal: new AbortController().signal });
      results.push({ tool_result: { tool_use_id: use.id, ...outcome } });
    }
    if (results.length === 0 && turn.stop_reason !== 'pause_turn') break;
    if (results.length) messages.push(user(...results));
  }
  const said =
    turns
      .at(-1)
      ?.content.map((block) => block.text?.text ?? '')
      .join('') ?? '';
  const calls = turns.map((turn) =>
    turn.content.flatMap((block) => (block.tool_use ? [block.tool_use] : [])),
  );
  return { messages, turns, said, calls };
}

describe('the Practice model', () => {
  it('says what it is and what it can do', async () => {
    const { said } = await talk(tempFolder(), 'help');
    expect(said).toContain('not a language model');
    for (const word of [
      'summarise',
      'list',
      'read',
      'search',
      'write',
      'append',
      'wait',
      'think',
      'long',
      'fail',
      'refuse',
      'slowly',
      'repeat',
    ])
      expect(said).toContain(word);
    expect((await talk(tempFolder(), 'What is the capital of France?')).said).toContain(
      'I did not understand that',
    );
    expect((await talk(tempFolder(), 'hello')).said).toContain('Practice model');
  });

  it('summarises a folder from what the tools return', async () => {
    const folder = tempFolder({
      'README.md': '# Orders\n\nThis folder holds the orders of the year.\n',
      'data/orders.csv': 'id,amount\n1,20\n2,30\n',
      'data/old/notes.txt': 'nothing new\n',
      'photo.jpg': Uint8Array.from([0, 1, 2, 3]),
    });
    const { said, calls } = await talk(folder, 'Summarise this folder, please.');
    expect(calls.map((turn) => turn.map((call) => call.name))).toEqual([
      ['list_files', 'file_stats'],
      ['read_file', 'read_file', 'read_file'],
      [],
    ]);
    expect(said).toContain('**4 files** in 2 folders');
    expect(said).toContain('| .md | 1 | 52 bytes |');
    expect(said).toContain('under the heading “Orders”');
    expect(said).toContain('It begins: “This folder holds the orders of the year.”');
    expect(said).toContain('data/orders.csv (20 bytes)');
    expect(said).not.toContain('undefined');
    expect((await talk(tempFolder(), 'summarise this folder')).said).toContain('**0 files**');
  });

  it('makes several calls in one turn and answers from each result', async () => {
    const folder = tempFolder({ 'a.txt': 'alpha\nbeta\n' });
    const { said, calls } = await talk(folder, 'list and read a.txt and search for beta, then count a.txt');
    expect(calls[0]?.map((call) => call.name)).toEqual([
      'list_files',
      'read_file',
      'search_text',
      'file_stats',
    ]);
    expect(said).toContain('a.txt (11 bytes)');
    expect(said).toContain('has 2 lines and 11 characters');
    expect(said).toContain('a.txt:2: beta');
    expect(said).toContain('words: 2');
  });

  it('writes and appends, with the text as it was given', async () => {
    const folder = tempFolder();
    await talk(folder, 'write notes.txt: milk and honey, read it twice');
    expect(readFileSync(join(folder, 'notes.txt'), 'utf8')).toBe('milk and honey, read it twice\n');
    const { calls } = await talk(folder, 'append notes.txt: one after 0.1 and append notes.txt: two');
    expect(calls[0]?.map((call) => call.input)).toEqual([
      raw({ path: 'notes.txt', text: 'one\n', delay_seconds: 0.1 }),
      raw({ path: 'notes.txt', text: 'two\n' }),
    ]);
    expect(readFileSync(join(folder, 'notes.txt'), 'utf8')).toBe('milk and honey, read it twice\none\ntwo\n');
    await talk(folder, 'write "with space.txt": x');
    expect(existsSync(join(folder, 'with space.txt'))).toBe(true);
  });

  it('works through rounds one turn after the other', async () => {
    const folder = tempFolder();
    const { turns, said } = await talk(folder, 'repeat 3: append log.txt: line #');
    expect(turns).toHaveLength(4);
    expect(readFileSync(join(folder, 'log.txt'), 'utf8')).toBe('line 1\nline 2\nline 3\n');
    expect(said).toContain('That was done 3 times.');
    const more = await talk(folder, 'repeat 2: read log.txt and list');
    expect(more.turns).toHaveLength(4);
    expect(more.said).toMatch(/line 3[^]*1 file/);
  });

  it('tells honestly what was refused, what failed, and which tool it was not given', async () => {
    const use = { tool_use: { id: 'x', name: 'write_file', input: raw({ path: 'a', content: 'b' }) } };
    const refused = await one(
      ask([
        user({ text: { text: 'write a: b' } }),
        { role: 'assistant', content: [use] },
        user({ tool_result: { tool_use_id: 'x', content: '{"allowed":false,"reason":"use c instead"}' } }),
      ]),
    );
    expect(refused.turn.content[0]?.text?.text).toBe(
      'You did not allow `write_file` for `a`: “use c instead”. I changed nothing.',
    );
    expect((await talk(tempFolder(), 'read none.txt')).said).toContain(
      'did not work: There is no such file or folder.',
    );
    const { said } = await talk(tempFolder(), 'list and wait 1', { tools: [] });
    expect(said).toContain('does not give me `list_files` and `wait`');
  });

  it('thinks only when the profile lets it', async () => {
    const on = await one(ask([user({ text: { text: 'think about rain' } })]));
    expect(on.turn.content[0]?.thinking?.text).toContain('rain');
    const off = await one(ask([user({ text: { text: 'think about rain' } })], { thinking: 'off' }));
    expect(off.turn.content).toEqual([
      { text: { text: 'Thinking is off in this profile, so I answer at once.' } },
    ]);
  });

  it('fails, refuses, pauses and runs out on request', async () => {
    const say = (text: string) => one(ask([user({ text: { text } })]));
    await expect(say('fail')).rejects.toMatchObject({ code: 'model_overloaded' });
    await expect(say('fail with rate limit')).rejects.toMatchObject({ code: 'model_rate_limit' });
    await expect(say('fail halfway')).rejects.toSatisfy((error) => isFailure(error));
    await expect(say('context too long')).rejects.toMatchObject({ code: 'model_context' });
    expect((await say('refuse')).turn.stop_reason).toBe('refusal');
    expect((await say('run out of context')).turn.stop_reason).toBe('model_context_window_exceeded');
    const cut = (await say('run out of tokens while appending a.txt: x')).turn;
    expect(cut.stop_reason).toBe('max_tokens');
    expect(cut.content.at(-1)?.tool_use?.name).toBe('append_file');
    const paused = await talk(tempFolder(), 'pause');
    expect(paused.turns.map((turn) => turn.stop_reason)).toEqual(['pause_turn', 'end_turn']);
    const small = await one(ask([user({ text: { text: 'long' } })], { maxOutputTokens: 100 }));
    expect(small.turn.stop_reason).toBe('max_tokens');
    expect(small.turn.content[0]?.text?.text).toHaveLength(400);
  });

  it('answers long requests in any length, with code, tables and formulas', async () => {
    const { said } = await talk(tempFolder(), 'long');
    expect(said).toMatch(/```ts[^]*\| material[^]*|\| material[^]*```ts/);
    expect(said).toContain('$$');
    const lines = (await talk(tempFolder(), 'long 3000 lines', { maxOutputTokens: 1e6 })).said.split(
      '\n',
    ).length;
    expect(lines).toBeGreaterThanOrEqual(3000);
    expect(lines).toBeLessThan(3100);
  });

  it('streams exactly what its turn holds', async () => {
    for (const text of ['long', 'think about x', 'list and read a', 'say 🙂🙂🙂 end']) {
      const { events, turn } = await one(ask([user({ text: { text } })]));
      const streamed = (type: string) =>
        events.map((event) => (event.type === type && 'text' in event ? event.text : '')).join('');
      expect(streamed('text')).toBe(turn.content.map((block) => block.text?.text ?? '').join(''));
      expect(streamed('thinking')).toBe(turn.content.map((block) => block.thinking?.text ?? '').join(''));
      expect(events.filter((event) => event.type === 'turn')).toHaveLength(1);
    }
  });

  it('is a pure function of the conversation: every prefix gets the same turn again', async () => {
    const folder = tempFolder({ 'README.md': '# A\n\nText.\n', b: 'x' });
    const { messages, turns } = await talk(folder, 'summarise this folder');
    for (const [index, turn] of turns.entries()) {
      const again = await one(ask(structuredClone(messages.slice(0, index * 2 + 1)), { iteration: index }));
      expect(again.turn).toEqual(turn);
    }
    expect(
      new Set(turns.flatMap((turn) => turn.content.flatMap((block) => block.tool_use?.id ?? []))).size,
    ).toBe(3);
  });

  it('reads the last thing a person said, also when a failed request stands before it', async () => {
    const { turn } = await one(ask([user({ text: { text: 'fail' } }, { text: { text: 'say on' } })]));
    expect(turn.content).toEqual([{ text: { text: 'on' } }]);
  });

  it('copes with any conversation', async () => {
    const odd: Message[][] = [
      [],
      [user()],
      [{ role: 'user', content: null }],
      [{ role: 'assistant', content: null }],
      [user({ text: { text: '' } })],
      [user({ tool_result: { tool_use_id: 'none', content: '' } })],
      [
        user({ text: { text: 'list' } }),
        { role: 'assistant', content: [{ provider: { kind: 'x', raw: raw({}) } }] },
      ],
      [
        user({ text: { text: 'read' } }),
        { role: 'assistant', content: [{ tool_use: { id: 'a', name: 'ls', input: raw([]) } }] },
        user({ tool_result: { tool_use_id: 'a', content: 'null' } }),
      ],
      [
        user({ text: { text: 'summarise' } }),
        { role: 'assistant', content: [{ tool_use: { id: 'a', name: 'list_files', input: raw(null) } }] },
        user({ tool_result: { tool_use_id: 'a', content: '"x (5 bytes)\n(3 bytes)' } }),
      ],
      [user({ text: { text: `write ${'a: '.repeat(10_000)}` } })],
      [user({ text: { text: 'x and '.repeat(20_000) } })],
    ];
    for (const messages of odd) expect((await one(ask(messages))).turn.content.length).toBeGreaterThan(0);
  });

  it('answers long hostile texts as fast as it reads them', async () => {
    const n = 100_000;
    const texts = [
      `x${' '.repeat(n)}y`,
      `list${' '.repeat(n)}y`,
      `append a: ${' '.repeat(n)}x`,
      `search a${' '.repeat(n)}b`,
      `${'.'.repeat(n)}x`,
      `list ${'!'.repeat(n)}x`,
      'repeat 3: '.repeat(n / 10),
      'refuse while '.repeat(n / 10),
      'a and '.repeat(n),
      ', '.repeat(n),
      `read ${'"'.repeat(n)}`,
      `append ${'a'.repeat(n)}`,
      `please ${' please'.repeat(n)}`,
      `write a: ${' after 3'.repeat(n)}x`,
      `say ${'`'.repeat(n)}`,
      `read ${'`'.repeat(n)}`,
    ];
    // Quadratic work on any of them would outlast the test.
    for (const text of texts) await one(ask([user({ text: { text } })], { maxOutputTokens: 1e6 }));
  });

  it('ends at once when it is cancelled, also between two pieces of a slow stream', async () => {
    vi.stubEnv('HOLDFAST_PRACTICE_SLOW', '60000');
    const stop = new AbortController();
    const reading = one(ask([user({ text: { text: 'slowly say this' } })]), stop.signal);
    stop.abort();
    await expect(reading).rejects.toMatchObject({ code: 'cancelled' });
    await expect(one(ask([]), AbortSignal.abort())).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('reports usage that grows with the conversation, counting what was there before as cached', async () => {
    const { turns } = await talk(tempFolder({ a: 'text\n'.repeat(100) }), 'repeat 2: read a');
    expect(turns[0]?.usage.cache_read_tokens).toBeUndefined();
    expect(turns[1]?.usage.cache_read_tokens).toBeGreaterThan(100);
    expect(turns[2]?.usage.cache_read_tokens ?? 0).toBeGreaterThan(turns[1]?.usage.cache_read_tokens ?? 0);
    for (const { usage } of turns) expect(usage.in_tokens).toBeGreaterThan(0);
  });
});
