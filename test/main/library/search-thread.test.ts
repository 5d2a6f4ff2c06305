import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'vite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fileStore } from '../../../src/main/journal/file';
import { WorkerIndex } from '../../../src/main/library/search/worker-index';
import type { SearchProgress } from '../../../src/main/library/search';
import { tempFolder } from '../../support/folder';
import { bring, bringRich } from '../../support/histories';
import { project } from '../../support/prerequisites';
import { chatRecords } from '../../support/journal-records';

/** The thread as it is shipped: one file, its dependencies outside of it. */
async function bundled(): Promise<URL> {
  // Inside the project, so that the dependencies are found.
  const out = join(project, '.cache', `search-${process.pid}`);
  onTestFinished(() => rmSync(out, { recursive: true, force: true }));
  await build({
    configFile: false,
    logLevel: 'error',
    root: project,
    build: { ssr: 'src/main/search.ts', outDir: out, target: 'node20.19', emptyOutDir: true },
  });
  return pathToFileURL(join(out, 'search.js'));
}

describe('the thread that searches', () => {
  it('builds, answers while it builds, tells how far it is, and leaves the index for the next one', async () => {
    const built = await bundled();
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
    const updated = index.update();
    const during = await index.search({ words: 'words' });
    expect(during.building ?? { total: 0 }).toHaveProperty('total');
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
});
