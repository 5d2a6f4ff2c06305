import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Replay } from './streams';

let replay: Replay;
beforeAll(async () => void (replay = await Replay.open()));
afterAll(() => replay.close());

const chunk = (text: string, more: Record<string, unknown> = {}, finish: string | null = null): string =>
  JSON.stringify({
    id: 'g',
    object: 'chat.completion.chunk',
    ...more,
    choices: [{ index: 0, delta: { content: text }, finish_reason: finish }],
  });
const counted = (completion: number): string =>
  JSON.stringify({ id: 'g', choices: [], usage: { prompt_tokens: 5, completion_tokens: completion } });
const body = (events: string[]): Buffer => Buffer.from(events.map((event) => `data: ${event}\n\n`).join(''));
const play = (events: string[]) => replay.play('openai-chat', body(events));
const call = JSON.stringify({
  id: 'g',
  choices: [
    {
      index: 0,
      delta: { tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: '{}' } }] },
      finish_reason: null,
    },
  ],
});

describe('A chat completions stream without a reason to stop', () => {
  it('has ended when it has text, counts what it said, and says that it is done', async () => {
    for (const events of [
      [chunk('Half an'), chunk(' answer.'), counted(4), '[DONE]'],
      [chunk('Half an'), counted(0), chunk(' answer.'), counted(4), '[DONE]'],
      [chunk('Half an answer.', { usage: { prompt_tokens: 5, completion_tokens: 4 } }), '[DONE]'],
    ]) {
      const heard = await play(events);
      expect(heard.failure).toBeUndefined();
      expect(heard.turn).toMatchObject({
        content: [{ text: { text: 'Half an answer.' } }],
        stop_reason: 'end_turn',
        usage: { in_tokens: 5, out_tokens: 4 },
      });
      // Told once.
      const told = heard.events.flatMap((event) => (event.type === 'text' ? [event.text] : [])).join('');
      expect(told).toBe('Half an answer.');
    }
  });

  it('has broken off when one of these is missing, or a call may not be whole', async () => {
    for (const events of [
      [chunk('Half an'), '[DONE]'],
      [chunk('Half an'), counted(0), '[DONE]'],
      [chunk('Half an'), counted(4)],
      [counted(4), '[DONE]'],
      [chunk('Half an'), call, counted(4), '[DONE]'],
    ])
      expect((await play(events)).failure?.code, events.join()).toMatch(/^model_/);
  });
});

describe('An error in a chunk that also carries choices', () => {
  const error = { error: { code: 502, message: 'Upstream provider lost' } };

  it('is told, before the reason to stop and behind it', async () => {
    for (const events of [
      [chunk('Half an'), chunk('', error), '[DONE]'],
      [chunk('Half an', {}, 'stop'), chunk('', error), '[DONE]'],
      [chunk('Half an'), chunk('', error, 'stop'), '[DONE]'],
      [chunk('Half an', {}, 'stop'), counted(4), chunk('', { error: 'Upstream provider lost' }), '[DONE]'],
    ]) {
      const { failure } = await play(events);
      expect(failure?.message, events.join()).toContain('Upstream provider lost');
    }
  });

  it('is none where there is nothing in it', async () => {
    for (const none of [{ error: null }, { error: {} }, { error: '' }])
      expect((await play([chunk('Fine.', none), chunk('', none, 'stop'), '[DONE]'])).failure).toBeUndefined();
  });
});
