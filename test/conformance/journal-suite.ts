import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHash, randomBytes } from 'node:crypto';
import { encodeLine, encodeRecord } from '../../src/shared/run/codec';
import { foldRecords, stateText } from '../../src/shared/run/fold';
import type { RunRecord } from '../../src/shared/run/record';
import type { SidecarEntry } from '../../src/shared/run/sidecar';
import type { Journal, RunStore, StoreChange } from '../../src/main/journal/journal';
import {
  answerRecord,
  callRecord,
  chatRecords,
  fingerprint,
  metaRecord,
  resultRecord,
  terminalRecord,
  userRecord,
} from '../support/journal-records';
import { failureOf, until } from '../support/wait';

/** What an adapter's test file gives to the suite. */
export interface JournalSetup {
  store: RunStore;
  /** A second handle on the same place, as another process would have it. Absent: the place is this process's own. */
  reopen?(): Promise<RunStore>;
  /** Damages the middle of a run that nobody writes, so that it is `corrupt`. */
  corrupt?(id: string): Promise<void>;
  teardown(): Promise<void>;
}

const newId = (): string => `t${randomBytes(9).toString('hex')}`;
const at = '2026-07-20T09:08:07Z';
const config = (profile: string): SidecarEntry => ({ kind: 'config', at, profile, folder: '/tmp/x' });
const withoutBind = (entries: SidecarEntry[]) => entries.filter((entry) => entry.kind !== 'bind');

