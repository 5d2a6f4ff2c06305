import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileStore } from '../../../src/main/journal/file';
import { proofOf } from '../../../src/main/journal/proof';
import { bindEntry, encodeEntries, metaSha256, readSidecar } from '../../../src/main/journal/sidecar';
import { encodeRecord } from '../../../src/shared/run/codec';
import type { SidecarEntry } from '../../../src/shared/run/sidecar';
import { recordSha256 } from '../../../src/main/journal/proof';
import { callRecord, metaRecord } from '../../support/journal-records';
import { faultyVfs } from '../../support/faulty-vfs';
import { storeFolder } from '../../support/store-folder';
import type { StoreFolder } from '../../support/store-folder';

let folder: StoreFolder;
beforeEach(() => void (folder = storeFolder()));
afterEach(() => folder.remove());

const meta = metaRecord('one');
const turn = callRecord(2, ['c1', 'c2'], 0, 'append_file');
const bind = bindEntry(metaSha256(encodeRecord(meta)));
const partial = (n: number): SidecarEntry => ({
  kind: 'partial',
  at: `${n}`,
  after_seq: 2,
  iteration: 1,
  text: 'word '.repeat(n),
});
const partials = Array.from({ length: 120 }, (_, n) => partial(n));
const saw: SidecarEntry = { kind: 'turn', at: 'now', run: 'one', seq: 2, sha256: recordSha256(turn) };
const time = (seq: number): SidecarEntry => ({ kind: 'time', seq, at: 'then' });

const notes = () => folder.of('one.aux.jsonl');
async function opened(lines: string[], vfs = faultyVfs()) {
  folder.put('one', [meta, turn]);
  writeFileSync(folder.of('.holdfast-store'), '');
  writeFileSync(notes(), lines.join(''));
  const store = fileStore(folder.path, { vfs });
  const before = await store.load('one');
  await (await store.open('one')).close();
  return { store, before, after: await store.load('one') };
}
const proofs = (run: Parameters<typeof proofOf>[0]) => ['c1', 'c2'].map(proofOf(run, run.sidecar));

describe('Notes that an earlier version made long', () => {
  const entries = [bind, time(1), saw, ...partials, time(2)];
  const plain = (all: SidecarEntry[]) => all.map((entry) => `${JSON.stringify(entry)}\n`);

  it('are shortened when the run is next opened, and say the same', async () => {
    const long = plain(entries.filter((entry) => entry !== saw));
    const { store, before, after } = await opened(long);
    expect(long.join('').length).toBeGreaterThan(40_000);
    expect(statSync(notes()).size).toBeLessThan(1_000);
    const newest = (all: SidecarEntry[]) => [...all.filter(({ kind }) => kind !== 'partial'), partial(119)];
    expect(after.sidecar).toEqual(newest(before.sidecar));
    expect(after.sidecar.at(-1)).toEqual(partial(119));
    const journal = await store.open('one');
    await journal.note(time(3));
    await journal.close();
    expect((await store.load('one')).sidecar.filter(({ kind }) => kind === 'time')).toHaveLength(3);
  });

  it('prove afterwards what they proved before, and no more', async () => {
    const sound = encodeEntries(entries).lines;
    expect(proofs((await opened(sound)).after)).toEqual(['never_began', 'never_began']);
    expect(statSync(notes()).size).toBeLessThan(1_000);
    // Without one line, with one that is damaged, with one of a version without sums: behind the turn.
    const at = sound.length - 3;
    const damages: ((lines: string[]) => string[])[] = [
      (lines) => [...lines.slice(0, at), ...lines.slice(at + 1)],
      (lines) => [...lines.slice(0, at), lines[at]!.replace('word', 'ward'), ...lines.slice(at + 1)],
      (lines) => [...lines.slice(0, at), ...plain([time(9)]), ...lines.slice(at)],
      (lines) => [...lines.slice(0, 2), ...lines.slice(3)],
    ];
    for (const damage of damages) {
      const { before, after } = await opened(damage(sound));
      expect(proofs(before)).toEqual(['unproven', 'unproven']);
      expect(proofs(after)).toEqual(['unproven', 'unproven']);
      expect(statSync(notes()).size).toBeLessThan(2_000);
      expect(readSidecar(readFileSync(notes(), 'utf8').split('\n'), undefined).damage?.length ?? 0).toBe(
        before.notesDamage?.length ?? 0,
      );
    }
  });

  it('stay as they are where they cannot be rewritten, and the run opens', async () => {
    const sound = encodeEntries(entries).lines;
    for (let at = 1; at < 12; at++) {
      const vfs = faultyVfs();
      folder.put('one', [meta, turn]);
      writeFileSync(folder.of('.holdfast-store'), '');
      writeFileSync(notes(), sound.join(''));
      const store = fileStore(folder.path, { vfs });
      vfs.plan({ at, fault: 'ENOSPC', only: ['write', 'rename', 'syncAll'] });
      await (await store.open('one')).close();
      vfs.plan(undefined);
      expect(proofs(await store.load('one'))).toEqual(['never_began', 'never_began']);
      expect((await store.load('one')).sidecar.findLast(({ kind }) => kind === 'partial')).toEqual(
        partial(119),
      );
      expect(folder.names().filter((name) => name.endsWith('.tmp'))).toEqual([]);
    }
  });
});

describe('On a disk that is nearly full', () => {
  it('comfort gives way to records: no text under way, no times; what decides is still noted', async () => {
    let free = 500_000_000;
    const space = async () => ({ free, size: 10_000_000_000 });
    const store = fileStore(folder.path, { space });
    const journal = await store.create('one', meta);
    await journal.putSlip('partial', 'half an ans', 'lazily');
    expect(folder.names()).toContain('one.partial');
    await journal.close();
    free = 50_000_000;
    const again = await store.open('one');
    await again.putSlip('partial', 'half an answer', 'lazily');
    expect(folder.names()).not.toContain('one.partial');
    await again.note(time(1));
    await again.note({ kind: 'config', at: 'now', profile: 'P' });
    await again.putSlip('queue', 'what a person said', 'durably');
    await again.append(turn);
    await again.close();
    const { sidecar, records } = await store.load('one');
    expect([sidecar.map(({ kind }) => kind), records.length]).toEqual([['bind', 'config'], 2]);
    expect((await store.slip('one', 'queue'))?.text).toBe('what a person said');
  });
});
