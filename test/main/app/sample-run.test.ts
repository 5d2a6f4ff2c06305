import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { bringSample } from '../../../src/main/app/sample-run';
import { SAMPLE_RUN } from '../../../src/shared/run/names';
import { fileStore } from '../../../src/main/journal/file';
import { agentParts } from '../../../src/main/parts';
import { preflight } from '../../../src/main/agent';
import { PRACTICE } from '../../../src/main/settings/profiles';
import { runStatus } from '../../../src/shared/run/status';
import { testWitness } from '../../support/agent';
import { startChat, makeDesk } from '../../support/app';

process.env.HOLDFAST_PRACTICE_DELAY = '0';
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-sample-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const parts = agentParts({}, undefined, { witness: testWitness });
const state = () => join(folder, 'state');
const open = () => fileStore(join(folder, 'runs'));

it('is there on the first start, marked and whole, and goes on like any other after its origin was seen', async () => {
  const store = open();
  await bringSample(store, state(), parts);
  await bringSample(store, state(), parts);
  const rows = await store.list();
  expect(rows).toHaveLength(1);
  const [row] = rows;
  expect(row).toMatchObject({ health: 'ok', catalogue: { tags: ['sample'] } });
  expect(row?.catalogue.title).toMatch(/^Sample/);
  expect(runStatus(row!)).toBe('your_turn');
  const { warnings, sidecar, state: folded } = await store.load(row!.id);
  expect([warnings, folded.pending, folded.counters.llm_calls, folded.counters.tool_calls]).toEqual([
    [],
    null,
    4,
    4,
  ]);
  expect(sidecar.at(-1)).toMatchObject({ kind: 'lineage', from: SAMPLE_RUN });
  const seen = await preflight(parts, { store, id: row!.id, profile: PRACTICE, approvals: 'ask' });
  expect([seen.ok, seen.origin.kind, seen.diff.some(({ changed }) => changed)]).toEqual([
    true,
    'import',
    false,
  ]);
  await store.close();
});

it('does not come back once it is deleted, nor after the trash is emptied', async () => {
  const store = open();
  await bringSample(store, state(), parts);
  const [row] = await store.list();
  await store.trash(row!.id);
  await bringSample(store, state(), parts);
  expect(await store.list()).toEqual([]);
  await store.purge(row!.id);
  await bringSample(store, state(), parts);
  expect(await store.list()).toEqual([]);
  await store.close();
});

it('never comes beside other runs, not even when those are gone later, and its failure stops no start', async () => {
  const desk = makeDesk({ home: folder });
  const { id, shown } = await startChat(desk.window(), 'hello');
  await shown.status('your_turn');
  await desk.close();
  const store = open();
  await bringSample(store, state(), parts);
  expect((await store.list()).map((row) => row.id)).toEqual([id]);
  await store.purge(id);
  await bringSample(store, state(), parts);
  expect(await store.list()).toEqual([]);
  const broken = {
    ...store,
    supports: store.supports,
    list: () => Promise.reject(new Error('away')),
    import: store.import?.bind(store),
  };
  await bringSample(broken as unknown as typeof store, join(folder, 'other'), parts);
  await store.close();
});
