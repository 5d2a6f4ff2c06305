import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { makeDesk, makeHomeFolder, Shown, startChat, type Desk } from '../../support/app';

const desks: Desk[] = [];
const open = (home: string, picks: string[] = []): Desk => {
  const desk = makeDesk({ home, kind: 'electron', picks });
  desks.push(desk);
  return desk;
};
afterEach(async () => {
  for (const desk of desks.splice(0)) await desk.close();
});
const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'done',
    (error: unknown) => (error as { code: string }).code,
  );
const choice = { profile: 'Practice', force: false, acceptEndpoint: false, unknown: [] };

it('a folder that was exchanged since a run was given it is refused, by its name too, until it is chosen again', async () => {
  const home = makeHomeFolder();
  const work = join(home, 'papers');
  mkdirSync(work);
  const first = open(home, [work]);
  const client = first.window();
  const { folder } = await client.call('folder.pick', {});
  const { id, shown } = await startChat(client, 'list', { folder });
  await shown.status('your_turn');
  await first.app.close();

  renameSync(work, `${work}-moved`);
  mkdirSync(join(home, 'other'));
  writeFileSync(join(home, 'other', 'private.txt'), 'canary-4711');
  symlinkSync(join(home, 'other'), work);
  const linked = open(home).window();
  for (const more of [{}, { folder: work }])
    expect(await codeOf(linked.call('run.resume', { id, ...choice, ...more, say: 'list' }))).not.toBe('done');
  expect(await codeOf(linked.call('run.say', { id, text: 'list' }))).toBe('not_found');
  await desks.at(-1)?.app.close();

  renameSync(work, `${work}-link`);
  mkdirSync(work);
  const last = open(home, [work]);
  const again = last.window();
  expect(await codeOf(again.call('run.resume', { id, ...choice, folder: work, say: 'list' }))).toBe(
    'forbidden',
  );
  const picked = await again.call('folder.pick', {});
  expect(await codeOf(again.call('run.resume', { id, ...choice, folder: picked.folder, say: 'list' }))).toBe(
    'done',
  );
  const seen = await new Shown(again, id).status('your_turn');
  expect(JSON.stringify(seen.list())).not.toContain('canary-4711');
});
