import { afterEach, describe, expect, it, vi } from 'vitest';
import type * as Wire from '../../src/main/agent/wire';
import type { Block, Message, RawJson } from '../../src/shared/run/record';
import { strictSession } from '../support/strict-sessions';

/** Changes what `wire` gives, in a way that a real service would refuse or be misled by. */
type Mutant = (messages: Message[]) => Message[];
const mutation = vi.hoisted(() => ({ now: undefined as ((messages: never[]) => unknown[]) | undefined }));

vi.mock('../../src/main/agent/wire', async (original) => {
  const real = await original<typeof Wire>();
  return {
    ...real,
    toWire: (...args: Parameters<typeof real.toWire>) => {
      const messages = real.toWire(...args);
      return mutation.now ? mutation.now(messages as never[]) : messages;
    },
  };
});
afterEach(() => {
  mutation.now = undefined;
});

const eachBlock =
  (change: (block: Block, message: Message) => Block | undefined): Mutant =>
  (messages) =>
    messages.map((message) => ({
      ...message,
      content: (message.content ?? []).flatMap((block) => change(block, message) ?? []),
    }));
const rewritten = (raw: RawJson): RawJson => JSON.stringify(JSON.parse(raw)) as RawJson;

const MUTANTS: [string, ('anthropic' | 'openai')[], Mutant][] = [
  [
    'leaves the results of a stopped batch out',
    ['anthropic', 'openai'],
    eachBlock((block) => (block.tool_result?.content.startsWith('Not run') ? undefined : block)),
  ],
  [
    'leaves the last result out',
    ['anthropic', 'openai'],
    (messages) =>
      messages.map((message) => {
        const at = (message.content ?? []).findLastIndex((block) => block.tool_result);
        return at < 0 ? message : { ...message, content: message.content!.toSpliced(at, 1) };
      }),
  ],
  [
    'answers twice',
    ['anthropic', 'openai'],
    (messages) =>
      messages.map((message) => ({
        ...message,
        content: (message.content ?? []).flatMap((block) => (block.tool_result ? [block, block] : [block])),
      })),
  ],
  [
    'puts words before results',
    ['anthropic'],
    (messages) =>
      messages.map((message) => ({
        ...message,
        content: [...(message.content ?? [])].sort(
          (a, b) => (a.tool_result ? 1 : 0) - (b.tool_result ? 1 : 0),
        ),
      })),
  ],
  [
    'does not join what one side said in a row',
    ['anthropic', 'openai'],
    (messages) =>
      messages.flatMap((message) =>
        message.role === 'user' && (message.content?.length ?? 0) > 1
          ? message.content!.map((block): Message => ({ role: 'user', content: [block] }))
          : [message],
      ),
  ],
  [
    'sends blank texts',
    ['anthropic', 'openai'],
    (messages) =>
      messages.map((message) =>
        message.role === 'user'
          ? { ...message, content: [...(message.content ?? []), { text: { text: '' } }] }
          : message,
      ),
  ],
  ['forgets thinking', ['anthropic', 'openai'], eachBlock((block) => (block.thinking ? undefined : block))],
  [
    'shortens thinking',
    ['anthropic', 'openai'],
    eachBlock((block) =>
      block.thinking?.text
        ? { thinking: { ...block.thinking, text: block.thinking.text.slice(0, -1) } }
        : block,
    ),
  ],
  [
    'changes a signature',
    ['anthropic'],
    eachBlock((block) =>
      block.thinking?.signature
        ? { thinking: { ...block.thinking, signature: Buffer.from('forged').toString('base64') } }
        : block,
    ),
  ],
  [
    'writes provider blocks anew',
    ['anthropic'],
    eachBlock((block) =>
      block.provider ? { provider: { ...block.provider, raw: rewritten(block.provider.raw) } } : block,
    ),
  ],
  [
    'writes tool inputs anew',
    ['anthropic', 'openai'],
    eachBlock((block) =>
      block.tool_use ? { tool_use: { ...block.tool_use, input: rewritten(block.tool_use.input) } } : block,
    ),
  ],
  [
    'gives two calls one id',
    ['anthropic', 'openai'],
    eachBlock((block) =>
      block.tool_use
        ? { tool_use: { ...block.tool_use, id: 'one' } }
        : block.tool_result
          ? { tool_result: { ...block.tool_result, tool_use_id: 'one' } }
          : block,
    ),
  ],
  [
    'ends with the assistant',
    ['anthropic', 'openai'],
    (messages) => (messages.length > 2 ? messages.slice(0, -1) : messages),
  ],
  ['begins with the assistant', ['anthropic'], (messages) => messages.slice(1)],
];

/** Sessions that a mutant may survive; the honest wire survives all of them. */
const CHANCES = 12;

describe.each(MUTANTS)('a wire that %s', (_what, apis, mutant) => {
  it.each(apis)('is caught by the strict %s stand-in', { timeout: 300_000 }, async (api) => {
    mutation.now = mutant as (messages: never[]) => unknown[];
    let caught = '';
    for (let seed = 1; seed <= CHANCES && caught === ''; seed++) {
      const report = await strictSession(seed, api);
      caught = report.rejected[0] ?? '';
    }
    expect(caught).not.toBe('');
  });
});
