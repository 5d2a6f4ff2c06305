import { describe, expect, it } from 'vitest';
import { createHash } from 'node:crypto';
import { encodeLine, encodeRecord } from '../../../src/shared/run/codec';
import { foldRecords, stateText } from '../../../src/shared/run/fold';
import type { StoreChange } from '../../../src/main/journal/journal';
import {
  answerRecord,
  callRecord,
  chatRecords,
  metaRecord,
  resultRecord,
  terminalRecord,
  userRecord,
} from '../../support/journal-records';
import { failureOf, until } from '../../support/wait';
import { newId } from './bench';
import type { Bench } from './bench';

/** Load, list, who writes, and watching: what a reader is promised. */
export function reading(on: Bench): void {
  describe('load', () => {
    it('gives records, places, state and facts that agree with the bytes', async () => {
      const id = await on.chat(17);
      const [loaded, bytes] = [await on.other.load(id), await on.other.bytes(id)];
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
      expect(loaded.durability).toBe(on.store.durability);
      expect([loaded.sidecar, loaded.sidecarBound, loaded.catalogue]).toEqual([[], false, {}]);
    });

    it('of a run that is not there is `not_found`, like its bytes and its row', async () => {
      for (const call of [
        () => on.store.load(newId()),
        () => on.store.bytes(newId()),
        () => on.store.summary(newId()),
        () => on.store.open(newId()),
      ])
        expect((await failureOf(call())).code).toBe('not_found');
    });

    it('under the lock gives what was appended before, also what another writer left', async () => {
      const id = await on.chat(5);
      const journal = await on.other.open(id);
      expect((await journal.load()).facts.lastSeq).toBe(5);
      await journal.append(userRecord(6, 'more'));
      const loaded = await journal.load();
      expect([loaded.facts.lastSeq, loaded.records.length]).toEqual([6, 6]);
      await journal.close();
      const next = await on.store.open(id);
      expect([next.lastSeq, (await next.load()).records.length]).toEqual([6, 6]);
      await next.close();
    });

    it('waits for no writer', async () => {
      const id = newId();
      const journal = await on.store.create(id, metaRecord(id));
      const busy = chatRecords(id, 60)
        .slice(1)
        .map((record) => journal.append(record));
      const seen: number[] = [];
      for (let n = 0; n < 10; n++) seen.push((await on.other.load(id)).records.length);
      await Promise.all(busy);
      expect(seen).toEqual([...seen].sort((a, b) => a - b));
      expect((await on.other.load(id)).records).toHaveLength(60);
      await journal.close();
    });
  });

  describe('the list', () => {
    it('has a row for every run with what it folds to', async () => {
      const finished = await on.made((id) => [
        metaRecord(id, 'once', false),
        answerRecord(2, 'yes'),
        terminalRecord(3, 'completed'),
      ]);
      const pending = await on.made((id) => [
        metaRecord(id, 'tools'),
        callRecord(2, ['a', 'b', 'c'], 0, 'wait'),
        resultRecord(3, 'b', 'x'),
      ]);
      const rows = new Map((await on.other.list()).map((row) => [row.id, row]));
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
        durability: on.store.durability,
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
        expect(row.size).toBe((await on.store.bytes(id)).length);
        expect(Math.abs(row.updated.getTime() - Date.now())).toBeLessThan(600_000);
        expect(await on.other.summary(id)).toEqual(row);
      }
    });

    it('follows what changes', async () => {
      const id = await on.chat(2);
      expect((await on.store.list()).find((row) => row.id === id)?.facts?.lastSeq).toBe(2);
      const journal = await on.other.open(id);
      await journal.append(resultRecord(3, 'call_2', 'x'));
      expect((await on.store.list()).find((row) => row.id === id)?.facts?.lastSeq).toBe(3);
      await journal.close();
    });

    it('tells who writes a run that would otherwise read as interrupted', async () => {
      const id = newId();
      const journal = await on.store.create(id, metaRecord(id));
      if (on.store.supports.lock) {
        expect(['here', 'elsewhere']).toContain((await on.other.list()).find((row) => row.id === id)?.writer);
      }
      await journal.close();
      expect((await on.other.list()).find((row) => row.id === id)?.writer).toBe('none');
    });

    it('shows a damaged run with code, line and byte, and all the others', async () => {
      if (!on.corrupt) return;
      const [good, bad] = [await on.chat(4), await on.chat(9)];
      await on.corrupt(bad);
      const rows = await on.other.list();
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
        .update(await on.store.bytes(bad))
        .digest('hex');
      expect((await failureOf(on.store.load(bad))).code).toBe('corrupt');
      expect((await failureOf(on.store.open(bad))).code).toBe('corrupt');
      expect((await failureOf(on.store.create(bad, metaRecord(bad)))).code).toBe('exists');
      expect(
        createHash('sha256')
          .update(await on.store.bytes(bad))
          .digest('hex'),
      ).toBe(before);
      await on.store.purge(bad);
    });
  });

  describe('the writer', () => {
    it('is told for a run that is held, and nobody for one at rest', async () => {
      const id = newId();
      const journal = await on.store.create(id, metaRecord(id));
      if (on.store.supports.lock) {
        expect(await on.store.writer(id)).toBe('here');
        expect(['here', 'elsewhere']).toContain(await on.other.writer(id));
      }
      await journal.close();
      expect([await on.store.writer(id), await on.other.writer(id)]).toEqual(['none', 'none']);
      expect(await on.store.writer(newId())).toBe('none');
    });

    it('is not disturbed by being asked for', async () => {
      if (!on.store.supports.lock) return;
      const id = await on.chat(3);
      for (let round = 0; round < 20; round++) {
        const [opened] = await Promise.all([
          on.store.open(id),
          ...Array.from({ length: 8 }, () => on.other.writer(id)),
        ]);
        await opened.close();
      }
    });
  });

  describe('watching', () => {
    it('tells of runs that come, grow, get a label and go, whoever does it', async () => {
      const seen: StoreChange[] = [];
      const stop = on.store.watch((change) => seen.push(change));
      const has = (id: string, what: StoreChange['what']) => () =>
        seen.some((one) => one.id === id && one.what === what);
      const id = newId();
      const journal = await on.other.create(id, metaRecord(id));
      await until(has(id, 'added'));
      for (let seq = 2; seq < 6; seq++) {
        seen.length = 0;
        await journal.append(seq % 2 ? userRecord(seq, 'u') : answerRecord(seq, 'a', seq));
        await until(has(id, 'grown'));
      }
      if (on.store.supports.lock) {
        seen.length = 0;
        await journal.close();
        await until(has(id, 'writer'));
      } else await journal.close();
      await on.other.label(id, { title: 'seen' });
      await until(has(id, 'catalogue'));
      await on.other.purge(id);
      await until(has(id, 'removed'));

      stop();
      seen.length = 0;
      const late: StoreChange[] = [];
      const second = on.store.watch((change) => late.push(change));
      const later = await on.chat(2);
      await until(() => late.some((one) => one.id === later));
      expect(seen).toEqual([]);
      second();
      stop();
    });

    it('goes on when a listener throws', async () => {
      const seen: StoreChange[] = [];
      const stop = on.store.watch((change) => {
        seen.push(change);
        throw new Error('a listener’s own trouble');
      });
      const [a, b] = [await on.chat(1), await on.chat(1)];
      await until(() => [a, b].every((id) => seen.some((one) => one.id === id)));
      stop();
    });
  });
}
