import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Windows } from '../../../src/main/app/windows';
import type { Client } from '../../../src/shared/contract/connect';
import type { Peer } from '../../../src/shared/contract/serve';
import { makeDesk, Shown, startChat, type Desk } from '../../support/app';
import { scriptedModel } from '../../support/scripted-model';
import { soak } from '../../support/prerequisites';
import { failureOf, until } from '../../support/wait';

process.env.HOLDFAST_PRACTICE_DELAY = '0';
let desk: Desk | undefined;
afterEach(async () => {
  expect(desk?.bugs ?? []).toEqual([]);
  await desk?.close();
  desk = undefined;
});

const page = (client: Client) => client.call('library.page', { offset: 0, limit: 50, facets: true });

/** Everything that a page can ask for about a run. */
async function everythingAbout(client: Client, id: string): Promise<string> {
  const answers = await Promise.allSettled([
    page(client),
    client.call('library.trash', { offset: 0, limit: 50 }),
    client.call('run.watch', { id }),
    client.call('run.items', { id, from: 0, limit: 50 }),
    client.call('run.record', { id, seq: 1, from: 0, limit: 1000 }),
    client.call('run.turns', { id, from: 0, limit: 50 }),
    client.call('run.stand', { id, seq: 2 }),
    client.call('run.find', { id, words: 'pear' }),
    client.call('run.preflight', { id }),
    client.call('draft.get', { key: id }),
    client.call('draft.get', { key: 'private' }),
    client.call('search.find', { words: 'pear', limit: 50 }),
    client.call('moving.jobs', {}),
  ]);
  return JSON.stringify(answers);
}

describe('a private chat', () => {
  it('ends with its window: nothing that another page can ask for has its title or its words', async () => {
    desk = makeDesk({ graceMs: 20 });
    const mine = desk.window();
    await mine.call('app.hello', { window: 'one' });
    const { id, shown } = await startChat(mine, 'say a secret pear', { private: true });
    await shown.status('your_turn');
    await mine.call('draft.set', { key: id, text: 'pear, unsent' });
    await mine.call('draft.set', { key: 'private', text: 'pear, unsent' });
    const other = desk.window();
    await other.call('app.hello', { window: 'two' });
    // Somebody else looks at it, which does not keep it.
    const watching = new Shown(other, id);
    await watching.status('your_turn');
    mine.close();
    await until(async () => (await page(other)).all === 0);
    await until(() => watching.failure !== undefined);
    expect(watching.failure?.code).toBe('not_found');
    expect(await everythingAbout(other, id)).not.toContain('pear');
    expect(await everythingAbout(desk.window(), id)).not.toContain('pear');
    expect((await failureOf(other.call('run.say', { id, text: 'go on' }))).code).toBe('not_found');
    expect(desk.app.live()).toEqual([]);
  });

  it('stays while its page loads again, and the new page has its drafts', async () => {
    desk = makeDesk({ graceMs: 60_000 });
    const first = desk.window();
    await first.call('app.hello', { window: 'one' });
    const { id, shown } = await startChat(first, 'say a secret pear', { private: true });
    await shown.status('your_turn');
    await first.call('draft.set', { key: id, text: 'unsent' });
    first.close();
    const again = desk.window();
    await again.call('app.hello', { window: 'one' });
    expect((await page(again)).rows.map((row) => row.id)).toEqual([id]);
    await (await new Shown(again, id).status('your_turn')).stop();
    expect(await again.call('draft.get', { key: id })).toEqual({ text: 'unsent' });
  });

  it('ends in the middle of an answer, and after it began anew', async () => {
    const model = scriptedModel([{ text: 'ready' }, { text: 'half', hang: true }]);
    desk = makeDesk({ model, graceMs: 20 });
    const mine = desk.window();
    const { id, shown } = await startChat(mine, 'say pear', { private: true });
    await shown.status('your_turn');
    await mine.call('run.reset', { id, prompt: 'another pear' });
    await until(() => shown.rotated !== undefined);
    const now = new Shown(mine, shown.rotated ?? '');
    await until(() => now.stream.text === 'half');
    mine.close();
    const other = desk.window();
    await until(async () => (await page(other)).all === 0);
    expect(await everythingAbout(other, shown.rotated ?? '')).not.toContain('pear');
    await until(() => desk?.app.live().length === 0);
  });

  it('leaves every other chat alone', async () => {
    desk = makeDesk({ graceMs: 20 });
    const [mine, other] = [desk.window(), desk.window()];
    const kept = await startChat(mine, 'say kept');
    const theirs = await startChat(other, 'say theirs', { private: true });
    const gone = await startChat(mine, 'say gone', { private: true });
    for (const { shown } of [kept, theirs, gone]) await shown.status('your_turn');
    mine.close();
    await until(async () => (await page(other)).all === 2);
    expect((await page(other)).rows.map((row) => row.id).sort()).toEqual([kept.id, theirs.id].sort());
  });
});

describe('a window', () => {
  afterEach(() => void vi.useRealTimers());

  it('is gone exactly when it had no connection for the grace, in any order of coming and going', () => {
    vi.useFakeTimers();
    const step = fc.oneof(
      fc.record({ come: fc.constantFrom('a', 'b', undefined) }),
      fc.record({ leave: fc.nat(5) }),
      fc.record({ wait: fc.integer({ min: 1, max: 1500 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const gone: string[] = [];
        const windows = new Windows({ graceMs: 1000, onGone: (window) => gone.push(window) });
        const open: { window: string; close(): void }[] = [];
        /** When each window lost its last connection. */
        const since = new Map<string, number>();
        const expected: string[] = [];
        let now = 0;
        const settle = () => {
          for (const [window, at] of since) {
            if (now - at < 1000) continue;
            since.delete(window);
            expected.push(window);
          }
        };
        for (const one of steps) {
          if ('come' in one) {
            const closers: (() => void)[] = [];
            const peer: Peer = { emit: () => undefined, onClose: (closer) => closers.push(closer) };
            const window = windows.of(peer, one.come);
            expect(windows.of(peer, 'other')).toBe(window);
            since.delete(window);
            open.push({ window, close: () => closers.forEach((closer) => closer()) });
          } else if ('leave' in one) {
            const [left] = open.splice(one.leave, 1);
            left?.close();
            if (left && !open.some(({ window }) => window === left.window)) since.set(left.window, now);
          } else {
            now += one.wait;
            vi.advanceTimersByTime(one.wait);
            settle();
          }
          expect([...gone].sort()).toEqual([...expected].sort());
          for (const { window } of open) expect(windows.isThere(window)).toBe(true);
        }
        windows.close();
      }),
      { numRuns: soak ? 5000 : 200 },
    );
  });
});
