import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WorkerMover } from '../../../src/main/app/moving/mover';
import { WorkerReader } from '../../../src/main/app/read/worker-reader';
import { fileStore } from '../../../src/main/journal/file';
import { FatalRuns } from '../../../src/main/library/fatal-runs';
import { WorkerIndex } from '../../../src/main/library/search/worker-index';
import type { MoveJob } from '../../../src/shared/contract/moving';
import { isFailure } from '../../../src/shared/run/failure';
import { makeDesk, Shown } from '../../support/app';
import { builtParts } from '../../support/built-parts';
import { tempFolder } from '../../support/folder';
import { bring } from '../../support/histories';
import { chatRecords } from '../../support/journal-records';
import { until } from '../../support/wait';

/** The parts that read what others wrote, as they are shipped, but a run called `deadly` ends each as V8 would. */
describe('a run that ends the processes that read it', () => {
  it('is listed as too large to show, takes nothing along, and its exact bytes can be exported', async () => {
    const parts = await builtParts('reader', 'search', 'mover');
    const folder = tempFolder();
    const store = fileStore(join(folder, 'runs'));
    for (const id of ['good', 'deadly', 'other']) await bring(store, id, chatRecords(id, 10));
    const fatal = new FatalRuns();
    const at = (part: string) => new URL(`mortal-${part}.js`, parts);
    const place = { store: store.url, login: {} };
    const desk = makeDesk({
      home: folder,
      store,
      processes: () => ({
        fatal,
        reader: new WorkerReader(at('reader'), place, fatal),
        makeMover: () => new WorkerMover(at('mover'), () => ({ url: store.url, login: {} }), fatal),
      }),
      indexOf: (_entry, _store, onProgress) =>
        new WorkerIndex(at('search'), { ...place, cache: folder }, onProgress, fatal),
    });
    onTestFinished(() => desk.close());
    const client = desk.window();
    const row = async (id: string) => {
      const { rows } = await client.call('library.page', { offset: 0, limit: 10 });
      return rows.find((one) => one.id === id);
    };

    expect(await row('deadly')).toMatchObject({ status: 'interrupted' });
    const good = await new Shown(client, 'good').status('interrupted');
    // The window asks again by itself.
    await until(() =>
      client.call('run.watch', { id: 'deadly' }).then(
        ({ head }) => head.failure?.code === 'too_large',
        (error: unknown) => !isFailure(error, 'io'),
      ),
    );
    await until(async () => (await row('deadly'))?.failure?.code === 'too_large');
    expect(await row('deadly')).toMatchObject({ status: 'damaged' });
    expect(await row('good')).toMatchObject({ status: 'interrupted' });
    expect((await client.call('run.items', { id: 'good', from: 0, limit: 5 })).items).toHaveLength(5);
    expect(good.failure).toBeUndefined();

    const exported = async (format: 'md' | 'journal', ids: string[]) => {
      const { job } = await client.call('export.start', {
        ids,
        format,
        options: { tools: true, thinking: true, attachments: 'inline', redact: false },
        to: { folder: desk.folder, name: `${ids.join('-')}.${format}` },
      });
      let end: MoveJob | undefined;
      await until(async () => {
        const { jobs } = await client.call('moving.jobs', {});
        end = jobs.find(({ id, state }) => id === job && state !== 'running');
        return end !== undefined;
      });
      return end;
    };
    const told = await exported('journal', ['deadly']);
    expect(told).toMatchObject({ state: 'done' });
    const path = told?.exported?.at ?? '';
    expect(readFileSync(path)).toEqual(Buffer.from(await store.bytes('deadly')));
    expect(await exported('md', ['deadly'])).toMatchObject({
      state: 'failed',
      failure: { code: 'too_large' },
    });
    expect(await exported('md', ['good'])).toMatchObject({ state: 'done' });

    // A mover that ends on a run that is not known yet takes nothing along either.
    const fresh = new FatalRuns();
    const mover = new WorkerMover(at('mover'), () => ({ url: store.url, login: {} }), fresh);
    const run = { key: 'deadly', store: '', id: 'deadly' };
    const task = { kind: 'compare', a: { key: 'good', store: '', id: 'good' }, b: run } as const;
    expect(await mover.run(task)).toMatchObject({ b: { title: expect.any(String) } });
    const dying = () =>
      mover.run<'export'>({
        ...{ kind: 'export', runs: [run], format: 'journal', out: join(folder, 'x.json'), overwrite: true },
        ...{
          tools: true,
          thinking: true,
          attachments: 'inline',
          breaks: false,
          ledger: join(folder, 'ledger'),
        },
      });
    await expect(dying()).rejects.toMatchObject({ code: 'io' });
    await expect(dying()).rejects.toMatchObject({ code: 'io' });
    expect(await dying()).toMatchObject({ runs: [{ damage: { code: 'too_large' } }] });
    await expect(mover.run(task)).rejects.toMatchObject({ code: 'too_large' });

    // Searching leaves it out and finds the others.
    await until(
      async () => (await client.call('search.find', { words: 'words', limit: 10 })).hits.length > 0,
    );
    expect(desk.bugs).toEqual([]);
  });
});
