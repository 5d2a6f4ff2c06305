import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeRecord } from '../../../src/shared/run/codec';
import type { Journal } from '../../../src/main/journal/journal';
import {
  answerRecord,
  chatRecords,
  metaRecord,
  resultRecord,
  userRecord,
} from '../../support/journal-records';
import { failureOf } from '../../support/wait';
import { newId } from './bench';
import type { Bench } from './bench';

/** Ids, create, append and open: what a writer is promised. */
export function writing(on: Bench): void {
  describe('ids', () => {
    const bad = [
      '',
      '.',
      '..',
      '../x',
      'a/b',
      'a\\b',
      'a.b',
      'a b',
      '-a',
      '_a',
      'a'.repeat(129),
      'ä',
      'a\n',
      'a*',
      'a>',
      'a\0b',
    ];
    it.each(bad)('are refused before anything is touched: %j', async (id) => {
      const calls: (() => Promise<unknown>)[] = [
        () => on.store.create(id, metaRecord('x')),
        () => on.store.open(id),
        () => on.store.load(id),
        () => on.store.bytes(id),
        () => on.store.summary(id),
        () => on.store.trash(id),
        () => on.store.restore(id),
        () => on.store.purge(id),
        () => on.store.label(id, { title: 'x' }),
        () => on.store.writer(id),
        () => on.store.kept(id, 'x'),
      ];
      for (const call of calls) expect((await failureOf(call())).code).toBe('invalid_id');
    });

    it.each(['CON', 'aux', 'nUl', 'prn', 'com1', 'Lpt9'])(
      'that Windows keeps for a device are given to no new run: %s',
      async (id) => {
        expect((await failureOf(on.store.create(id, metaRecord(id)))).code).toBe('invalid_id');
        const lines = [Buffer.from(encodeRecord(metaRecord(id)))];
        const brought = on.store.import?.(id, { lines, catalogue: {}, texts: [] });
        if (brought) expect((await failureOf(brought)).code).toBe('invalid_id');
        // An old one is looked for like any other.
        expect((await failureOf(on.store.load(id))).code).toBe('not_found');
      },
    );

    it('of 128 characters, with digits, dashes and underscores, are names like any other', async () => {
      const id = `9_-${'Z'.repeat(125)}`;
      await on.made((name) => [metaRecord(name)], id);
      expect((await on.store.load(id)).records).toHaveLength(1);
      await on.store.purge(id);
    });
  });

  describe('create', () => {
    it('resolves with the meta record durable and the writer held', async () => {
      const id = newId();
      const journal = await on.store.create(id, metaRecord(id));
      expect(journal.id).toBe(id);
      expect(journal.store).toBe(on.store);
      expect(journal.lastSeq).toBe(1);
      expect(journal.durability).toBe(on.store.durability);
      expect(journal.dead).toBeUndefined();
      expect((await on.other.load(id)).records.map(encodeRecord)).toEqual([encodeRecord(metaRecord(id))]);
      if (on.store.supports.lock) expect((await failureOf(on.other.open(id))).code).toBe('locked');
      await journal.close();
    });

    it('refuses an id that is in use, whether the run is being written or at rest', async () => {
      const id = newId();
      const journal = await on.store.create(id, metaRecord(id));
      expect((await failureOf(on.other.create(id, metaRecord(id, 'other')))).code).toBe('exists');
      await journal.close();
      expect((await failureOf(on.other.create(id, metaRecord(id, 'other')))).code).toBe('exists');
      expect((await on.store.load(id)).state.prompt).toBe(metaRecord(id).meta!.prompt);
    });

    it('lets exactly one of several creators win, and its record stays', async () => {
      for (let round = 0; round < 5; round++) {
        const id = newId();
        const tries = await Promise.allSettled(
          [on.store, on.other, on.store, on.other].map((handle, n) =>
            handle.create(id, metaRecord(id, `prompt ${n}`)),
          ),
        );
        const won = tries.flatMap((one, n) =>
          one.status === 'fulfilled' ? [{ n, journal: one.value }] : [],
        );
        expect(won).toHaveLength(1);
        for (const one of tries)
          if (one.status === 'rejected')
            expect(['exists', 'locked']).toContain((await failureOf(Promise.reject(one.reason))).code);
        expect((await on.store.load(id)).state.prompt).toBe(`prompt ${won[0]!.n}`);
        await won[0]!.journal.close();
      }
    });

    it('takes nothing but a meta record with number 1, and leaves the id free', async () => {
      const id = newId();
      expect((await failureOf(on.store.create(id, { ...metaRecord(id), seq: 2 }))).code).toBe('seq_gap');
      expect((await failureOf(on.store.create(id, { ...answerRecord(1, 'x') }))).code).toBe('no_meta');
      expect((await failureOf(on.store.load(id))).code).toBe('not_found');
      await (await on.store.create(id, metaRecord(id))).close();
    });

    it('keeps a meta line whose run_id is another one, as a copy or a fork has it', async () => {
      const id = newId();
      await on.made(() => [metaRecord('somebody-else')], id);
      const summary = await on.store.summary(id);
      expect([summary.id, summary.runId]).toEqual([id, 'somebody-else']);
    });
  });

  describe('append', () => {
    let journal: Journal;
    let id: string;
    beforeAll(async () => {
      id = newId();
      journal = await on.store.create(id, metaRecord(id));
    });
    afterAll(() => journal.close());

    it('moves lastSeq only once the record is durable, and tells where it stands', async () => {
      const record = answerRecord(2, 'two');
      const pending = journal.append(record);
      expect(journal.lastSeq).toBe(1);
      const place = await pending;
      expect(journal.lastSeq).toBe(2);
      const loaded = await on.other.load(id);
      expect(loaded.records.map(encodeRecord)).toEqual([metaRecord(id), record].map(encodeRecord));
      expect(place).toEqual(loaded.places[1]);
      expect(place.seq).toBe(2);
    });

    it('takes the same record again in silence and writes nothing', async () => {
      const before = await on.store.bytes(id);
      const first = await journal.append(answerRecord(2, 'two'));
      expect(first).toEqual((await on.store.load(id)).places[1]);
      expect((await journal.append(metaRecord(id))).seq).toBe(1);
      expect(Buffer.from(await on.store.bytes(id)).equals(Buffer.from(before))).toBe(true);
      expect(journal.lastSeq).toBe(2);
    });

    it('refuses another record under a number that is taken, and goes on', async () => {
      expect((await failureOf(journal.append(answerRecord(2, 'other words')))).code).toBe('conflict');
      expect((await failureOf(journal.append(answerRecord(2, 'owt')))).code).toBe('conflict');
      expect((await failureOf(journal.append(metaRecord(id, 'other prompt')))).code).toBe('conflict');
      expect(journal.dead).toBeUndefined();
    });

    it.each([0, -1, 1.5, 4, 99, Number.NaN, 2 ** 53])(
      'refuses record number %d after 2, and goes on',
      async (seq) => {
        expect((await failureOf(journal.append({ ...answerRecord(3, 'x'), seq }))).code).toBe('seq_gap');
        expect(journal.dead).toBeUndefined();
        expect((await on.store.load(id)).records).toHaveLength(2);
      },
    );

    it('writes calls in the order they were made, without waiting in between', async () => {
      const records = chatRecords(id, 30);
      const run = await on.store.create(newId(), records[0]!);
      const places = await Promise.all(records.slice(1).map((record) => run.append(record)));
      expect(places.map((place) => place.seq)).toEqual(records.slice(1).map((record) => record.seq));
      expect((await on.other.load(run.id)).records.map(encodeRecord)).toEqual(records.map(encodeRecord));
      await run.close();
    });

    it('is seen by readers as soon as it resolved', async () => {
      for (let seq = journal.lastSeq + 1, end = seq + 8; seq < end; seq++) {
        await journal.append(seq % 2 ? userRecord(seq, `u${seq}`) : answerRecord(seq, `a${seq}`, seq));
        expect((await on.other.load(id)).facts.lastSeq).toBe(seq);
      }
    });

    it('fails for good after close', async () => {
      const run = await on.store.create(newId(), metaRecord('x'));
      await run.close();
      await run.close();
      expect((await failureOf(run.append(answerRecord(2, 'late')))).code).toBe('journal_dead');
      expect((await on.store.load(run.id)).records).toHaveLength(1);
    });

    it('finishes what was begun before close', async () => {
      const run = await on.store.create(newId(), metaRecord('x'));
      const writes = [run.append(answerRecord(2, 'a')), run.append(userRecord(3, 'b'))];
      await run.close();
      await Promise.all(writes);
      expect((await on.store.load(run.id)).records).toHaveLength(3);
    });
  });

  describe('open', () => {
    it('takes the writer’s place and goes on after the last record', async () => {
      const id = await on.chat(6);
      const journal = await on.other.open(id);
      expect([journal.id, journal.lastSeq, journal.store]).toEqual([id, 6, on.other]);
      await journal.append(resultRecord(7, 'call_6', 'done'));
      await journal.close();
      expect((await on.store.load(id)).records).toHaveLength(7);
    });

    it('knows records that an earlier writer wrote: same is silent, other is a conflict', async () => {
      const id = await on.chat(6);
      const journal = await on.other.open(id);
      const records = chatRecords(id, 6);
      for (const record of records) expect((await journal.append(record)).seq).toBe(record.seq);
      expect((await failureOf(journal.append(answerRecord(4, 'else')))).code).toBe('conflict');
      expect((await on.store.load(id)).records).toHaveLength(6);
      await journal.close();
    });

    it('of a held run is refused at once where there are locks, and blames nobody', async () => {
      if (!on.store.supports.lock) return;
      const id = newId();
      const journal = await on.store.create(id, metaRecord(id));
      for (const handle of [on.store, on.other]) {
        const failure = await failureOf(handle.open(id));
        expect(failure.code).toBe('locked');
        expect(failure.message).not.toContain(id);
        expect(failure.message).not.toMatch(/\d/);
      }
      await journal.append(answerRecord(2, 'still mine'));
      await journal.close();
      await (await on.other.open(id)).close();
    });

    it('gives the place to one of several who want it', async () => {
      if (!on.store.supports.lock) return;
      const id = await on.chat(3);
      const tries = await Promise.allSettled(
        [on.store, on.other, on.store, on.other].map((handle) => handle.open(id)),
      );
      const won = tries.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      expect(won).toHaveLength(1);
      await won[0]!.close();
    });

    it('rejects a writer that lost the run, and nothing of it gets in', async () => {
      if (on.store.supports.lock || !on.store.supports.fence) return;
      const id = await on.chat(3);
      const [stale, fresh] = [await on.store.open(id), await on.other.open(id)];
      await fresh.append(answerRecord(4, 'fresh', 1));
      expect((await failureOf(stale.append(answerRecord(4, 'stale', 1)))).code).toBe('journal_dead');
      expect(stale.dead).toBeDefined();
      expect((await failureOf(stale.append(userRecord(5, 'stale')))).code).toBe('journal_dead');
      await fresh.append(userRecord(5, 'fresh'));
      const text = Buffer.from(await on.store.bytes(id)).toString('utf8');
      expect([text.includes('stale'), (await on.store.load(id)).records.length]).toEqual([false, 5]);
      await Promise.all([stale.close(), fresh.close()]);
    });
  });
}
