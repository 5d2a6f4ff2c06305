import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { openaiModel } from '../../../src/main/model/openai';
import { makeDesk, makeHomeFolder, Shown, startChat, type Desk } from '../../support/app';
import { testProfile } from '../../support/model-calls';
import { project } from '../../support/prerequisites';
import { scriptedModel } from '../../support/scripted-model';
import { sendStream, testServer } from '../../support/stream-server';
import { until } from '../../support/wait';

const desks: Desk[] = [];
const desk = (options: Parameters<typeof makeDesk>[0]): Desk => {
  const made = makeDesk(options);
  desks.push(made);
  return made;
};
afterEach(async () => {
  for (const one of desks.splice(0)) {
    expect(one.bugs).toEqual([]);
    await one.close();
  }
});

/** How often these words are on the screen, in items and in the stream. */
const times = (shown: Shown, words: string): number =>
  [...shown.texts(), shown.stream.text, shown.stream.thinking].filter((text) => text.includes(words)).length;

/** Changes may still be on their way. */
const same = (one: Shown, other: Shown): Promise<void> =>
  until(() => one.head !== undefined && isDeepStrictEqual(one.list(), other.list()));

describe('an answer that was cut off', () => {
  it('by an error in its stream is shown once: at once, after a reload and after a restart', async () => {
    const body = readFileSync(join(project, 'test/fixtures/faults/m-error-in-stream.sse'));
    const server = await testServer((_request, response) => sendStream(response, body));
    const profile = testProfile({ provider: 'openai', model: 'm', endpoint: server.origin, key_env: 'K' });
    const model = openaiModel(profile, { env: { K: 'k' }, backoffMs: 1 });
    const home = makeHomeFolder();
    const first = desk({ home, model });
    const { id, shown } = await startChat(first.window(), 'hello');
    await shown.status('failed');
    const lost = { kind: 'lost', text: 'Half an ans' };
    await until(() => shown.list().some(({ kind }) => kind === 'lost') && shown.stream.text === '');
    expect(shown.list().filter(({ kind }) => kind === 'lost')).toMatchObject([lost]);
    expect(times(shown, 'Half an ans')).toBe(1);
    await same(new Shown(first.window(), id), shown);
    const again = desk({ home, model });
    await same(new Shown(again.window(), id), shown);
    expect(times(shown, 'Half an ans')).toBe(1);
    await server.stop();
  });

  it('by Stop is shown once, stays while something else is said, and is gone once that is answered', async () => {
    let go = (): void => {};
    const hold = new Promise<void>((resolve) => (go = resolve));
    const fails = { text: 'second half', fail: new Error('down') };
    const model = scriptedModel([{ text: 'first half', hang: true }, fails, { text: 'whole', hold }]);
    const { id, shown } = await (async () => startChat(desk({ model }).window(), 'hello'))();
    const client = desks[0]!.window();
    await until(() => shown.stream.text === 'first half');
    await client.call('run.cancel', { id });
    await shown.status('paused');
    await until(() => times(shown, 'first half') === 1 && shown.stream.text === '');
    await client.call('run.say', { id, text: 'something else' });
    await shown.status('failed');
    // One place, one reply: what was lost last.
    await until(() => times(shown, 'second half') === 1 && times(shown, 'first half') === 0);
    await client.call('run.say', { id, text: 'and now' });
    await model.streamed(3);
    await until(() => shown.stream.text === 'whole');
    expect(times(shown, 'second half')).toBe(1);
    go();
    await shown.status('your_turn');
    await until(() => times(shown, 'second half') === 0 && times(shown, 'whole') === 1);
    await same(new Shown(desks[0]!.window(), id), shown);
  });

  it('of a private chat is shown once', async () => {
    const model = scriptedModel([{ text: 'half', fail: new Error('down') }, { text: 'whole' }]);
    const client = desk({ model }).window();
    const { id, shown } = await startChat(client, 'hello', { private: true });
    await shown.status('failed');
    await until(() => times(shown, 'half') === 1);
    await client.call('run.say', { id, text: 'again' });
    await shown.status('your_turn');
    await until(() => times(shown, 'half') === 0 && times(shown, 'whole') === 1);
  });
});
