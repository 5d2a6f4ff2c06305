import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunRecord } from '../../src/shared/run/record';
import { answerRecord, callRecord, metaRecord, terminalRecord } from './journal-records';
import { journalBytes, ready } from './store-folder';

const TOPICS = [
  'Clean up the downloads folder',
  'Summarise the meeting notes',
  'Compare two contracts',
  'Rename holiday photos by date',
  'Plan a trip to Lisbon',
  'Translate the manual',
  'Quarterly report from the tables',
  'Find duplicate invoices',
];
const MODELS = ['practice-1', 'claude-sonnet-4-5', 'gpt-5-mini', 'llama3.2:3b'];
const HOUR = 3_600_000;

/** The nth of many runs: states, models, lengths and days differ, and are the same every time. */
export function manyRecords(n: number, id: string): RunRecord[] {
  const meta = metaRecord(id, `${TOPICS[n % TOPICS.length]} number ${n}`, n % 3 !== 0);
  meta.meta!.fingerprint.model = MODELS[n % MODELS.length]!;
  meta.meta!.created = new Date(Date.now() - (n + 3) * HOUR).toISOString();
  const answers = Array.from({ length: 1 + (n % 5) }, (_, at) => answerRecord(at + 2, `answer ${at}`, at));
  const next = answers.length + 2;
  if (n % 7 === 3) return [meta, ...answers, terminalRecord(next, 'error', 'The service did not answer.')];
  if (n % 7 === 5) return [meta, ...answers, callRecord(next, ['c1'], answers.length, 'write_file')];
  if (n % 3 === 0) return [meta, ...answers, terminalRecord(next, 'completed')];
  return [meta, ...answers];
}

export const manyId = (n: number): string => `run${String(n).padStart(5, '0')}`;

/** Puts so many runs into a folder that counts as ours, the newest first by number, an hour apart. */
export function putManyRuns(folder: string, count: number): void {
  ready(folder);
  for (let n = 0; n < count; n++) {
    const path = join(folder, `${manyId(n)}.json`);
    writeFileSync(path, journalBytes(manyRecords(n, manyId(n))), { mode: 0o600 });
    const at = Date.now() / 1000 - n * 3_600;
    utimesSync(path, at, at);
  }
}
