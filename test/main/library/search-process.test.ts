import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fileStore } from '../../../src/main/journal/file';
import { WorkerIndex } from '../../../src/main/library/search/worker-index';
import type { SearchProgress } from '../../../src/main/library/search';
import { makeDesk } from '../../support/app';
import { builtParts } from '../../support/built-parts';
import { tempFolder } from '../../support/folder';
import { bring, bringRich } from '../../support/histories';
import { chatRecords } from '../../support/journal-records';
import { until } from '../../support/wait';

describe('the process that searches', () => {
  it('builds, answers while it builds, tells how far it is, and leaves the index for the next one', async () => {
    const built = new URL('search.js', await builtParts('search'));
    const folder = tempFolder();
    const store = fileStore(join(folder, 'runs'));
    await bringRich(store);
    for (let n = 0; n < 150; n++) await bring(store, `r${n}`, chatRecords(`r${n}`, 40));
    const progress: SearchProgress[] = [];
    const open = () => {
      const index = new WorkerIndex(built, { store: store.url, login: {}, cache: folder }, (told) =>
        progress.push(told),
      );
      onTestFinished(() => index.close());
      return index;
    };
    const index = open();
    let over = false;
    const updated = index.update().then(() => (over = true));
    await until(() => progress.length > 0);
    const during = await index.search({ words: 'words' });
    expect([over, during.building?.total]).toEqual([false, 151]);
    await updated;
    expect(progress.at(-1)).toMatchObject({ done: 151, total: 151 });
    const { hits } = await index.search({ words: 'four ticks' });
    expect(hits).toMatchObject([{ run: 'rich', seq: 3, part: 'result' }]);
    expect(await index.status()).toMatchObject({ runs: 151 });
    await index.close();
    await expect(index.search({ words: 'x' })).rejects.toMatchObject({ code: 'internal' });
    const next = open();
    progress.length = 0;
    await next.update();
    expect(progress.at(-1)).toMatchObject({ done: 0, total: 0 });
  });

  it('fails what it was asked when it dies in the middle of building, and goes on from there when it is asked again', async () => {
    const mortal = new URL('mortal-search.js', await builtParts('search'));
    const folder = tempFolder();
    const store = fileStore(join(folder, 'runs'));
    await bringRich(store);
    for (let n = 0; n < 250; n++) await bring(store, `r${n}`, chatRecords(`r${n}`, 40));
    const progress: SearchProgress[] = [];
    const index = new WorkerIndex(mortal, { store: store.url, login: {}, cache: folder }, (told) =>
      progress.push(told),
    );
    onTestFinished(() => index.close());
    const building = index.update();
    building.catch(() => undefined);
    await until(() => (progress.at(-1)?.done ?? 0) > 100);
    await expect(index.search({ words: 'die' })).rejects.toMatchObject({ code: 'internal' });
    await expect(building).rejects.toMatchObject({ message: 'The search stopped.' });
    progress.length = 0;
    await index.update();
    // What was whole before it died was not read again.
    expect(progress.at(-1)).toMatchObject({ done: progress[0]?.total });
    expect(progress[0]?.total).toBeLessThanOrEqual(151);
    expect((await index.search({ words: 'four ticks' })).hits).toHaveLength(1);
    expect(await index.status()).toMatchObject({ runs: 251 });
    expect(readdirSync(join(folder, 'search')).filter((name) => name.endsWith('.db'))).toHaveLength(1);
  });

  it('is started again behind the contract, and nobody but its own store notices', async () => {
    const mortal = new URL('mortal-search.js', await builtParts('search'));
    const folder = tempFolder();
    const store = fileStore(join(folder, 'runs'));
    await bringRich(store);
    const desk = makeDesk({
      home: folder,
      store,
      indexOf: (_entry, other, onProgress) =>
        new WorkerIndex(mortal, { store: other.url, login: {}, cache: folder }, onProgress),
    });
    onTestFinished(() => desk.close());
    const client = desk.window();
    const find = (words: string) => client.call('search.find', { words, limit: 10 });
    await until(async () => (await find('four ticks')).hits.length === 1);
    const { hits, failed } = await find('die');
    expect(hits).toEqual([]);
    expect(failed).toMatchObject([{ store: 'default', failure: { todo: 'Search again.' } }]);
    expect(await find('four ticks')).toMatchObject({ failed: [], hits: [{ run: 'rich' }] });
    expect(desk.bugs).toEqual([]);
  });
});
