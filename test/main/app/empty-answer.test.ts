import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openaiModel } from '../../../src/main/model/openai';
import { makeDesk, makeHomeFolder, Shown, startChat, type Desk } from '../../support/app';
import { workbench } from '../../support/cli';
import { testProfile } from '../../support/model-calls';
import { ChatConversation } from '../../support/openai-rules';
import { project } from '../../support/prerequisites';
import { chatEvents, sendStream, testServer, type TestServer } from '../../support/stream-server';
import { until } from '../../support/wait';

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

const chunk = (delta: object, finish: string | null = null) =>
  JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] });
const EMPTY: [string, string | Buffer][] = [
  ['nothing', readFileSync(join(project, 'test/fixtures/faults/m-empty.sse'))],
  ['a blank line', chatEvents([chunk({ content: ' \n' }), chunk({}, 'stop')])],
  ['only thinking', chatEvents([chunk({ reasoning_content: 'Hm.' }), chunk({}, 'stop')])],
  [
    'only what the service keeps of its thinking',
    chatEvents([
      chunk({ reasoning_details: [{ type: 'reasoning.encrypted', data: 'x' }] }),
      chunk({}, 'stop'),
    ]),
  ],
];
const HELLO = chatEvents([chunk({ content: 'Hello.' }), chunk({}, 'stop')]);

/** A strict service whose first answers are these, each once; then it says hello. */
async function service(...first: (string | Buffer)[]): Promise<TestServer> {
  const rules = new ChatConversation('max_tokens');
  rules.remember({ content: 'Hello.', reasoning: '', calls: [] });
  rules.remember({ content: '', reasoning: '', calls: [{ name: 'list_files', args: '{}' }] });
  const server = await testServer(({ body }, response, count) => {
    rules.check(body);
    return sendStream(response, first[count - 1] ?? HELLO);
  });
  open.push(() => server.stop());
  return server;
}

function deskOf(server: TestServer, home?: string): Desk {
  const profile = testProfile({ provider: 'openai', model: 'm', endpoint: server.origin, key_env: 'K' });
  const desk = makeDesk({
    model: openaiModel(profile, { env: { K: 'k' }, backoffMs: 1 }),
    ...(home !== undefined && { home }),
  });
  open.unshift(() => desk.close());
  return desk;
}
/** The conversation, without the system's words. */
const messages = ({ requests }: TestServer, n: number) =>
  (JSON.parse(requests[n]?.body ?? '{}') as { messages: unknown[] }).messages.slice(1);
const empties = (shown: Shown) => shown.list().filter(({ kind }) => kind === 'empty');

describe('an answer with nothing in it', () => {
  it.each(EMPTY)(
    'is said to be empty, and asked for again with the same conversation: %s',
    async (_, body) => {
      const server = await service(body);
      const client = deskOf(server).window();
      const { id, shown } = await startChat(client, 'hello');
      await shown.status('your_turn');
      await until(() => empties(shown).length === 1);
      await client.call('run.again', { id });
      await until(() => shown.texts().includes('Hello.'));
      await shown.status('your_turn');
      expect(messages(server, 1)).toEqual(messages(server, 0));
      expect(
        shown
          .list()
          .map(({ kind }) => kind)
          .at(-1),
      ).toBe('text');
      // What is said next is taken by a strict service, too.
      await client.call('run.say', { id, text: 'more' });
      await until(
        () => server.requests.length === 3 && shown.texts().filter((text) => text === 'Hello.').length === 2,
      );
      expect(messages(server, 2)).toHaveLength(messages(server, 0).length + 2);
    },
  );

  it('can be asked for again after a restart, more than once, and in a private chat', async () => {
    const [, nothing] = EMPTY[0]!;
    const server = await service(nothing, nothing, HELLO, nothing);
    const home = makeHomeFolder();
    const first = deskOf(server, home);
    const { id, shown } = await startChat(first.window(), 'hello');
    await shown.status('your_turn');
    await first.close();
    const client = deskOf(server, home).window();
    const again = new Shown(client, id);
    await again.status('your_turn');
    await until(() => empties(again).length === 1);
    await client.call('run.again', { id });
    await until(() => empties(again).length === 2);
    await again.status('your_turn');
    await client.call('run.again', { id });
    await until(() => again.texts().includes('Hello.'));

    const hidden = await startChat(client, 'hello', { private: true });
    await hidden.shown.status('your_turn');
    await until(() => empties(hidden.shown).length === 1);
    await client.call('run.again', { id: hidden.id });
    await until(() => hidden.shown.texts().includes('Hello.'));
  });

  it('is none where the model called a tool, or where a service has more to say', async () => {
    const call = { id: 'c', type: 'function', function: { name: 'list_files', arguments: '{}' } };
    const server = await service(
      chatEvents([chunk({ tool_calls: [{ index: 0, ...call }] }), chunk({}, 'tool_calls')]),
    );
    const { shown } = await startChat(deskOf(server).window(), 'hello');
    await until(() => shown.call() !== undefined);
    expect(empties(shown)).toEqual([]);
  });

  it('is told by the command, which asks again', async () => {
    const [, nothing] = EMPTY[0]!;
    const server = await service(nothing);
    const bench = workbench();
    const of = { profile: { provider: 'openai' as const, model: 'm', endpoint: server.origin, tools: [] } };
    const ran = await bench.run(['run', 'hello', '--chat', '--id', 'r'], of);
    expect([ran.exit, ran.stderr]).toEqual([
      0,
      expect.stringContaining('-- The model’s reply is empty; ask again with: holdfast resume r'),
    ]);
    expect((await bench.run(['show', 'r'])).stdout).toContain('[The model’s reply is empty]');
    const again = await bench.run(['resume', 'r'], of);
    expect([again.exit, again.stdout]).toEqual([0, 'Hello.\n']);
    expect(again.stderr).not.toContain('ask again with');
    for (const format of ['md', 'html']) {
      await bench.run(['export', 'r', '--format', format, '--out', join(bench.folder, `r.${format}`)]);
      expect(readFileSync(join(bench.folder, `r.${format}`), 'utf8')).toContain(
        'The model’s reply is empty.',
      );
    }
  });
});
