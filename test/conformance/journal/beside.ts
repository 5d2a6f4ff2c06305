import { describe, expect, it } from 'vitest';
import { randomBytes } from 'node:crypto';
import { MAX_SLIP_BYTES, SLIPS } from '../../../src/main/journal/slip';
import { encodeLine } from '../../../src/shared/run/codec';
import type { SidecarEntry } from '../../../src/shared/run/sidecar';
import { answerRecord, fingerprint, metaRecord } from '../../support/journal-records';
import { failureOf } from '../../support/wait';
import { config, newId, withoutBind, at } from './bench';
import type { Bench } from './bench';

/** What stands beside the journal, and where a run can go: sidecar, kept texts, catalogue, trash. */
export function beside(on: Bench): void {
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
      const journal = await on.store.create(id, metaRecord(id));
      for (const entry of entries) await journal.note(entry);
      await journal.close();
      for (const handle of [on.store, on.other]) {
        const loaded = await handle.load(id);
        expect(loaded.sidecarBound).toBe(true);
        expect(withoutBind(loaded.sidecar)).toEqual(entries);
      }
      const again = await on.other.open(id);
      await again.note(config('Other'));
      expect(withoutBind((await again.load()).sidecar)).toEqual([...entries, config('Other')]);
      await again.close();
    });

    it('shows a synced note as soon as it resolved', async () => {
      const id = newId();
      const journal = await on.store.create(id, metaRecord(id));
      await journal.note(intent);
      expect(withoutBind((await on.other.load(id)).sidecar)).toEqual([intent]);
      await journal.close();
    });

    it('changes nothing in the journal', async () => {
      const id = newId();
      const journal = await on.store.create(id, metaRecord(id));
      await journal.note(intent);
      await journal.append(answerRecord(2, 'x'));
      expect(
        Buffer.from(await on.store.bytes(id)).equals(
          Buffer.concat([metaRecord(id), answerRecord(2, 'x')].map(encodeLine)),
        ),
      ).toBe(true);
      await journal.close();
    });

    it('is not inherited by a later run of the same id', async () => {
      const id = newId();
      const journal = await on.store.create(id, metaRecord(id, 'first'));
      await journal.note(intent);
      await journal.close();
      await on.store.purge(id);
      const second = await on.store.create(id, metaRecord(id, 'second'));
      expect((await second.load()).sidecar).toEqual([]);
      expect((await second.load()).sidecarBound).toBe(false);
      await second.close();
    });

    it('takes no more notes after close', async () => {
      const journal = await on.store.create(newId(), metaRecord('x'));
      await journal.close();
      expect((await failureOf(journal.note(intent))).code).toBe('journal_dead');
    });
  });

  describe('slips', () => {
    const text = '{"messages":["ein \u2028 Wort 🙂"]}\nand a second line\n';

    it('are replaced as a whole, each by itself, and seen by every reader at once', async () => {
      const id = newId();
      const journal = await on.store.create(id, metaRecord(id));
      expect(await on.other.slip(id, 'queue')).toBeUndefined();
      await journal.putSlip('queue', 'first', 'durably');
      await journal.putSlip('partial', 'half an ans', 'durably');
      for (const handle of [on.store, on.other])
        expect(await handle.slip(id, 'queue')).toEqual({ text: 'first', damaged: false });
      for (let n = 0; n < 20; n++) void journal.putSlip('queue', `${n} ${text}`, 'lazily');
      await journal.putSlip('queue', text, 'durably');
      await journal.putSlip('partial', '', 'lazily');
      await journal.close();
      expect(await on.other.slip(id, 'queue')).toEqual({ text, damaged: false });
      expect(await on.other.slip(id, 'partial')).toEqual({ text: '', damaged: false });

      const again = await on.other.open(id);
      await again.putSlip('queue', undefined, 'durably');
      await again.putSlip('queue', undefined, 'durably');
      expect(await on.store.slip(id, 'queue')).toBeUndefined();
      await again.putSlip('queue', 'anew', 'durably');
      await again.close();
      expect(await on.store.slip(id, 'queue')).toEqual({ text: 'anew', damaged: false });
      expect((await failureOf(again.putSlip('queue', 'late', 'durably'))).code).toBe('journal_dead');
      await again.putSlip('queue', 'late', 'lazily');
      expect(await on.store.slip(id, 'queue')).toEqual({ text: 'anew', damaged: false });
    });

    it('of a run at rest are put without opening it, and through the journal that is open here', async () => {
      const id = newId();
      const journal = await on.store.create(id, metaRecord(id));
      await on.store.putSlip(id, 'queue', 'while it is open');
      expect(await on.other.slip(id, 'queue')).toEqual({ text: 'while it is open', damaged: false });
      await journal.append(answerRecord(2, 'x'));
      await journal.close();
      const before = await on.store.load(id);
      await on.other.putSlip(id, 'queue', 'at rest');
      expect(await on.store.slip(id, 'queue')).toEqual({ text: 'at rest', damaged: false });
      await on.store.putSlip(id, 'queue', undefined);
      expect(await on.other.slip(id, 'queue')).toBeUndefined();
      const after = await on.store.load(id);
      expect([after.records, after.sidecar, after.updated]).toEqual([
        before.records,
        before.sidecar,
        before.updated,
      ]);
      expect(await on.store.writer(id)).toBe('none');
      await (await on.store.open(id)).close();
    });

    it('have a limit, and none of a run that is not there', async () => {
      const id = newId();
      const journal = await on.store.create(id, metaRecord(id));
      const most = Math.min(MAX_SLIP_BYTES, (journal.maxRecordBytes ?? Infinity) - 1_000);
      await journal.putSlip('queue', 'x'.repeat(most), 'durably');
      expect(
        (await failureOf(journal.putSlip('queue', 'x'.repeat(MAX_SLIP_BYTES + 1), 'durably'))).code,
      ).toBe('too_large');
      expect((await on.other.slip(id, 'queue'))?.text).toHaveLength(most);
      await journal.close();
      const nowhere = newId();
      expect((await failureOf(on.store.slip(nowhere, 'queue'))).code).toBe('not_found');
      expect((await failureOf(on.store.putSlip(nowhere, 'queue', 'x'))).code).toBe('not_found');
    });

    it('go where the run goes, and a later run of its id has none', async () => {
      if (!on.store.supports.delete) return;
      const id = newId();
      const journal = await on.store.create(id, metaRecord(id, 'first'));
      await journal.putSlip('queue', 'words', 'durably');
      await journal.putSlip('partial', 'half', 'durably');
      await journal.close();
      await on.store.trash(id);
      expect((await failureOf(on.store.slip(id, 'queue'))).code).toBe('not_found');
      await on.store.restore(id);
      expect(await on.other.slip(id, 'queue')).toEqual({ text: 'words', damaged: false });
      expect((await on.store.list()).filter((row) => row.id.startsWith(id))).toHaveLength(1);
      await on.store.purge(id);
      const second = await on.store.create(id, metaRecord(id, 'second'));
      for (const name of SLIPS) expect(await on.other.slip(id, name)).toBeUndefined();
      await second.putSlip('queue', 'of the second', 'durably');
      await second.close();
      expect(await on.other.slip(id, 'queue')).toEqual({ text: 'of the second', damaged: false });
    });
  });

  describe('texts kept beside the journal', () => {
    it('come back whole, whatever the call was named', async () => {
      const id = newId();
      const journal = await on.store.create(id, metaRecord(id));
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
      for (const [n, [, text]] of texts.entries()) expect(await on.other.kept(id, names[n]!)).toBe(text);
      await journal.close();
    });

    it('are `not_found` under any other name', async () => {
      const id = await on.chat(2);
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
        expect((await failureOf(on.store.kept(id, name))).code).toBe('not_found');
    });
  });

  describe('the catalogue', () => {
    it('merges labels, drops what is set to undefined, and needs no writer’s place', async () => {
      const id = newId();
      const journal = await on.store.create(id, metaRecord(id));
      await on.other.label(id, { title: 'Ein Titel ✓', pinned: true });
      await on.store.label(id, { tags: ['a', 'b'] });
      expect((await on.store.load(id)).catalogue).toEqual({
        title: 'Ein Titel ✓',
        pinned: true,
        tags: ['a', 'b'],
      });
      await on.other.label(id, { pinned: undefined, title: 'Later' });
      for (const handle of [on.store, on.other]) {
        expect((await handle.load(id)).catalogue).toEqual({ title: 'Later', tags: ['a', 'b'] });
        expect((await handle.summary(id)).catalogue).toEqual({ title: 'Later', tags: ['a', 'b'] });
        const row = (await handle.list()).find((one) => one.id === id);
        expect(row?.catalogue).toEqual({ title: 'Later', tags: ['a', 'b'] });
      }
      await journal.close();
    });

    it('keeps labels of several runs, written at once from two handles, apart', async () => {
      const ids = await Promise.all([on.chat(1), on.chat(1), on.chat(1)]);
      await Promise.all(
        ids.flatMap((id, n) => [
          on.store.label(id, { title: `title ${n}` }),
          on.other.label(id, { tags: [`tag ${n}`] }),
        ]),
      );
      for (const [n, id] of ids.entries())
        expect((await on.other.load(id)).catalogue).toEqual({ title: `title ${n}`, tags: [`tag ${n}`] });
    });

    it('refuses labels that are too long, and a purged run leaves none', async () => {
      const id = await on.chat(1);
      expect((await failureOf(on.store.label(id, { title: 'x'.repeat(301) }))).code).toBe('bad_request');
      await on.store.label(id, { title: 'x'.repeat(300) });
      await on.store.purge(id);
      await on.made((name) => [metaRecord(name)], id);
      expect((await on.other.load(id)).catalogue).toEqual({});
    });
  });

  describe('the trash', () => {
    it('moves a run aside whole and brings it back whole', async () => {
      if (!on.store.supports.delete) return;
      const id = newId();
      const journal = await on.store.create(id, metaRecord(id));
      await journal.append(answerRecord(2, 'x'));
      await journal.note(config('P'));
      const name = await journal.keep('call', 'kept words');
      await journal.close();
      await on.store.label(id, { title: 'T' });
      const before = await on.store.bytes(id);

      await on.other.trash(id);
      for (const call of [
        () => on.store.load(id),
        () => on.store.open(id),
        () => on.store.bytes(id),
        () => on.store.summary(id),
        () => on.store.trash(id),
      ])
        expect((await failureOf(call())).code).toBe('not_found');
      expect((await on.store.list()).some((row) => row.id === id)).toBe(false);
      const row = (await on.store.trashed()).find((one) => one.id === id);
      // When it was moved there, not when it was last written.
      expect(Math.abs((row?.trashed?.getTime() ?? 0) - Date.now())).toBeLessThan(60_000);
      expect(row).toMatchObject({ id, health: 'ok', catalogue: { title: 'T' } });

      await on.store.restore(id);
      expect((await on.store.trashed()).some((one) => one.id === id)).toBe(false);
      const loaded = await on.other.load(id);
      expect(Buffer.from(await on.other.bytes(id)).equals(Buffer.from(before))).toBe(true);
      expect([withoutBind(loaded.sidecar), loaded.sidecarBound, loaded.catalogue]).toEqual([
        [config('P')],
        true,
        { title: 'T' },
      ]);
      expect(await on.other.kept(id, name)).toBe('kept words');
      expect((await failureOf(on.store.restore(id))).code).toBe('not_found');
    });

    it('refuses a run that is being written', async () => {
      if (!on.store.supports.delete || !on.store.supports.lock) return;
      const id = newId();
      const journal = await on.store.create(id, metaRecord(id));
      expect((await failureOf(on.other.trash(id))).code).toBe('locked');
      expect((await failureOf(on.other.purge(id))).code).toBe('locked');
      await journal.append(answerRecord(2, 'unharmed'));
      await journal.close();
      expect((await on.store.load(id)).records).toHaveLength(2);
    });

    it('does not bring a run back over another one', async () => {
      if (!on.store.supports.delete) return;
      const id = await on.made((name) => [metaRecord(name, 'old')]);
      await on.store.trash(id);
      if (on.store.supports.trashKeepsId) {
        expect((await failureOf(on.store.create(id, metaRecord(id, 'new')))).code).toBe('exists');
        await on.store.restore(id);
        expect((await on.store.load(id)).state.prompt).toBe('old');
        return;
      }
      await on.made((name) => [metaRecord(name, 'new')], id);
      expect((await failureOf(on.store.restore(id))).code).toBe('exists');
      expect((await on.store.load(id)).state.prompt).toBe('new');
      expect((await on.store.trashed()).find((row) => row.id === id)?.prompt).toBe('old');
    });

    it('lets go for good, from the trash first', async () => {
      if (!on.store.supports.delete) return;
      const id = await on.made((name) => [metaRecord(name, 'old')]);
      await on.store.trash(id);
      if (!on.store.supports.trashKeepsId) await on.made((name) => [metaRecord(name, 'new')], id);
      await on.other.purge(id);
      expect((await on.store.trashed()).some((row) => row.id === id)).toBe(false);
      if (on.store.supports.trashKeepsId) await on.made((name) => [metaRecord(name, 'new')], id);
      expect((await on.store.load(id)).state.prompt).toBe('new');
      await on.other.purge(id);
      expect((await failureOf(on.store.load(id))).code).toBe('not_found');
      expect((await failureOf(on.store.purge(id))).code).toBe('not_found');
      expect((await failureOf(on.store.trash(newId()))).code).toBe('not_found');
    });
  });
}
