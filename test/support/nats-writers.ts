import { randomBytes } from 'node:crypto';
import { encodeRecord } from '../../src/shared/run/codec';
import type { Journal, RunStore } from '../../src/main/journal/journal';
import { chatRecords } from './journal-records';

/** What one writer did. */
export interface Written {
  id: string;
  /** Records that `append` said are there, as text, by seq. */
  acknowledged: Map<number, string>;
  /** Acknowledgements that were lost and found again. */
  adopted: number;
  /** Why it could not go on; absent: it was told to stop. */
  died?: string;
}

/** Figures over all writers, for the run's end and for a person. */
export interface Tally {
  acknowledged: number;
  lost: number;
  doubled: number;
  gaps: number;
  adopted: number;
  died: string[];
}

const adoptedOf = (journal: Journal): number =>
  'adopted' in journal && typeof journal.adopted === 'number' ? journal.adopted : 0;

/** Writes a run, one record after another, until `stopped` or its journal is dead. */
export async function writeUntil(store: RunStore, stopped: () => boolean): Promise<Written> {
  const id = `w${randomBytes(8).toString('hex')}`;
  const records = chatRecords(id, 20_000, 'a line of words that a model may have said');
  const written: Written = { id, acknowledged: new Map(), adopted: 0 };
  const journal = await store.create(id, records[0]!);
  written.acknowledged.set(1, encodeRecord(records[0]!));
  try {
    for (const record of records.slice(1)) {
      if (stopped()) break;
      await journal.append(record);
      written.acknowledged.set(record.seq, encodeRecord(record));
    }
  } catch (error) {
    written.died = `${journal.dead?.code ?? 'alive'}: ${error instanceof Error ? error.message : String(error)}`;
  }
  written.adopted = adoptedOf(journal);
  await journal.close();
  return written;
}

/** Compares what writers were told with what the store has. */
export async function tally(store: RunStore, writers: Written[]): Promise<Tally> {
  const figures: Tally = { acknowledged: 0, lost: 0, doubled: 0, gaps: 0, adopted: 0, died: [] };
  for (const { id, acknowledged, adopted, died } of writers) {
    const lines = Buffer.from(await store.bytes(id))
      .toString('utf8')
      .split('\n')
      .slice(0, -1);
    const there = new Map<number, string[]>();
    for (const line of lines) {
      const { seq } = JSON.parse(line) as { seq: number };
      there.set(seq, [...(there.get(seq) ?? []), line]);
    }
    figures.acknowledged += acknowledged.size;
    figures.adopted += adopted;
    if (died !== undefined) figures.died.push(died);
    for (const [seq, text] of acknowledged) if (!there.get(seq)?.includes(text)) figures.lost += 1;
    for (const texts of there.values()) figures.doubled += texts.length - 1;
    for (let seq = 1; seq <= Math.max(...there.keys()); seq++) if (!there.has(seq)) figures.gaps += 1;
  }
  return figures;
}

export const shown = (what: string, figures: Tally): string =>
  `${what}: ${figures.acknowledged} acknowledged, lost ${figures.lost}, doubled ${figures.doubled}, gaps ${figures.gaps}, adopted ${figures.adopted}`;
