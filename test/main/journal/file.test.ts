import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileStore } from '../../../src/main/journal/file';
import { journalSuite } from '../../conformance/journal-suite';

journalSuite('The file store', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'holdfast-file-'));
  const directory = join(parent, 'runs');
  const store = fileStore(directory);
  return {
    store,
    reopen: async () => fileStore(directory),
    corrupt: async (id) => {
      const path = join(directory, `${id}.json`);
      const lines = (await readFile(path, 'utf8')).split('\n');
      lines[2] = lines[2]!.slice(0, -3);
      await writeFile(path, lines.join('\n'));
    },
    teardown: async () => {
      await store.close();
      await rm(parent, { recursive: true, force: true });
    },
  };
});
