import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { preflight, resumeRun } from '../../../src/main/agent';
import { fileStore } from '../../../src/main/journal/file';
import { memoryStore } from '../../../src/main/journal/memory';
import { pointsOf } from '../../../src/main/library/compare';
import { continueRun, forkPoints, forkRun } from '../../../src/main/library/fork';
import { encodeLine } from '../../../src/shared/run/codec';
import { foldRecords } from '../../../src/shared/run/fold';
import { startRun } from '../../../src/main/agent';
import { testParts, testProfile } from '../../support/agent';
import { tempFolder } from '../../support/folder';
import { bring, bringRich, richRecords } from '../../support/histories';
import { chatRecords, metaRecord } from '../../support/journal-records';
import { scriptedModel } from '../../support/scripted-model';

let next = 0;
const newId = () => `fork${++next}`;
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('a fork', () => {
  it('may begin after every record where nothing is open, and nowhere else', () => {
    expect(forkPoints(richRecords('r'))).toEqual([1, 4, 5, 7, 9, 10, 11, 12, 13, 14]);
    expect(forkPoints([metaRecord('r')])).toEqual([1]);
  });

  it('finds where it may begin in one pass, however long the run is', () => {
    const run = chatRecords('r', 20_000);
    const best = (work: () => unknown) =>
      Math.min(
        ...Array.from({ length: 3 }, () => {
          const start = performance.now();
          work();
          return performance.now() - start;
        }),
      );
    // A fold is one pass too; a look at the whole conversation after each record would take hundreds of them.
    const fold = best(() => foldRecords(run));
    expect(best(() => forkPoints(run)) / fold).toBeLessThan(10);
    expect(best(() => pointsOf(run)) / fold).toBeLessThan(10);
    expect(pointsOf(run).map(({ seq }) => seq)).toEqual(forkPoints(run));
  });

  it('has the bytes of the original up to there, and knows where it came from', async () => {
    const store = fileStore(join(tempFolder(), 'runs'));
    const bytes = await bringRich(store);
    for (const at of forkPoints(richRecords('rich'))) {
      const made = await forkRun(store, 'rich', { at, newId });
      const fork = Buffer.from(await store.bytes(made.id));
      expect(fork).toEqual(bytes.subarray(0, fork.length));
      const { records, sidecar, sidecarBound, catalogue, state } = await store.load(made.id);
      expect([records.at(-1)?.seq, state.pending, sidecarBound]).toEqual([at, null, true]);
      expect(sidecar.at(-1)).toMatchObject({
        kind: 'lineage',
        why: 'fork',
        from: 'rich',
        store: store.url,
        through_seq: at,
        prefix_sha256: sha256(fork),
      });
      expect(made).toMatchObject({ through: at, prefixSha256: sha256(fork), records: records.length });
      expect(catalogue.title).toBe('A <rich> run (fork)');
      // What came later is not noted of it: neither the drift that was forced then, nor a tool that began then.
      expect(sidecar.some(({ kind }) => kind === 'intent')).toBe(false);
      expect(sidecar.some(({ kind }) => kind === 'resume')).toBe(at >= 6);
      expect(sidecar.some(({ kind }) => kind === 'partial')).toBe(false);
    }
    expect(Buffer.from(await store.bytes('rich'))).toEqual(bytes);
  });

  it.each([
    [3, { before: 1, after: 4 }],
    [6, { before: 5, after: 7 }],
    [15, { before: 14 }],
    [99, { before: 14 }],
    [0, { after: 1 }],
  ])('at record %i is refused, with the boundaries that are near', async (at, near) => {
    const store = memoryStore();
    await bringRich(store);
    await expect(forkRun(store, 'rich', { at, newId })).rejects.toMatchObject({
      code: 'bad_request',
      data: { at, ...near },
    });
    expect(await store.list()).toHaveLength(1);
  });

  it('is resumed through the same gates, and goes its own way', async () => {
    const store = memoryStore();
    const model = scriptedModel([{ text: 'one' }, { text: 'two' }, { text: 'other' }]);
    const parts = testParts(model, []);
    const profile = testProfile();
    const session = await startRun(parts, {
      store,
      prompt: 'go',
      chat: true,
      profile,
      approvals: 'ask',
      id: 'r',
    });
    await session.settled();
    void session.say('and then');
    await session.settled();
    await session.close();
    const { id } = await forkRun(store, 'r', { at: 2, newId });
    const drifted = testProfile({ system_prompt: 'Something else' });
    const flight = await preflight(parts, { store, id, profile: drifted, approvals: 'ask' });
    expect(flight.ok).toBe(false);
    const resumed = await resumeRun(parts, { store, id, profile, approvals: 'ask', say: 'another way' });
    await resumed.settled();
    await resumed.close();
    const before = (await store.load('r')).records;
    const after = (await store.load(id)).records;
    expect(after.slice(0, 2)).toEqual(before.slice(0, 2));
    expect(JSON.stringify(after.slice(2))).toContain('another way');
    expect(JSON.stringify(before)).not.toContain('another way');
    expect(model.requests.at(-1)?.messages).toHaveLength(3);
  });
});

describe('continue here', () => {
  it('copies a run of a folder that is only read, and what was unknown there is unknown here', async () => {
    const home = tempFolder();
    const foreign = join(home, 'foreign');
    mkdirSync(foreign);
    const bytes = Buffer.concat(richRecords('theirs').map(encodeLine));
    writeFileSync(join(foreign, 'theirs.json'), bytes);
    const from = fileStore(foreign);
    const to = fileStore(join(home, 'ours'));
    await expect(forkRun(from, 'theirs', { at: 5, newId })).rejects.toMatchObject({ code: 'unsupported' });
    const made = await continueRun(from, 'theirs', to, { newId });
    expect(Buffer.from(await to.bytes(made.id))).toEqual(bytes);
    const { sidecar, sidecarBound } = await to.load(made.id);
    expect(sidecar.at(-1)).toMatchObject({
      why: 'continue',
      from: 'theirs',
      store: from.url,
      through_seq: 16,
    });
    expect(sidecarBound).toBe(false);
    expect(readFileSync(join(foreign, 'theirs.json'))).toEqual(bytes);
    // Copied once more, it stays unknown.
    const again = await forkRun(to, made.id, { newId });
    expect((await to.load(again.id)).sidecarBound).toBe(false);
  });

  it('of our own store keeps what was noted', async () => {
    const store = memoryStore();
    await bring(store, 'r', chatRecords('r', 4), {
      sidecar: [{ kind: 'time', seq: 2, at: '2026-01-01T00:00:00Z' }],
    });
    const { id } = await forkRun(store, 'r', { newId });
    const { sidecar, sidecarBound } = await store.load(id);
    expect(sidecarBound).toBe(true);
    expect(sidecar.map(({ kind }) => kind)).toEqual(['bind', 'time', 'lineage']);
  });
});
