import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fileStore } from '../../../src/main/journal/file';
import { spawnCommand, workbench } from '../../support/cli';
import { bring } from '../../support/histories';
import { answerRecord, metaRecord } from '../../support/journal-records';
import { until } from '../../support/wait';

it('clears what a killed export left in its folder, once nobody writes it, and nothing else', async () => {
  const { runs, folder, run } = workbench();
  const store = fileStore(runs);
  const text = 'words & <more> words\n'.repeat(50_000);
  await bring(store, 'long', [
    metaRecord('long'),
    ...Array.from({ length: 60 }, (_, n) => answerRecord(n + 2, text, n)),
  ]);
  await bring(store, 'short', [metaRecord('short'), answerRecord(2, 'x')]);
  await store.close();
  const out = join(folder, 'out');
  mkdirSync(out);
  const mine = ['.a.md.0a1b2c3d.part', '.b.part', 'c.holdfast-0a1b2c3d.part'];
  for (const name of mine) writeFileSync(join(out, name), 'mine');
  const parts = () => readdirSync(out).filter((name) => /^\.long\.md\.holdfast-.*\.part$/.test(name));
  const shop = (name: string) => ['export', name, '--format', 'md', '--store', `file:${runs}`, '--out'];

  const command = spawnCommand([...shop('long'), join(out, 'long.md')]);
  // Before it has bytes it may not be locked yet, and then it may go.
  await until(() => parts().some((name) => statSync(join(out, name)).size > 0), 60_000);
  // While it is being written, another export leaves it alone.
  command.child.kill('SIGSTOP');
  expect((await run([...shop('short'), join(out, 'first.md')])).exit).toBe(0);
  expect(parts()).toHaveLength(1);
  command.child.kill('SIGKILL');
  expect(await command.ended).toMatchObject({ signal: 'SIGKILL' });
  expect(parts()).toHaveLength(1);
  expect((await run([...shop('short'), join(out, 'second.md')])).exit).toBe(0);
  expect(readdirSync(out).sort()).toEqual([...mine, 'first.md', 'second.md'].sort());
});
