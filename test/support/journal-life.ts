import { encodeRecord } from '../../src/shared/run/codec';
import { isFailure } from '../../src/shared/run/failure';
import type { RunRecord } from '../../src/shared/run/record';
import type { Journal, RunStore } from '../../src/main/journal/journal';
import { chatRecords } from './journal-records';

/** What a life of a run was told is safe. */
export interface Told {
  /** Acknowledged records, as JSON, in order. */
  records: string[];
  /** Notes that resolved and are of a synced kind, by their profile name. */
  notes: string[];
  /** Kept texts by the name that was given. */
  texts: Map<string, string>;
}

export const nothingTold = (): Told => ({ records: [], notes: [], texts: new Map() });

/**
 * The life of one run as any session has it: begun, written, closed, opened again, written on. Every step may fail;
 * what was acknowledged is noted in `told` at that moment, and a failure other than a Failure is an error of the test.
 */
export async function live(store: RunStore, id: string, told: Told): Promise<void> {
  const records = chatRecords(id, 12);
  await session(() => store.create(id, records[0]!), records.slice(0, 7), told, true);
  await session(() => store.open(id), records.slice(0, 12), told, false);
}

async function session(
  begin: () => Promise<Journal>,
  records: RunRecord[],
  told: Told,
  created: boolean,
): Promise<void> {
  const journal = await attempt(begin);
  if (journal === undefined) return;
  if (created) told.records.push(encodeRecord(records[0]!));
  const todo = records.filter((record) => record.seq > journal.lastSeq);
  for (const [n, record] of todo.entries()) {
    const before = journal.lastSeq;
    const done = await attempt(() => journal.append(record));
    if (done !== undefined) told.records.push(encodeRecord(record));
    else if (journal.lastSeq !== before) throw new Error(`record ${record.seq} failed, but lastSeq moved`);
    if (n === 1) {
      const profile = `profile of ${record.seq}`;
      const noted = await attempt(async () => {
        await journal.note({ kind: 'config', at: 'now', profile });
        return true;
      });
      if (noted) told.notes.push(profile);
    }
    if (n === 2) {
      const text = `text of ${record.seq} ${'x'.repeat(500)}`;
      const name = await attempt(() => journal.keep(`call ${record.seq}`, text));
      if (name !== undefined) told.texts.set(name, text);
    }
  }
  await journal.close();
}

async function attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isFailure(error) && error.code !== 'internal') return undefined;
    throw error;
  }
}

/**
 * What is wrong with a run after a fault; nothing if every acknowledged thing is there. `extra`: how many records may
 * stand behind the acknowledged ones, because a crash came between the disk and the acknowledgement.
 */
export async function wrong(store: RunStore, id: string, told: Told, extra = 1): Promise<string | undefined> {
  const row = (await store.list()).find((one) => one.id === id);
  if (row === undefined || row.health === 'new') {
    if (told.records.length > 0)
      return `run is ${row?.health ?? 'gone'} after ${told.records.length} records`;
    const journal = await store.create(id, chatRecords(id, 1)[0]!);
    await journal.close();
    return undefined;
  }
  if (row.health !== 'ok') return `run is ${row.health}: ${row.failure?.message}`;
  const journal = await store.open(id);
  try {
    const { records, sidecar } = await journal.load();
    const there = records.map(encodeRecord);
    // Records that were written but not acknowledged may stand between: the next session goes on behind them.
    for (const record of told.records) {
      const seq = (JSON.parse(record) as RunRecord).seq;
      if (there[seq - 1] !== record)
        return `record ${seq} is ${there[seq - 1] === undefined ? 'lost' : 'another one'}`;
    }
    if (there.length > told.records.length + extra)
      return `${there.length} records, ${told.records.length} told`;
    const profiles = sidecar.flatMap((entry) => (entry.kind === 'config' ? [entry.profile] : []));
    for (const note of told.notes) if (!profiles.includes(note)) return `note "${note}" is lost`;
    for (const [name, text] of told.texts)
      if ((await store.kept(id, name)) !== text) return `text ${name} is lost`;
    // It must also go on.
    const next = chatRecords(id, there.length + 1).at(-1)!;
    await journal.append(next);
    if ((await journal.load()).records.length !== there.length + 1) return 'does not go on';
    return undefined;
  } finally {
    await journal.close();
  }
}
