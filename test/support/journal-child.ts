/**
 * One process that writes to a run, for tests that fight, stop and kill it. Told what to do by one JSON argument; says
 * one JSON line on stdout for each thing that happened, at once, so that a kill loses none of them.
 *
 *   node --import tsx test/support/journal-child.ts '{"role":"fight", …}'
 */
import { writeSync } from 'node:fs';
import { encodeRecord } from '../../src/shared/run/codec';
import { isFailure } from '../../src/shared/run/failure';
import { fileStore } from '../../src/main/journal/file';
import type { Locking } from '../../src/main/journal/file/lock';
import type { Journal } from '../../src/main/journal/journal';
import { answerRecord, metaRecord, userRecord } from './journal-records';

export interface ChildTask {
  /** `fight`: open, write a few, let go, again. `hold`: open, say so, keep it. `fill`: write until nothing goes any more. */
  role: 'fight' | 'hold' | 'fill';
  directory: string;
  id: string;
  /** Appears in every record of this child. */
  name: string;
  /** fight: ms until it ends. */
  ms?: number;
  locking?: Partial<Locking>;
  fence?: boolean;
}

export type ChildEvent =
  | { what: 'ready' | 'open' | 'done' | 'unhandled' }
  | { what: 'acknowledged'; record: string }
  | { what: 'refused' | 'failed'; code: string; reason?: unknown };

const say = (event: ChildEvent): void => void writeSync(1, `${JSON.stringify(event)}\n`);

const record = (seq: number, text: string) =>
  seq % 2 === 0 ? answerRecord(seq, text, seq) : userRecord(seq, text);

/** Appends one record; false when the journal is dead. */
async function append(journal: Journal, text: string): Promise<boolean> {
  const next = record(journal.lastSeq + 1, text);
  try {
    await journal.append(next);
  } catch (error) {
    if (!isFailure(error)) throw error;
    say({ what: 'failed', code: error.code, reason: error.data?.reason });
    return false;
  }
  say({ what: 'acknowledged', record: encodeRecord(next) });
  return true;
}

async function fight(task: ChildTask): Promise<void> {
  const store = fileStore(task.directory, options(task));
  const end = Date.now() + (task.ms ?? 1_000);
  for (let round = 0; Date.now() < end; round++) {
    let journal: Journal;
    try {
      journal = await store.open(task.id);
    } catch (error) {
      if (!isFailure(error)) throw error;
      say({ what: 'refused', code: error.code });
      await new Promise((resolve) => setTimeout(resolve, 1 + Math.random() * 4));
      continue;
    }
    say({ what: 'open' });
    for (let n = 0; n < 5; n++) if (!(await append(journal, `${task.name} ${round}.${n}`))) break;
    await journal.close();
  }
}

async function hold(task: ChildTask): Promise<void> {
  const journal = await fileStore(task.directory, options(task)).open(task.id);
  await append(journal, task.name);
  say({ what: 'open' });
  await new Promise((resolve) => process.stdin.once('data', resolve));
}

async function fill(task: ChildTask): Promise<void> {
  const store = fileStore(task.directory, options(task));
  const journal = await store.create(task.id, metaRecord(task.id));
  say({ what: 'acknowledged', record: encodeRecord(metaRecord(task.id)) });
  while (await append(journal, `${task.name} ${'x'.repeat(700)}`));
  for (let n = 0; n < 3; n++) await append(journal, 'never');
  await journal.close();
}

const options = (task: ChildTask) => ({
  ...(task.locking && { locking: task.locking }),
  ...(task.fence !== undefined && { fence: task.fence }),
});

process.on('unhandledRejection', () => say({ what: 'unhandled' }));
const task = JSON.parse(process.argv[2]!) as ChildTask;
say({ what: 'ready' });
const roles = { fight, hold, fill };
await roles[task.role](task);
say({ what: 'done' });
process.exit(0);
