import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '../../../src/shared/contract/connect';
import { makeDesk, startChat, type Desk } from '../../support/app';
import { until } from '../../support/wait';

process.env.HOLDFAST_PRACTICE_DELAY = '0';
let desk: Desk;
let client: Client;
beforeEach(() => {
  desk = makeDesk();
  client = desk.window();
});
afterEach(() => desk.close());

const phase = (want: string, of: { head?: { phase?: string | undefined } | undefined }) =>
  until(() => of.head?.phase === want);

describe('what the system is told of a run', () => {
  it('is that it waits, finished or failed, and never what a person did on purpose', async () => {
    const waits = await startChat(client, 'write out.txt: hello', { folder: desk.folder });
    await waits.shown.status('waiting');
    expect(desk.asked.attention).toEqual([
      { id: waits.id, title: 'write out.txt: hello', what: 'waiting', detail: 'write_file asks to run' },
    ]);
    const fails = await startChat(client, 'fail with a wrong key');
    await fails.shown.status('failed');
    expect(desk.asked.attention[1]).toMatchObject({ id: fails.id, what: 'failed' });
    expect(desk.asked.attention[1]?.detail).not.toBe('');
    const paused = await startChat(client, 'wait 30', { folder: desk.folder });
    await phase('tool', paused.shown);
    await client.call('run.cancel', { id: paused.id });
    await paused.shown.status('paused');
    expect(desk.asked.attention.length).toBe(2);
  });

  it('calls the run what the person called it, when it asks and when the app is quit', async () => {
    const { id, shown } = await startChat(client, 'say hello', { folder: desk.folder });
    await shown.status('your_turn');
    await client.call('run.rename', { id, title: 'Taxes 2026' });
    await client.call('run.say', { id, text: 'write out.txt: hello' });
    await shown.status('waiting');
    expect(desk.asked.attention.at(-1)).toMatchObject({ what: 'waiting', title: 'Taxes 2026' });
    expect(desk.app.live()).toEqual([{ id, title: 'Taxes 2026', private: false }]);
  });

  it('holds no word of a private chat, which a quit tells apart', async () => {
    const { id, shown } = await startChat(client, 'write xyzzy.txt: plugh', {
      folder: desk.folder,
      private: true,
    });
    await shown.status('waiting');
    expect(desk.asked.attention.map(({ what }) => what)).toEqual(['waiting']);
    expect(JSON.stringify(desk.asked.attention)).not.toMatch(/xyzzy|plugh|write_file/);
    expect(desk.app.live()).toMatchObject([{ id, private: true }]);
  });
});

describe('a run that is to be shown', () => {
  const listens = (window: Client) => {
    const heard: string[] = [];
    window.on('app.focus', ({ id }) => heard.push(id));
    return heard;
  };

  it('is shown in every window that is there', async () => {
    const [one, two] = [listens(client), listens(desk.window())];
    desk.app.focus('a');
    await until(() => one.length === 1 && two.length === 1);
    const late = desk.window();
    const three = listens(late);
    await late.call('app.hello', {});
    await late.call('prefs.get', {});
    expect([one, two, three]).toEqual([['a'], ['a'], []]);
  });

  it('waits for the next window, once, while there is none', async () => {
    client.close();
    const other = makeDesk({ home: desk.home });
    other.app.focus('a');
    other.app.focus('office.b');
    const first = other.window();
    const heard = listens(first);
    await first.call('app.hello', {});
    await until(() => heard.length === 1);
    const second = other.window();
    const none = listens(second);
    await second.call('app.hello', {});
    await second.call('prefs.get', {});
    expect([heard, none]).toEqual([['office.b'], []]);
    await other.close();
  });
});
