import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeRecord } from '../../src/shared/run/codec';
import { stateText } from '../../src/shared/run/fold';
import { copyRun } from '../../src/main/journal/copy';
import { fileStore } from '../../src/main/journal/file';
import { natsStore } from '../../src/main/journal/jetstream';
import type { RunStore } from '../../src/main/journal/journal';
import { memoryStore } from '../../src/main/journal/memory';
import { tempFolder } from '../support/folder';
import { foldCases } from '../support/fold-cases';
import { answerRecord, chatRecords, metaRecord, resultRecord, userRecord } from '../support/journal-records';
import { everyNatsServer, NatsServer } from '../support/nats-server';
import { failureOf } from '../support/wait';

const at = '2026-07-20T09:08:07Z';

/** The same store, but for some of what it does. */
const altered = (store: RunStore, instead: Partial<RunStore>): RunStore =>
  new Proxy(store, {
    get(target, name) {
      const value: unknown = name in instead ? instead[name as keyof RunStore] : Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });

/** A folder store that is ready to have journals put into it by hand. */
async function folderStore(): Promise<{ store: RunStore; folder: string }> {
  const folder = tempFolder();
  const store = fileStore(folder);
  await (await store.create('first', metaRecord('first'))).close();
  return { store, folder };
}

describe.each(everyNatsServer())('Runs between a folder and nats-server $version', (kind) => {
  let server: NatsServer;
  let nats: RunStore;
  beforeAll(async () => {
    server = await NatsServer.start(kind);
    nats = await natsStore(await server.addStream('RUNS'));
  });
  afterAll(async () => {
    await nats.close();
    await server.stop();
  });

  it('have the same bytes and the same fold in both', async () => {
    const { store: file } = await folderStore();
    const records = chatRecords('same', 25);
    for (const store of [file, nats]) {
      const journal = await store.create('same', records[0]!);
      for (const record of records.slice(1)) await journal.append(record);
      await journal.close();
    }
    const [a, b] = [await file.bytes('same'), await nats.bytes('same')];
    expect(Buffer.compare(a, b)).toBe(0);
    const [one, two] = [await file.load('same'), await nats.load('same')];
    expect(stateText(one.state)).toBe(stateText(two.state));
    expect([two.facts, two.warnings, two.places]).toEqual([one.facts, one.warnings, one.places]);
  });

  it('come back unchanged: every lawful journal that the reference reads', async ({ annotate }) => {
    const { store: file, folder } = await folderStore();
    const { store: back } = await folderStore();
    let [copied, torn, refused] = [0, 0, 0];
    for (const [n, { journal, stateText: expected }] of foldCases().entries()) {
      const id = `case-${kind.version.replace('.', '-')}-${n}`;
      writeFileSync(join(folder, `${id}.json`), journal);
      if (expected === undefined) {
        await failureOf(copyRun(file, nats, id));
        await failureOf(nats.load(id));
        refused += 1;
        continue;
      }
      const before = await file.load(id);
      const there = await copyRun(file, nats, id);
      const home = await copyRun(nats, back, id);
      if (there.dropped === 0)
        expect(Buffer.from(await back.bytes(id)).subarray(0, journal.length)).toEqual(Buffer.from(journal));
      else torn += 1;
      expect(Buffer.compare(await back.bytes(id), await nats.bytes(id))).toBe(0);
      expect([home.sha256, home.records]).toEqual([there.sha256, there.records]);
      for (const store of [nats, back])
        expect(stateText((await store.load(id)).state)).toBe(stateText(before.state));
      copied += 1;
    }
    expect(copied).toBeGreaterThan(100);
    await annotate(
      `copy ${kind.version}: ${copied} lawful journals over and back unchanged, ${torn} of them without a torn or blank end, ${refused} damaged ones refused`,
      'figures',
    );
  });

  it('take their notes, labels and kept texts along', async () => {
    const { store: file } = await folderStore();
    const journal = await file.create('beside', metaRecord('beside'));
    await journal.append(answerRecord(2, 'x'));
    const name = await journal.keep('call_1', 'the whole text '.repeat(100_000));
    await journal.note({ kind: 'clip', at, tool_use_id: 'call_1', file: name, bytes: 1_500_000 });
    await journal.note({ kind: 'config', at, profile: 'P', folder: '/tmp/x' });
    await journal.close();
    await file.label('beside', { title: 'A title', tags: ['a'], pinned: true });

    const report = await copyRun(file, nats, 'beside', { as: `beside-${kind.version.replace('.', '-')}` });
    expect(report).toMatchObject({ records: 2, texts: 1, notes: 3, missingTexts: [], dropped: 0 });
    const copy = await nats.load(report.as);
    const original = await file.load('beside');
    const notes = (entries: typeof copy.sidecar) => entries.filter(({ kind: k }) => k !== 'bind');
    expect(notes(copy.sidecar)).toEqual(notes(original.sidecar));
    expect([copy.sidecarBound, copy.catalogue]).toEqual([true, original.catalogue]);
    expect(await nats.kept(report.as, name)).toBe('the whole text '.repeat(100_000));

    const again = await nats.open(report.as);
    await again.append(userRecord(3, 'and on'));
    await again.note({ kind: 'config', at, profile: 'Q' });
    await again.close();
    const memory = memoryStore();
    await copyRun(nats, memory, report.as);
    expect(notes((await memory.load(report.as)).sidecar)).toEqual([
      ...notes(original.sidecar),
      { kind: 'config', at, profile: 'Q' },
    ]);
    expect(await memory.kept(report.as, name)).toBe('the whole text '.repeat(100_000));
  });

  it('keep gaps in their numbers, and are shown with the same row', async () => {
    const { store: file, folder } = await folderStore();
    const records = [
      metaRecord('gaps'),
      { ...answerRecord(2, 'a'), seq: 5 },
      { ...userRecord(3, 'b'), seq: 9 },
    ];
    writeFileSync(join(folder, 'gaps.json'), records.map((one) => `${encodeRecord(one)}\n`).join(''));
    await copyRun(file, nats, 'gaps');
    const loaded = await nats.load('gaps');
    expect(loaded.records.map((one) => one.seq)).toEqual([1, 5, 9]);
    expect(loaded.warnings.map((one) => one.code)).toContain('seq_gap');
    const [a, b] = [await file.summary('gaps'), await nats.summary('gaps')];
    // What is each store's own.
    const own = { updated: 0, durability: 0, mark: 0 };
    expect({ ...b, ...own }).toEqual({ ...a, ...own });
    const journal = await nats.open('gaps');
    expect((await failureOf(journal.append({ ...answerRecord(2, 'late'), seq: 7 }))).code).toBe('conflict');
    await journal.append({ ...answerRecord(2, 'on', 1), seq: 10 });
    await journal.close();
  });

  it('are not copied over a run that is there, in the trash, or into a store that only reads', async () => {
    const { store: file } = await folderStore();
    const id = 'taken';
    for (const store of [file, nats]) await (await store.create(id, metaRecord(id, store.url))).close();
    expect((await failureOf(copyRun(file, nats, id))).code).toBe('exists');
    expect((await failureOf(copyRun(nats, file, id))).code).toBe('exists');
    await nats.trash(id);
    expect((await failureOf(copyRun(file, nats, id))).code).toBe('exists');
    await nats.restore(id);
    expect((await nats.load(id)).state.prompt).toBe(nats.url);
    const reading = altered(file, { supports: { ...file.supports, write: false } });
    expect((await failureOf(copyRun(nats, reading, id, { as: 'free' }))).code).toBe('unsupported');
    expect((await failureOf(copyRun(nats, file, 'nobody'))).code).toBe('not_found');
  });

  it('are read again while they move, and what is copied is one moment of them', async () => {
    const { store: file } = await folderStore();
    const id = 'moving';
    const journal = await nats.create(id, metaRecord(id));
    const records = chatRecords(id, 400).slice(1);
    let [readings, seq] = [0, 0];
    /** Grows while it is read the first times, then holds still. */
    const moving = altered(nats, {
      async bytes(asked) {
        readings += 1;
        if (readings <= 3) await journal.append(records[seq++]!);
        return nats.bytes(asked);
      },
    });
    const report = await copyRun(moving, file, id);
    expect(report).toMatchObject({ readings: 4, records: 4 });
    expect(Buffer.compare(await file.bytes(id), await nats.bytes(id))).toBe(0);

    const restless = altered(nats, {
      async bytes(asked) {
        await journal.append(records[seq++]!);
        return nats.bytes(asked);
      },
    });
    expect((await failureOf(copyRun(restless, file, id, { as: 'never' }))).code).toBe('busy');
    expect((await failureOf(file.load('never'))).code).toBe('not_found');
    await journal.close();
  });

  it('that do not fit a message are refused before anything is written', async () => {
    const { store: file } = await folderStore();
    const journal = await file.create('large', metaRecord('large'));
    await journal.append(answerRecord(2, 'x'.repeat(1_100_000)));
    await journal.close();
    const failure = await failureOf(copyRun(file, nats, 'large'));
    expect([failure.code, failure.todo]).toEqual(['too_large', expect.stringContaining('max_payload')]);
    expect((await failureOf(nats.load('large'))).code).toBe('not_found');
    await (await nats.create('large', metaRecord('large'))).close();
  });

  it('are hidden while they are on their way, and half a copy is replaced by the next', async () => {
    const { store: file } = await folderStore();
    const id = 'halfway';
    const journal = await file.create(id, metaRecord(id));
    await Promise.all(
      chatRecords(id, 3_000)
        .slice(1)
        .map((record) => journal.append(record)),
    );
    await journal.close();
    const hasty = await natsStore(server.url('RUNS'), {
      patienceMs: 300,
      readPatienceMs: 300,
      askMs: 100,
      ackMs: 200,
    });
    let killed: Promise<void> | undefined;
    const stop = nats.watch((change) => {
      if (change.id === id && change.what === 'grown') killed ??= server.kill();
    });
    await failureOf(copyRun(file, hasty, id));
    stop();
    // On a busy machine the copy may have given up by itself before.
    await (killed ?? server.kill());
    await server.run();
    expect((await nats.list()).some((row) => row.id === id)).toBe(false);
    expect((await failureOf(nats.load(id))).code).toBe('not_found');
    await hasty.close();
    const report = await copyRun(file, nats, id);
    expect(report.records).toBe(3_000);
    expect(Buffer.compare(await file.bytes(id), await nats.bytes(id))).toBe(0);
    await nats.purge(id);
  });

  it('go on in the other store where they stopped, answer for answer', async () => {
    const { store: file } = await folderStore();
    const id = 'goes-on';
    const records = chatRecords(id, 6);
    const journal = await nats.create(id, records[0]!);
    for (const record of records.slice(1)) await journal.append(record);
    await journal.close();
    await copyRun(nats, file, id);
    const next = await file.open(id);
    await next.append(resultRecord(7, 'call_6', 'done'));
    await next.close();
    expect((await file.load(id)).state.pending).toBeNull();
  });
});
