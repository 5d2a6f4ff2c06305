import { appendFileSync, readFileSync, renameSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { encodeLine, encodeRecord, readJournal } from '../../../src/shared/run/codec';
import { fileStore } from '../../../src/main/journal/file';
import { nodeVfs } from '../../../src/main/journal/file/vfs';
import type { Vfs } from '../../../src/main/journal/file/vfs';
import { readRun, readRunGently } from '../../../src/main/journal/read';
import { answerRecord, chatRecords, metaRecord, resultRecord } from '../../support/journal-records';
import { foldCases } from '../../support/fold-cases';
import { journalBytes, storeFolder } from '../../support/store-folder';
import type { StoreFolder } from '../../support/store-folder';
import { failureOf } from '../../support/wait';

let folder: StoreFolder;
beforeEach(() => void (folder = storeFolder()));
afterEach(() => folder.remove());

const lines = (records: ReturnType<typeof chatRecords>): string[] => records.map(encodeRecord);
const codes = (warnings: { code: string }[]): string[] => warnings.map((warning) => warning.code);

describe('Opening a journal that a crash left', () => {
  it('cuts a torn tail, keeps its bytes, and goes on after the last whole record', async () => {
    const whole = journalBytes(chatRecords('one', 6));
    const torn = encodeLine(resultRecord(7, 'call_6', 'never finished')).subarray(0, 60);
    folder.put('one', Buffer.concat([whole, torn]));
    const store = fileStore(folder.path);
    const preview = await store.load('one');
    expect([preview.records.length, codes(preview.warnings)]).toEqual([6, ['torn_tail']]);

    const journal = await store.open('one');
    const opened = await journal.load();
    expect([opened.records.length, codes(opened.warnings), opened.size]).toEqual([
      6,
      ['torn_tail'],
      whole.length,
    ]);
    expect(readFileSync(folder.of('one.torn')).equals(torn)).toBe(true);
    await journal.append(resultRecord(7, 'call_6', 'done again'));
    await journal.append(answerRecord(8, 'and on', 3));
    await journal.close();
    const loaded = await store.load('one');
    expect([loaded.records.length, loaded.warnings]).toEqual([8, []]);
  });

  it('does not change when the run was last changed, if nothing was to be mended', async () => {
    folder.put('one', chatRecords('one', 3));
    utimesSync(folder.of('one.json'), 1_000, 1_000);
    const before = folder.snapshot();
    await (await fileStore(folder.path).open('one')).close();
    expect((await fileStore(folder.path).summary('one')).updated).toEqual(new Date(1_000_000));
    expect(folder.snapshot()).toEqual(before);
  });

  it('keeps every tail in a file of its own', async () => {
    const store = fileStore(folder.path);
    folder.put('one', chatRecords('one', 3));
    for (const part of ['{"first', '{"second', '{"third']) {
      appendFileSync(folder.of('one.json'), part);
      await (await store.open('one')).close();
    }
    expect(folder.names()).toEqual(['one.2.torn', 'one.3.torn', 'one.json', 'one.torn']);
    expect(['one.torn', 'one.2.torn', 'one.3.torn'].map(folder.text)).toEqual([
      '{"first',
      '{"second',
      '{"third',
    ]);
    expect((await store.load('one')).records).toHaveLength(3);
  });

  it('counts NULs at the end as torn, as a power cut leaves them', async () => {
    const store = fileStore(folder.path);
    folder.put('one', Buffer.concat([journalBytes(chatRecords('one', 3)), Buffer.alloc(300)]));
    const journal = await store.open('one');
    await journal.append(answerRecord(4, 'on', 1));
    await journal.close();
    expect(readFileSync(folder.of('one.torn')).equals(Buffer.alloc(300))).toBe(true);
    expect((await store.load('one')).records).toHaveLength(4);
  });

  it('drops a bad last line that has its newline, but keeps its bytes and says so', async () => {
    const bad = `${encodeRecord(answerRecord(4, 'x', 1)).slice(0, -4)}\n`;
    folder.put('one', Buffer.concat([journalBytes(chatRecords('one', 3)), Buffer.from(bad)]));
    const store = fileStore(folder.path);
    expect((await store.summary('one')).warnings).toBe(1);
    const journal = await store.open('one');
    expect(codes((await journal.load()).warnings)).toEqual(['bad_last_line']);
    await journal.append(answerRecord(4, 'other', 1));
    await journal.close();
    expect(folder.text('one.torn')).toBe(bad);
    expect((await store.load('one')).records).toHaveLength(4);
  });

  it('gives a whole last line the newline that it lacks, and loses nothing', async () => {
    const whole = journalBytes(chatRecords('one', 4));
    folder.put('one', whole.subarray(0, -1));
    const store = fileStore(folder.path);
    const preview = await store.load('one');
    expect([preview.records.length, codes(preview.warnings)]).toEqual([4, ['missing_newline']]);
    const journal = await store.open('one');
    expect(readFileSync(folder.of('one.json')).equals(whole)).toBe(true);
    await journal.append(chatRecords('one', 5)[4]!);
    await journal.close();
    expect(lines((await store.load('one')).records)).toEqual(lines(chatRecords('one', 5)));
    expect(folder.names()).toEqual(['one.json']);
  });

  it('leaves a run that is damaged inside exactly as it is, and names line and byte', async () => {
    const texts = lines(chatRecords('one', 6));
    texts[3] = texts[3]!.replace('"seq"', 'seq"');
    folder.put('one', `${texts.join('\n')}\n{"torn`);
    const before = folder.snapshot();
    const store = fileStore(folder.path);
    const byte = Buffer.byteLength(texts.slice(0, 3).join('\n')) + 1;
    const places = { line: 4, byte, records: 3 };
    expect((await failureOf(store.open('one'))).toJSON()).toMatchObject({ code: 'corrupt', data: places });
    expect((await failureOf(store.load('one'))).toJSON()).toMatchObject({ code: 'corrupt', data: places });
    expect((await failureOf(store.create('one', metaRecord('one')))).code).toBe('exists');
    const row = await store.summary('one');
    expect(row).toMatchObject({ health: 'damaged', prompt: metaRecord('one').meta!.prompt, runId: 'one' });
    expect(row.failure).toMatchObject({ code: 'corrupt', data: places });
    expect(folder.snapshot()).toEqual(before);
  });

  it('does the same for what only the fold finds wrong, and for another version', async () => {
    folder.put('fold', [
      ...chatRecords('fold', 3),
      resultRecord(4, 'call_2', 'x'),
      { ...metaRecord('again'), seq: 5 },
    ]);
    folder.put('old', encodeRecord(metaRecord('old')).replace('"version":3', '"version":2') + '\n');
    const before = folder.snapshot();
    const store = fileStore(folder.path);
    const failure = await failureOf(store.open('fold'));
    expect(failure.code).toBe('corrupt');
    expect(failure.data).toMatchObject({
      line: 5,
      byte: journalBytes([...chatRecords('fold', 3), resultRecord(4, 'call_2', 'x')]).length,
    });
    for (const call of [() => store.open('old'), () => store.load('old')])
      expect((await failureOf(call())).code).toBe('version');
    expect((await store.summary('old')).health).toBe('damaged');
    expect((await failureOf(store.create('old', metaRecord('old')))).code).toBe('exists');
    expect(folder.snapshot()).toEqual(before);
  });
});

describe('A run that never started', () => {
  const meta = encodeLine(metaRecord('one'));
  it.each([
    ['an empty file', Buffer.alloc(0)],
    ['a cut inside the meta line', Buffer.from(meta.subarray(0, 80))],
    ['nothing but NULs', Buffer.alloc(4096)],
    ['blank lines', Buffer.from('\n\n')],
  ])('as %s is shown as new, cannot be loaded, and leaves its name free', async (_what, content) => {
    folder.put('one', content);
    const store = fileStore(folder.path);
    expect(await store.summary('one')).toMatchObject({ id: 'one', health: 'new', size: content.length });
    expect((await failureOf(store.load('one'))).code).toBe('empty');
    expect((await failureOf(store.open('one'))).code).toBe('empty');
    const journal = await store.create('one', metaRecord('one', 'now it starts'));
    await journal.append(answerRecord(2, 'yes'));
    await journal.close();
    const loaded = await store.load('one');
    expect([loaded.records.length, loaded.state.prompt, loaded.warnings]).toEqual([2, 'now it starts', []]);
    if (content.length > 0) expect(readFileSync(folder.of('one.torn')).equals(content)).toBe(true);
  });

  it('is none once its meta line is whole, with or without its newline', async () => {
    folder.put('one', Buffer.from(meta.subarray(0, -1)));
    const store = fileStore(folder.path);
    expect((await failureOf(store.create('one', metaRecord('one')))).code).toBe('exists');
    expect((await store.load('one')).records).toHaveLength(1);
  });

  it('is none either when its first line has its newline but cannot be read: it may have been acknowledged', async () => {
    folder.put('one', Buffer.concat([meta.subarray(0, 40), Buffer.from('\n')]));
    const before = folder.snapshot();
    const store = fileStore(folder.path);
    expect((await store.summary('one')).health).toBe('damaged');
    expect((await failureOf(store.create('one', metaRecord('one')))).code).toBe('exists');
    expect((await failureOf(store.open('one'))).code).toBe('empty');
    expect(folder.snapshot()).toEqual(before);
  });
});

describe('Reading while somebody writes', () => {
  it('sees a line that is on its way as no damage, from the list as well', async () => {
    const store = fileStore(folder.path);
    const journal = await store.create('one', metaRecord('one'));
    appendFileSync(folder.of('one.json'), encodeLine(answerRecord(2, 'on its way')).subarray(0, 50));
    const reader = fileStore(folder.path);
    const loaded = await reader.load('one');
    expect([loaded.records.length, loaded.warnings, loaded.writer]).toEqual([1, [], 'here']);
    expect((await reader.list())[0]).toMatchObject({ warnings: 0, writer: 'here' });
    await journal.close();
    expect(codes((await reader.load('one')).warnings)).toEqual(['torn_tail']);
    expect((await reader.list())[0]).toMatchObject({ warnings: 1, writer: 'none' });
  });

  it('looks again, and gives the whole line when it arrives in between', async () => {
    const journal = await fileStore(folder.path).create('one', metaRecord('one'));
    const line = encodeLine(answerRecord(2, 'on its way'));
    appendFileSync(folder.of('one.json'), line.subarray(0, 50));
    let closed = 0;
    const vfs: Vfs = {
      ...nodeVfs,
      close: async (fd) => {
        if (closed++ === 0) appendFileSync(folder.of('one.json'), line.subarray(50));
        await nodeVfs.close(fd);
      },
    };
    expect((await fileStore(folder.path, { vfs }).load('one')).records).toHaveLength(2);
    expect(closed).toBe(2);
    await journal.close();
  });
});

describe('Reading in slices', () => {
  it('is reading at once, for every case of the reference', async () => {
    for (const { name, journal } of foldCases())
      for (const piece of [1, 300, 1_000]) {
        const gentle = await readRunGently(journal, undefined, piece);
        expect({ name, piece, read: gentle }).toEqual({ name, piece, read: readRun(journal) });
      }
  });

  const large = journalBytes(chatRecords('large', 4_000, 'some words '.repeat(12)));
  const third = large.indexOf(0x0a, large.length / 3);
  it.each([
    ['whole', large],
    ['torn', large.subarray(0, -30)],
    ['without its last newline', large.subarray(0, -1)],
    ['with a bad last line', Buffer.concat([large, Buffer.from('{"no":\n')])],
    ['with NULs at the end', Buffer.concat([large, Buffer.alloc(100)])],
    [
      'with blank lines',
      Buffer.concat([large.subarray(0, third), Buffer.from('\n\n\n'), large.subarray(third)]),
    ],
    [
      'damaged inside',
      Buffer.concat([large.subarray(0, third), Buffer.from('\n{bad}'), large.subarray(third)]),
    ],
    [
      'wrong for the fold',
      Buffer.concat([
        large.subarray(0, third),
        Buffer.from('\n'),
        encodeLine(metaRecord('x')),
        large.subarray(third + 1),
      ]),
    ],
    [
      'one line longer than a slice',
      Buffer.concat([encodeLine(metaRecord('x', 'p'.repeat(900_000))), encodeLine(answerRecord(2, 'x'))]),
    ],
  ])('is reading at once, for a large journal that is %s', async (_what, bytes) => {
    const [plain, gentle] = [readRun(bytes), await readRunGently(bytes)];
    expect(gentle.records.length).toBe(plain.records.length);
    expect(gentle.places).toEqual(plain.places);
    expect(gentle.warnings).toEqual(plain.warnings);
    expect([gentle.tail, gentle.failure?.toJSON(), gentle.size, gentle.unborn]).toEqual([
      plain.tail,
      plain.failure?.toJSON(),
      plain.size,
      plain.unborn,
    ]);
    expect(gentle.folded).toEqual(plain.folded);
    if (plain.folded)
      expect(gentle.records.map(encodeRecord)).toEqual(
        readJournal(bytes).records.slice(0, plain.records.length).map(encodeRecord),
      );
  });

  it('lets others in', async () => {
    let turns = 0;
    let over = false;
    const count = (): void => {
      turns += 1;
      if (!over) setImmediate(count);
    };
    setImmediate(count);
    await readRunGently(journalBytes(chatRecords('large', 20_000)));
    over = true;
    expect(turns).toBeGreaterThan(3);
  });
});

describe('A file that is changed under a writer', () => {
  const changes: [string, () => void][] = [
    ['grown by somebody else', () => appendFileSync(folder.of('one.json'), 'x\n')],
    ['cut', () => truncateSync(folder.of('one.json'), 10)],
    ['replaced by a copy', () => replaceByCopy()],
    ['moved away', () => renameAway()],
  ];
  const replaceByCopy = (): void => {
    const bytes = readFileSync(folder.of('one.json'));
    writeFileSync(folder.of('copy'), bytes);
    renameSync(folder.of('copy'), folder.of('one.json'));
  };
  const renameAway = (): void => renameSync(folder.of('one.json'), folder.of('elsewhere'));

  it.each(changes)('ends it before it writes: %s', async (_what, change) => {
    const store = fileStore(folder.path);
    const journal = await store.create('one', metaRecord('one'));
    await journal.append(answerRecord(2, 'fine'));
    change();
    const before = folder.snapshot();
    const failure = await failureOf(journal.append(answerRecord(3, 'not this', 1)));
    expect([failure.code, failure.data?.reason]).toEqual(['journal_dead', 'fenced']);
    expect(journal.dead?.code).toBe('fenced');
    expect((await failureOf(journal.append(answerRecord(3, 'nor this', 1)))).code).toBe('journal_dead');
    expect(journal.lastSeq).toBe(2);
    expect(folder.snapshot()).toEqual(before);
    await journal.close();
  });
});