/** Every promise of journal.ts as a test. Adapters differ only where `supports` says so. */
export function journalSuite(name: string, setup: () => Promise<JournalSetup>): void {
  describe(`${name} keeps the promises of a run store`, () => {
    let context: JournalSetup;
    let store: RunStore;
    /** A second handle where there can be one. */
    let other: RunStore;

    beforeAll(async () => {
      context = await setup();
      store = context.store;
      other = context.reopen ? await context.reopen() : store;
    });
    afterAll(async () => {
      if (other !== store) await other.close();
      await context.teardown();
    });

    /** A closed run with these records. */
    async function made(records: (id: string) => RunRecord[], id = newId()): Promise<string> {
      const [meta, ...rest] = records(id);
      const journal = await store.create(id, meta!);
      for (const record of rest) await journal.append(record);
      await journal.close();
      return id;
    }
    const chat = (length: number) => made((id) => chatRecords(id, length));

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
          () => store.create(id, metaRecord('x')),
          () => store.open(id),
          () => store.load(id),
          () => store.bytes(id),
          () => store.summary(id),
          () => store.trash(id),
          () => store.restore(id),
          () => store.purge(id),
          () => store.label(id, { title: 'x' }),
          () => store.writer(id),
          () => store.kept(id, 'x'),
        ];
        for (const call of calls) expect((await failureOf(call())).code).toBe('invalid_id');
      });

      it('of 128 characters, with digits, dashes and underscores, are names like any other', async () => {
        const id = `9_-${'Z'.repeat(125)}`;
        await made((name) => [metaRecord(name)], id);
        expect((await store.load(id)).records).toHaveLength(1);
        await store.purge(id);
      });
    });

    describe('create', () => {
      it('resolves with the meta record durable and the writer held', async () => {
        const id = newId();
        const journal = await store.create(id, metaRecord(id));
        expect(journal.id).toBe(id);
        expect(journal.store).toBe(store);
        expect(journal.lastSeq).toBe(1);
        expect(journal.durability).toBe(store.durability);
        expect(journal.dead).toBeUndefined();
        expect((await other.load(id)).records.map(encodeRecord)).toEqual([encodeRecord(metaRecord(id))]);
        if (store.supports.lock) expect((await failureOf(other.open(id))).code).toBe('locked');
        await journal.close();
      });

      it('refuses an id that is in use, whether the run is being written or at rest', async () => {
        const id = newId();
        const journal = await store.create(id, metaRecord(id));
        expect((await failureOf(other.create(id, metaRecord(id, 'other')))).code).toBe('exists');
        await journal.close();
        expect((await failureOf(other.create(id, metaRecord(id, 'other')))).code).toBe('exists');
        expect((await store.load(id)).state.prompt).toBe(metaRecord(id).meta!.prompt);
      });

      it('lets exactly one of several creators win, and its record stays', async () => {
        for (let round = 0; round < 5; round++) {
          const id = newId();
          const tries = await Promise.allSettled(
            [store, other, store, other].map((handle, n) => handle.create(id, metaRecord(id, `prompt ${n}`))),
          );
          const won = tries.flatMap((one, n) =>
            one.status === 'fulfilled' ? [{ n, journal: one.value }] : [],
          );
          expect(won).toHaveLength(1);
          for (const one of tries)
            if (one.status === 'rejected')
              expect(['exists', 'locked']).toContain((await failureOf(Promise.reject(one.reason))).code);
          expect((await store.load(id)).state.prompt).toBe(`prompt ${won[0]!.n}`);
          await won[0]!.journal.close();
        }
      });

      it('takes nothing but a meta record with number 1, and leaves the id free', async () => {
        const id = newId();
        expect((await failureOf(store.create(id, { ...metaRecord(id), seq: 2 }))).code).toBe('seq_gap');
        expect((await failureOf(store.create(id, { ...answerRecord(1, 'x') }))).code).toBe('no_meta');
        expect((await failureOf(store.load(id))).code).toBe('not_found');
        await (await store.create(id, metaRecord(id))).close();
      });

      it('keeps a meta line whose run_id is another one, as a copy or a fork has it', async () => {
        const id = newId();
        await made(() => [metaRecord('somebody-else')], id);
        const summary = await store.summary(id);
        expect([summary.id, summary.runId]).toEqual([id, 'somebody-else']);
      });
    });

    describe('append', () => {
      let journal: Journal;
      let id: string;
      beforeAll(async () => {
        id = newId();
        journal = await store.create(id, metaRecord(id));
      });
      afterAll(() => journal.close());

      it('moves lastSeq only once the record is durable, and tells where it stands', async () => {
        const record = answerRecord(2, 'two');
        const pending = journal.append(record);
        expect(journal.lastSeq).toBe(1);
        const place = await pending;
        expect(journal.lastSeq).toBe(2);
        const loaded = await other.load(id);
        expect(loaded.records.map(encodeRecord)).toEqual([metaRecord(id), record].map(encodeRecord));
        expect(place).toEqual(loaded.places[1]);
        expect(place.seq).toBe(2);
      });

      it('takes the same record again in silence and writes nothing', async () => {
        const before = await store.bytes(id);
        const first = await journal.append(answerRecord(2, 'two'));
        expect(first).toEqual((await store.load(id)).places[1]);
        expect((await journal.append(metaRecord(id))).seq).toBe(1);
        expect(Buffer.from(await store.bytes(id)).equals(Buffer.from(before))).toBe(true);
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
          expect((await store.load(id)).records).toHaveLength(2);
        },
      );

      it('writes calls in the order they were made, without waiting in between', async () => {
        const records = chatRecords(id, 30);
        const run = await store.create(newId(), records[0]!);
        const places = await Promise.all(records.slice(1).map((record) => run.append(record)));
        expect(places.map((place) => place.seq)).toEqual(records.slice(1).map((record) => record.seq));
        expect((await other.load(run.id)).records.map(encodeRecord)).toEqual(records.map(encodeRecord));
        await run.close();
      });

      it('is seen by readers as soon as it resolved', async () => {
        for (let seq = journal.lastSeq + 1, end = seq + 8; seq < end; seq++) {
          await journal.append(seq % 2 ? userRecord(seq, `u${seq}`) : answerRecord(seq, `a${seq}`, seq));
          expect((await other.load(id)).facts.lastSeq).toBe(seq);
        }
      });

      it('fails for good after close', async () => {
        const run = await store.create(newId(), metaRecord('x'));
        await run.close();
        await run.close();
        expect((await failureOf(run.append(answerRecord(2, 'late')))).code).toBe('journal_dead');
        expect((await store.load(run.id)).records).toHaveLength(1);
      });

      it('finishes what was begun before close', async () => {
        const run = await store.create(newId(), metaRecord('x'));
        const writes = [run.append(answerRecord(2, 'a')), run.append(userRecord(3, 'b'))];
        await run.close();
        await Promise.all(writes);
        expect((await store.load(run.id)).records).toHaveLength(3);
      });
    });

    describe('load', () => {
      it('gives records, places, state and facts that agree with the bytes', async () => {
        const id = await chat(17);
        const [loaded, bytes] = [await other.load(id), await other.bytes(id)];
        const records = chatRecords(id, 17);
        expect(Buffer.from(bytes).equals(Buffer.concat(records.map(encodeLine)))).toBe(true);
        expect(loaded.id).toBe(id);
        expect(loaded.records.map(encodeRecord)).toEqual(records.map(encodeRecord));
        expect(loaded.places.map((place) => [place.seq, place.line])).toEqual(
          records.map((r, n) => [r.seq, n + 1]),
        );
        for (const [n, place] of loaded.places.entries()) {
          const text = Buffer.from(bytes)
            .subarray(place.offset, place.offset + place.bytes)
            .toString('utf8');
          expect(text).toBe(encodeRecord(records[n]!));
        }
        const folded = foldRecords(records);
        expect(stateText(loaded.state)).toBe(stateText(folded.state));
        expect(loaded.facts).toEqual(folded.facts);
        expect(loaded.warnings).toEqual(folded.warnings);
        expect(loaded.size).toBe(bytes.length);
        expect(Math.abs(loaded.updated.getTime() - Date.now())).toBeLessThan(600_000);
        expect(loaded.writer).toBe('none');
        expect(loaded.durability).toBe(store.durability);
        expect([loaded.sidecar, loaded.sidecarBound, loaded.catalogue]).toEqual([[], false, {}]);
      });

      it('of a run that is not there is `not_found`, like its bytes and its row', async () => {
        for (const call of [
          () => store.load(newId()),
          () => store.bytes(newId()),
          () => store.summary(newId()),
          () => store.open(newId()),
        ])
          expect((await failureOf(call())).code).toBe('not_found');
      });

      it('under the lock gives what was appended before, also what another writer left', async () => {
        const id = await chat(5);
        const journal = await other.open(id);
        expect((await journal.load()).facts.lastSeq).toBe(5);
        await journal.append(userRecord(6, 'more'));
        const loaded = await journal.load();
        expect([loaded.facts.lastSeq, loaded.records.length]).toEqual([6, 6]);
        await journal.close();
        const next = await store.open(id);
        expect([next.lastSeq, (await next.load()).records.length]).toEqual([6, 6]);
        await next.close();
      });

      it('waits for no writer', async () => {
        const id = newId();
        const journal = await store.create(id, metaRecord(id));
        const busy = chatRecords(id, 60)
          .slice(1)
          .map((record) => journal.append(record));
        const seen: number[] = [];
        for (let n = 0; n < 10; n++) seen.push((await other.load(id)).records.length);
        await Promise.all(busy);
        expect(seen).toEqual([...seen].sort((a, b) => a - b));
        expect((await other.load(id)).records).toHaveLength(60);
        await journal.close();
      });
    });

    describe('open', () => {
      it('takes the writer’s place and goes on after the last record', async () => {
        const id = await chat(6);
        const journal = await other.open(id);
        expect([journal.id, journal.lastSeq, journal.store]).toEqual([id, 6, other]);
        await journal.append(resultRecord(7, 'call_6', 'done'));
        await journal.close();
        expect((await store.load(id)).records).toHaveLength(7);
      });

      it('knows records that an earlier writer wrote: same is silent, other is a conflict', async () => {
        const id = await chat(6);
        const journal = await other.open(id);
        const records = chatRecords(id, 6);
        for (const record of records) expect((await journal.append(record)).seq).toBe(record.seq);
        expect((await failureOf(journal.append(answerRecord(4, 'else')))).code).toBe('conflict');
        expect((await store.load(id)).records).toHaveLength(6);
        await journal.close();
      });

      it('of a held run is refused at once where there are locks, and blames nobody', async () => {
        if (!store.supports.lock) return;
        const id = newId();
        const journal = await store.create(id, metaRecord(id));
        for (const handle of [store, other]) {
          const failure = await failureOf(handle.open(id));
          expect(failure.code).toBe('locked');
          expect(failure.message).not.toContain(id);
          expect(failure.message).not.toMatch(/\d/);
        }
        await journal.append(answerRecord(2, 'still mine'));
        await journal.close();
        await (await other.open(id)).close();
      });

      it('gives the place to one of several who want it', async () => {
        if (!store.supports.lock) return;
        const id = await chat(3);
        const tries = await Promise.allSettled([store, other, store, other].map((handle) => handle.open(id)));
        const won = tries.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
        expect(won).toHaveLength(1);
        await won[0]!.close();
      });

      it('rejects a writer that lost the run, and nothing of it gets in', async () => {
        if (store.supports.lock || !store.supports.fence) return;
        const id = await chat(3);
        const [stale, fresh] = [await store.open(id), await other.open(id)];
        await fresh.append(answerRecord(4, 'fresh', 1));
        expect((await failureOf(stale.append(answerRecord(4, 'stale', 1)))).code).toBe('journal_dead');
        expect(stale.dead).toBeDefined();
        expect((await failureOf(stale.append(userRecord(5, 'stale')))).code).toBe('journal_dead');
        await fresh.append(userRecord(5, 'fresh'));
        const text = Buffer.from(await store.bytes(id)).toString('utf8');
        expect([text.includes('stale'), (await store.load(id)).records.length]).toEqual([false, 5]);
        await Promise.all([stale.close(), fresh.close()]);
      });
    });

    describe('the sidecar', () => {
      const intent: SidecarEntry = {
        kind: 'intent',
        at,
        tool_use_id: 'call_2',
        tool: 'append_file',
        input_sha256: 'c'.repeat(64),
        changes: true,
      };
      const entries: SidecarEntry[] = [
        config('Practice'),
        { kind: 'time', seq: 1, at },
        intent,
        {
          kind: 'approval',
          at,
          tool_use_id: 'call_2',
          tool: 'append_file',
          hash: 'd',
          decision: 'once',
          by: 'person',
        },
        {
          kind: 'resume',
          at,
          after_seq: 1,
          forced: true,
          accepted: fingerprint,
          changed: [{ field: 'model', recorded: 'a', current: 'b' }],
          unknown: [],
        },
        { kind: 'partial', at, after_seq: 2, iteration: 1, text: 'half an ans\u2028wer 🙂' },
        { kind: 'clip', at, tool_use_id: 'call_2', file: 'x', bytes: 10 },
        { kind: 'lineage', at, from: 'earlier', why: 'reset' },
      ];

      it('gives back every kind of note, in order, to this and every later reader', async () => {
        const id = newId();
        const journal = await store.create(id, metaRecord(id));
        for (const entry of entries) await journal.note(entry);
        await journal.close();
        for (const handle of [store, other]) {
          const loaded = await handle.load(id);
          expect(loaded.sidecarBound).toBe(true);
          expect(withoutBind(loaded.sidecar)).toEqual(entries);
        }
        const again = await other.open(id);
        await again.note(config('Other'));
        expect(withoutBind((await again.load()).sidecar)).toEqual([...entries, config('Other')]);
        await again.close();
      });

      it('shows a synced note as soon as it resolved', async () => {
        const id = newId();
        const journal = await store.create(id, metaRecord(id));
        await journal.note(intent);
        expect(withoutBind((await other.load(id)).sidecar)).toEqual([intent]);
        await journal.close();
      });

      it('changes nothing in the journal', async () => {
        const id = newId();
        const journal = await store.create(id, metaRecord(id));
        await journal.note(intent);
        await journal.append(answerRecord(2, 'x'));
        expect(
          Buffer.from(await store.bytes(id)).equals(
            Buffer.concat([metaRecord(id), answerRecord(2, 'x')].map(encodeLine)),
          ),
        ).toBe(true);
        await journal.close();
      });

      it('is not inherited by a later run of the same id', async () => {
        const id = newId();
        const journal = await store.create(id, metaRecord(id, 'first'));
        await journal.note(intent);
        await journal.close();
        await store.purge(id);
        const second = await store.create(id, metaRecord(id, 'second'));
        expect((await second.load()).sidecar).toEqual([]);
        expect((await second.load()).sidecarBound).toBe(false);
        await second.close();
      });

      it('takes no more notes after close', async () => {
        const journal = await store.create(newId(), metaRecord('x'));
        await journal.close();
        expect((await failureOf(journal.note(intent))).code).toBe('journal_dead');
      });
    });

    describe('texts kept beside the journal', () => {
      it('come back whole, whatever the call was named', async () => {
        const id = newId();
        const journal = await store.create(id, metaRecord(id));
        const texts: [string, string][] = [
          ['toolu_01', 'short'],
          ['../../escape', 'ümlaut \0 \u2028 🙂'],
          ['', 'of a call without a name'],
          ['x'.repeat(600), 'long name'],
          ['toolu_01', 'other text under the same call'],
          ['big', randomBytes(150_000).toString('hex')],
        ];
        const names = [];
        for (const [call, text] of texts) names.push(await journal.keep(call, text));
        expect(new Set(names).size).toBe(texts.length);
        for (const [n, [, text]] of texts.entries()) expect(await other.kept(id, names[n]!)).toBe(text);
        await journal.close();
      });

      it('are `not_found` under any other name', async () => {
        const id = await chat(2);
        for (const name of [
          'nothing',
          '',
          '..',
          '../x',
          `../${id}.json`,
          '/etc/passwd',
          'a\0b',
          'x'.repeat(3000),
        ])
          expect((await failureOf(store.kept(id, name))).code).toBe('not_found');
      });
    });

    describe('the catalogue', () => {
      it('merges labels, drops what is set to undefined, and needs no writer’s place', async () => {
        const id = newId();
        const journal = await store.create(id, metaRecord(id));
        await other.label(id, { title: 'Ein Titel ✓', pinned: true });
        await store.label(id, { tags: ['a', 'b'] });
        expect((await store.load(id)).catalogue).toEqual({
          title: 'Ein Titel ✓',
          pinned: true,
          tags: ['a', 'b'],
        });
        await other.label(id, { pinned: undefined, title: 'Later' });
        for (const handle of [store, other]) {
          expect((await handle.load(id)).catalogue).toEqual({ title: 'Later', tags: ['a', 'b'] });
          expect((await handle.summary(id)).catalogue).toEqual({ title: 'Later', tags: ['a', 'b'] });
          const row = (await handle.list()).find((one) => one.id === id);
          expect(row?.catalogue).toEqual({ title: 'Later', tags: ['a', 'b'] });
        }
        await journal.close();
      });

      it('keeps labels of several runs, written at once from two handles, apart', async () => {
        const ids = await Promise.all([chat(1), chat(1), chat(1)]);
        await Promise.all(
          ids.flatMap((id, n) => [
            store.label(id, { title: `title ${n}` }),
            other.label(id, { tags: [`tag ${n}`] }),
          ]),
        );
        for (const [n, id] of ids.entries())
          expect((await other.load(id)).catalogue).toEqual({ title: `title ${n}`, tags: [`tag ${n}`] });
      });

      it('refuses labels that are too long, and a purged run leaves none', async () => {
        const id = await chat(1);
        expect((await failureOf(store.label(id, { title: 'x'.repeat(301) }))).code).toBe('bad_request');
        await store.label(id, { title: 'x'.repeat(300) });
        await store.purge(id);
        await made((name) => [metaRecord(name)], id);
        expect((await other.load(id)).catalogue).toEqual({});
      });
    });

    describe('the list', () => {
      it('has a row for every run with what it folds to', async () => {
        const finished = await made((id) => [
          metaRecord(id, 'once', false),
          answerRecord(2, 'yes'),
          terminalRecord(3, 'completed'),
        ]);
        const pending = await made((id) => [
          metaRecord(id, 'tools'),
          callRecord(2, ['a', 'b', 'c'], 0, 'wait'),
          resultRecord(3, 'b', 'x'),
        ]);
        const rows = new Map((await other.list()).map((row) => [row.id, row]));
        expect(rows.get(finished)).toMatchObject({
          id: finished,
          health: 'ok',
          runId: finished,
          prompt: 'once',
          created: new Date('2026-07-20T09:08:07.120+02:00'),
          provider: 'practice',
          model: 'practice-1',
          interactive: false,
          counters: { llm_calls: 1, in_tokens: 10, out_tokens: 3 },
          nextIteration: 1,
          maxIterations: 50,
          maxTokens: 2_000_000,
          terminal: { reason: 'completed' },
          facts: { terminalIsLast: true, lastSeq: 3, lastKind: 'terminal' },
          pendingTools: [],
          hasPending: false,
          endsOnAssistant: true,
          lastStopReason: 'end_turn',
          warnings: 0,
          catalogue: {},
          writer: 'none',
          durability: store.durability,
        });
        expect(rows.get(pending)).toMatchObject({
          interactive: true,
          terminal: null,
          pendingTools: ['wait', 'wait'],
          hasPending: true,
          endsOnAssistant: false,
          facts: { terminalIsLast: false, lastSeq: 3 },
        });
        for (const id of [finished, pending]) {
          const row = rows.get(id)!;
          expect(row.size).toBe((await store.bytes(id)).length);
          expect(Math.abs(row.updated.getTime() - Date.now())).toBeLessThan(600_000);
          expect(await other.summary(id)).toEqual(row);
        }
      });

      it('follows what changes', async () => {
        const id = await chat(2);
        expect((await store.list()).find((row) => row.id === id)?.facts?.lastSeq).toBe(2);
        const journal = await other.open(id);
        await journal.append(resultRecord(3, 'call_2', 'x'));
        expect((await store.list()).find((row) => row.id === id)?.facts?.lastSeq).toBe(3);
        await journal.close();
      });

      it('tells who writes a run that would otherwise read as interrupted', async () => {
        const id = newId();
        const journal = await store.create(id, metaRecord(id));
        if (store.supports.lock) {
          expect(['here', 'elsewhere']).toContain((await other.list()).find((row) => row.id === id)?.writer);
        }
        await journal.close();
        expect((await other.list()).find((row) => row.id === id)?.writer).toBe('none');
      });

      it('shows a damaged run with code, line and byte, and all the others', async () => {
        if (!context.corrupt) return;
        const [good, bad] = [await chat(4), await chat(9)];
        await context.corrupt(bad);
        const rows = await other.list();
        expect(rows.find((row) => row.id === good)?.health).toBe('ok');
        const row = rows.find((one) => one.id === bad)!;
        expect(row.health).toBe('damaged');
        expect(row.failure?.code).toBe('corrupt');
        expect(row.failure?.data).toMatchObject({
          line: expect.any(Number),
          byte: expect.any(Number),
          records: expect.any(Number),
        });
        expect(row.prompt).toBe(metaRecord(bad).meta!.prompt);
        const before = createHash('sha256')
          .update(await store.bytes(bad))
          .digest('hex');
        expect((await failureOf(store.load(bad))).code).toBe('corrupt');
        expect((await failureOf(store.open(bad))).code).toBe('corrupt');
        expect((await failureOf(store.create(bad, metaRecord(bad)))).code).toBe('exists');
        expect(
          createHash('sha256')
            .update(await store.bytes(bad))
            .digest('hex'),
        ).toBe(before);
        await store.purge(bad);
      });
    });

    describe('the trash', () => {
      it('moves a run aside whole and brings it back whole', async () => {
        if (!store.supports.delete) return;
        const id = newId();
        const journal = await store.create(id, metaRecord(id));
        await journal.append(answerRecord(2, 'x'));
        await journal.note(config('P'));
        const name = await journal.keep('call', 'kept words');
        await journal.close();
        await store.label(id, { title: 'T' });
        const before = await store.bytes(id);

        await other.trash(id);
        for (const call of [
          () => store.load(id),
          () => store.open(id),
          () => store.bytes(id),
          () => store.summary(id),
          () => store.trash(id),
        ])
          expect((await failureOf(call())).code).toBe('not_found');
        expect((await store.list()).some((row) => row.id === id)).toBe(false);
        const row = (await store.trashed()).find((one) => one.id === id);
        expect(row).toMatchObject({ id, health: 'ok', catalogue: { title: 'T' } });

        await store.restore(id);
        expect((await store.trashed()).some((one) => one.id === id)).toBe(false);
        const loaded = await other.load(id);
        expect(Buffer.from(await other.bytes(id)).equals(Buffer.from(before))).toBe(true);
        expect([withoutBind(loaded.sidecar), loaded.sidecarBound, loaded.catalogue]).toEqual([
          [config('P')],
          true,
          { title: 'T' },
        ]);
        expect(await other.kept(id, name)).toBe('kept words');
        expect((await failureOf(store.restore(id))).code).toBe('not_found');
      });

      it('refuses a run that is being written', async () => {
        if (!store.supports.delete || !store.supports.lock) return;
        const id = newId();
        const journal = await store.create(id, metaRecord(id));
        expect((await failureOf(other.trash(id))).code).toBe('locked');
        expect((await failureOf(other.purge(id))).code).toBe('locked');
        await journal.append(answerRecord(2, 'unharmed'));
        await journal.close();
        expect((await store.load(id)).records).toHaveLength(2);
      });

      it('does not bring a run back over another one', async () => {
        if (!store.supports.delete) return;
        const id = await made((name) => [metaRecord(name, 'old')]);
        await store.trash(id);
        if (store.supports.trashKeepsId) {
          expect((await failureOf(store.create(id, metaRecord(id, 'new')))).code).toBe('exists');
          await store.restore(id);
          expect((await store.load(id)).state.prompt).toBe('old');
          return;
        }
        await made((name) => [metaRecord(name, 'new')], id);
        expect((await failureOf(store.restore(id))).code).toBe('exists');
        expect((await store.load(id)).state.prompt).toBe('new');
        expect((await store.trashed()).find((row) => row.id === id)?.prompt).toBe('old');
      });

      it('lets go for good, from the trash first', async () => {
        if (!store.supports.delete) return;
        const id = await made((name) => [metaRecord(name, 'old')]);
        await store.trash(id);
        if (!store.supports.trashKeepsId) await made((name) => [metaRecord(name, 'new')], id);
        await other.purge(id);
        expect((await store.trashed()).some((row) => row.id === id)).toBe(false);
        if (store.supports.trashKeepsId) await made((name) => [metaRecord(name, 'new')], id);
        expect((await store.load(id)).state.prompt).toBe('new');
        await other.purge(id);
        expect((await failureOf(store.load(id))).code).toBe('not_found');
        expect((await failureOf(store.purge(id))).code).toBe('not_found');
        expect((await failureOf(store.trash(newId()))).code).toBe('not_found');
      });
    });

    describe('the writer', () => {
      it('is told for a run that is held, and nobody for one at rest', async () => {
        const id = newId();
        const journal = await store.create(id, metaRecord(id));
        if (store.supports.lock) {
          expect(await store.writer(id)).toBe('here');
          expect(['here', 'elsewhere']).toContain(await other.writer(id));
        }
        await journal.close();
        expect([await store.writer(id), await other.writer(id)]).toEqual(['none', 'none']);
        expect(await store.writer(newId())).toBe('none');
      });

      it('is not disturbed by being asked for', async () => {
        if (!store.supports.lock) return;
        const id = await chat(3);
        for (let round = 0; round < 20; round++) {
          const [opened] = await Promise.all([
            store.open(id),
            ...Array.from({ length: 8 }, () => other.writer(id)),
          ]);
          await opened.close();
        }
      });
    });

    describe('watching', () => {
      it('tells of runs that come, grow, get a label and go, whoever does it', async () => {
        const seen: StoreChange[] = [];
        const stop = store.watch((change) => seen.push(change));
        const has = (id: string, what: StoreChange['what']) => () =>
          seen.some((one) => one.id === id && one.what === what);
        const id = newId();
        const journal = await other.create(id, metaRecord(id));
        await until(has(id, 'added'));
        for (let seq = 2; seq < 6; seq++) {
          seen.length = 0;
          await journal.append(seq % 2 ? userRecord(seq, 'u') : answerRecord(seq, 'a', seq));
          await until(has(id, 'grown'));
        }
        if (store.supports.lock) {
          seen.length = 0;
          await journal.close();
          await until(has(id, 'writer'));
        } else await journal.close();
        await other.label(id, { title: 'seen' });
        await until(has(id, 'catalogue'));
        await other.purge(id);
        await until(has(id, 'removed'));

        stop();
        seen.length = 0;
        const late: StoreChange[] = [];
        const second = store.watch((change) => late.push(change));
        const later = await chat(2);
        await until(() => late.some((one) => one.id === later));
        expect(seen).toEqual([]);
        second();
        stop();
      });

      it('goes on when a listener throws', async () => {
        const seen: StoreChange[] = [];
        const stop = store.watch((change) => {
          seen.push(change);
          throw new Error('a listener’s own trouble');
        });
        const [a, b] = [await chat(1), await chat(1)];
        await until(() => [a, b].every((id) => seen.some((one) => one.id === id)));
        stop();
      });
    });
  });
}
