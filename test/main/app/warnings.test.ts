import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { readRun } from '../../../src/main/journal/read';
import type { Client } from '../../../src/shared/contract/connect';
import { encodeLine } from '../../../src/shared/run/codec';
import type { RunRecord } from '../../../src/shared/run/record';
import { makeDesk, Shown, type Desk, type Output } from '../../support/app';
import {
  answerRecord,
  callRecord,
  metaRecord,
  resultRecord,
  terminalRecord,
  userRecord,
} from '../../support/journal-records';
import { soak } from '../../support/prerequisites';
import { Seeded } from '../../support/seeded';
import { until } from '../../support/wait';

type RecordPage = Output<'run.record'>;

let desk: Desk;
afterEach(async () => {
  expect(desk.bugs).toEqual([]);
  await desk.close();
});

const ODD_ENDS = ['', '', '{"seq":99,"proto', '{"no record":1}\n', '\0\0\0\0'];

/** A journal that any program may have left, with things in it that are worth a look, and ordinary ones. */
function oddJournal(id: string, chance: Seeded): { records: RunRecord[]; end: string } {
  const records: RunRecord[] = [metaRecord(id, `Odd ${id}`)];
  let seq = 1;
  const next = () => (seq += chance.chance(0.25) ? 2 + chance.below(5) : 1);
  for (let turn = 0; turn < 2 + chance.below(4); turn++) {
    if (chance.chance(0.6)) {
      const ids = [`c${turn}a`, `c${turn}b`].slice(0, 1 + chance.below(2));
      records.push(callRecord(next(), ids, turn));
      for (const one of ids) if (!chance.chance(0.2)) records.push(resultRecord(next(), one, 'done'));
      if (chance.chance(0.2)) records.push(resultRecord(next(), ids[0]!, 'once more'));
      if (chance.chance(0.2)) records.push(resultRecord(next(), `stray${turn}`, 'orphan'));
    } else records.push(answerRecord(next(), `Answer ${turn}`, turn));
    if (chance.chance(0.3))
      records.push(terminalRecord(next(), chance.pick(['suspended', 'completed', 'error'])));
    if (chance.chance(0.7)) records.push(userRecord(next(), 'go on'));
  }
  return { records, end: chance.pick(ODD_ENDS) };
}

const bytesOf = (records: readonly RunRecord[]) =>
  Buffer.concat(records.map((record) => Buffer.from(encodeLine(record))));

/** What the command tells about these bytes. */
const told = (bytes: Buffer) => readRun(bytes).warnings.filter(({ ordinary }) => !ordinary);

async function rowOf(client: Client, id: string) {
  const page = await client.call('library.page', { offset: 0, limit: 200 });
  return page.rows.find((row) => row.id === id);
}

describe('what is odd about a journal', () => {
  it('is shown as the command shows it: in the list and in the head of the run, also after the journal grew', async () => {
    desk = makeDesk();
    const client = desk.window();
    const count = soak ? 400 : 60;
    const runs = Array.from({ length: count }, (_, n) => ({
      id: `odd${n}`,
      ...oddJournal(`odd${n}`, new Seeded(n)),
    }));
    const path = (id: string) => join(desk.home, 'runs', `${id}.json`);
    mkdirSync(join(desk.home, 'runs'), { mode: 0o700 });
    for (const { id, records, end } of runs)
      // Some are listed before the rest of them is written.
      writeFileSync(
        path(id),
        end === '' ? bytesOf(records.slice(0, 2)) : Buffer.concat([bytesOf(records), Buffer.from(end)]),
      );
    await until(async () => (await client.call('library.page', { offset: 0, limit: 1 })).all === count);
    for (const { id, records, end } of runs)
      if (end === '') appendFileSync(path(id), bytesOf(records.slice(2)));
    let odd = 0;
    for (const { id, records, end } of runs) {
      const all = Buffer.concat([bytesOf(records), Buffer.from(end)]);
      const expected = told(all);
      odd += expected.length;
      const shown = new Shown(client, id);
      await until(() => shown.head !== undefined);
      const { head } = shown;
      if (readRun(all).failure) continue;
      expect(head?.warnings.map(({ detail }) => detail).sort(), id).toEqual(
        expected.map(({ detail }) => detail).sort(),
      );
      expect(head?.records, id).toBe(readRun(all).records.length);
      expect(head?.lastSeq, id).toBe(readRun(all).records.at(-1)?.seq);
      await until(async () => ((await rowOf(client, id))?.warnings ?? 0) === expected.length);
      shown.stop();
    }
    expect(odd).toBeGreaterThan(count);
  });

  it('hinders nobody from going through the records, whose numbers jump', async () => {
    desk = makeDesk();
    const client = desk.window();
    const records = [
      metaRecord('gap'),
      answerRecord(4, 'one'),
      userRecord(9, 'go on'),
      answerRecord(10, 'two', 1),
    ];
    mkdirSync(join(desk.home, 'runs'), { mode: 0o700 });
    writeFileSync(join(desk.home, 'runs', 'gap.json'), bytesOf(records));
    const seen: number[] = [];
    for (let seq: number | undefined = 1, before: number | undefined; seq !== undefined;) {
      const record: RecordPage = await client.call('run.record', { id: 'gap', seq, from: 0, limit: 10 });
      seen.push(seq);
      expect(record).toMatchObject({ nth: seen.length, of: 4 });
      expect(record.before).toBe(before);
      before = seq;
      seq = record.after;
    }
    expect(seen).toEqual([1, 4, 9, 10]);
  });
});
