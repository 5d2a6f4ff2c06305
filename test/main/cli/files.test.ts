import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { foldCommand, recodeCommand, verifyCommand } from '../../../src/main/cli/files';
import { fileStore } from '../../../src/main/journal/file';
import { encodeLine } from '../../../src/shared/run/codec';
import { fixture, foldCases } from '../../support/fold-cases';
import { workbench } from '../../support/cli';
import { tempFolder } from '../../support/folder';
import { chatRecords } from '../../support/journal-records';
import { testScreen } from '../../support/screen';

const cases = foldCases();
const nameOf = (index: number) => `${String(index).padStart(3, '0')}.json`;
const golden = readFileSync(fixture('golden-v3.jsonl'));

function caseFolder(): string {
  return tempFolder(Object.fromEntries(cases.map(({ journal }, index) => [nameOf(index), journal])));
}
const journal = (records: number) => Buffer.concat(chatRecords('r', records).map(encodeLine));

describe('fold', () => {
  it('gives one line for each file of a folder, in name order, with the verdict of the reference', async () => {
    const screen = testScreen();
    expect(await foldCommand([caseFolder()], screen)).toBe(0);
    const lines = screen.json<{
      file: string;
      state?: { pending: unknown };
      error?: string;
      detail?: string;
    }>();
    expect(lines.map(({ file }) => file)).toEqual(cases.map((_, index) => nameOf(index)));
    lines.forEach((line, index) => {
      const { error, stateText } = cases[index] ?? {};
      expect(line.error).toBe(error);
      if (error) expect(line.detail).not.toBe('');
      // The set of answered calls has no order of its own.
      else expect(sorted(line.state)).toEqual(sorted(JSON.parse(stateText ?? '')));
    });
  });

  it('keeps numbers as they were written', async () => {
    const folder = tempFolder({ 'a.json': golden });
    const screen = testScreen();
    await foldCommand([join(folder, 'a.json')], screen);
    expect(screen.stdout).toContain(
      '"input":{"limit":1.50,"10":"\\u003cx\\u003e","2":"\\u003c","big":9007199254740993}',
    );
  });

  it('names a file as it was given, and the files of a folder by their own names', async () => {
    const folder = tempFolder({ 'b.json': golden, 'a.json': golden });
    const screen = testScreen();
    await foldCommand([join(folder, 'b.json'), folder], screen);
    expect(screen.json().map(({ file }) => file)).toEqual([join(folder, 'b.json'), 'a.json', 'b.json']);
  });

  it('leaves out what lies beside journals', async () => {
    const folder = tempFolder({
      'a.json': golden,
      'a.aux.jsonl': '{}',
      'a.lock': '',
      'a.torn': 'x',
      '.catalogue.jsonl': '{}',
    });
    mkdirSync(join(folder, 'trash'));
    const screen = testScreen();
    await foldCommand([folder], screen);
    expect(screen.json().map(({ file }) => file)).toEqual(['a.json']);
  });

  it('reads files that a folder links to, tells of links to nothing, and never waits at a device or a pipe', async () => {
    const folder = tempFolder({ 'a.json': golden });
    symlinkSync('a.json', join(folder, 'b.json'));
    symlinkSync('nowhere', join(folder, 'c.json'));
    symlinkSync('/dev/zero', join(folder, 'd.json'));
    symlinkSync(tempFolder({}), join(folder, 'e.json'));
    const screen = testScreen();
    await foldCommand([folder], screen);
    expect(screen.json().map(({ file, error }) => [file, error])).toEqual([
      ['a.json', undefined],
      ['b.json', undefined],
      ['c.json', 'not_found'],
    ]);
  });

  it('goes on after a path that is not there, and says so', async () => {
    const folder = tempFolder({ 'a.json': golden });
    const screen = testScreen();
    expect(await foldCommand([join(folder, 'none'), folder], screen)).toBe(5);
    expect(screen.json()).toMatchObject([
      { file: join(folder, 'none'), error: 'not_found' },
      { file: 'a.json' },
    ]);
  });

  it('has warnings beside the state, and no such field without any', async () => {
    const folder = tempFolder({ 'torn.json': journal(5).subarray(0, -3), 'whole.json': journal(5) });
    const screen = testScreen();
    await foldCommand([folder], screen);
    const [torn, whole] = screen.json();
    expect(torn?.warnings).toMatchObject([{ code: 'torn_tail', line: 5 }]);
    expect(whole).not.toHaveProperty('warnings');
  });
});

function sorted(value: unknown): unknown {
  const state = value as { pending: { answered: string[] } | null };
  return state.pending
    ? { ...state, pending: { ...state.pending, answered: [...state.pending.answered].sort() } }
    : state;
}

describe('recode', () => {
  it('gives the exact bytes of a journal that the reference wrote', async () => {
    const screen = testScreen();
    expect(await recodeCommand(fixture('golden-v3.jsonl'), screen)).toBe(0);
    expect(screen.stdout).toBe(golden.toString());
  });

  it('gives what is whole before a torn end, and names the end', async () => {
    const folder = tempFolder({ 'a.json': journal(4).subarray(0, -5) });
    const screen = testScreen();
    expect(await recodeCommand(join(folder, 'a.json'), screen)).toBe(0);
    expect(screen.stdout).toBe(journal(3).toString());
    expect(screen.stderr).toContain('line 4');
  });

  it('stops at damage with its place', async () => {
    const lines = journal(4).toString().split('\n');
    lines[1] = 'not json';
    const folder = tempFolder({ 'a.json': lines.join('\n') });
    const screen = testScreen();
    await expect(recodeCommand(join(folder, 'a.json'), screen)).rejects.toMatchObject({
      code: 'corrupt',
      data: { line: 2 },
    });
    expect(screen.stdout).toBe(journal(1).toString());
  });
});

describe('verify', () => {
  const damaged = () => {
    const lines = journal(6).toString().split('\n');
    lines[2] = `${lines[2]?.slice(0, 40)}#`;
    return lines.join('\n');
  };

  it('says ok, torn or corrupt with line and byte, and fails only for damage', async () => {
    const torn = tempFolder({ 'ok.json': journal(6), 'torn.json': journal(6).subarray(0, -4) });
    const screen = testScreen();
    expect(await verifyCommand([torn], {}, screen)).toBe(0);
    const start = journal(5).length;
    expect(screen.lines()[0]).toBe('ok ok.json (6 records)');
    expect(screen.lines()[1]).toMatch(
      new RegExp(`^torn torn\\.json \\(5 records\\): line 6, byte ${start}: `),
    );

    writeFileSync(join(torn, 'bad.json'), damaged());
    const again = testScreen();
    expect(await verifyCommand([torn], { json: true }, again)).toBe(1);
    // One whole line that is no record was not torn off by a crash: as the list has it, that is damage.
    const garbage = testScreen();
    const folder = tempFolder({ 'a.json': 'garbage\n', 'b.json': '{"seq":1,"pro', 'c.json': '' });
    expect(await verifyCommand([folder], { json: true }, garbage)).toBe(1);
    expect(garbage.json<{ verdict: string }>().map(({ verdict }) => verdict)).toEqual([
      'corrupt',
      'torn',
      'torn',
    ]);
    const rows = await fileStore(folder).list();
    expect(Object.fromEntries(rows.map(({ id, health }) => [id, health]))).toEqual({
      a: 'damaged',
      b: 'new',
      c: 'new',
    });
    expect(rows.find(({ id }) => id === 'a')?.failure?.message).toContain('is no record');
    expect(again.json()[0]).toMatchObject({
      file: 'bad.json',
      verdict: 'corrupt',
      code: 'corrupt',
      records: 2,
      line: 3,
      byte: journal(2).length,
    });
  });

  it('finds the damage that the reference finds in all its cases', async () => {
    const screen = testScreen();
    expect(await verifyCommand([caseFolder()], { json: true }, screen)).toBe(1);
    const verdicts = screen.json<{ verdict: string }>();
    cases.forEach(({ error, journal: bytes }, index) => {
      const text = Buffer.from(bytes).toString('utf8');
      const empty = text.endsWith('\n') && text.trim() !== '' ? 'corrupt' : 'torn';
      const verdict = verdicts[index]?.verdict;
      if (error === undefined) expect(['ok', 'torn']).toContain(verdict);
      else
        expect(verdict).toBe({ corrupt: 'corrupt', no_meta: 'corrupt', version: 'unreadable', empty }[error]);
    });
  });

  it('tells of oddities that are no damage', async () => {
    const records = chatRecords('r', 6).map((record) => ({
      ...record,
      seq: record.seq < 4 ? record.seq : record.seq + 3,
    }));
    const folder = tempFolder({ 'gap.json': Buffer.concat(records.map(encodeLine)) });
    const screen = testScreen();
    expect(await verifyCommand([folder], {}, screen)).toBe(0);
    expect(screen.stdout).toMatch(/^ok gap\.json \(6 records\)\n {2}seq_gap: line 4, byte \d+: /);
  });

  it('fails for a path that is not there', async () => {
    expect(await verifyCommand([join(tempFolder(), 'none')], {}, testScreen())).toBe(5);
  });
});

describe('verify of the notes beside a run', () => {
  it('tells of a line that was changed or is missing, at every byte, and of nothing when they are whole', async () => {
    const bench = workbench();
    await bench.run([
      'run',
      'append log.txt: x',
      '--id',
      'r',
      '--folder',
      bench.folder,
      '--allow',
      'append_file',
    ]);
    const [journal, notes] = [join(bench.runs, 'r.json'), join(bench.runs, 'r.aux.jsonl')];
    const verify = async () => {
      const screen = testScreen();
      expect(await verifyCommand([journal], { json: true }, screen)).toBe(0);
      return (screen.json() as { notes?: { line: number; what: string }[] }[])[0]?.notes;
    };
    const whole = readFileSync(notes);
    expect(await verify()).toBeUndefined();
    expect(
      JSON.parse((await bench.run(['verify', '--json', bench.runs])).stdout.split('\n')[0]!),
    ).toMatchObject({
      file: 'r.json',
      verdict: 'ok',
    });
    for (let at = 0; at < whole.length; at += 3) {
      const flipped = Buffer.from(whole);
      flipped[at]! ^= 1 << (at % 8);
      writeFileSync(notes, flipped);
      expect(await verify(), `byte ${at}`).not.toBeUndefined();
    }
    const lines = whole.toString('utf8').split('\n');
    writeFileSync(notes, [...lines.slice(0, 3), ...lines.slice(4)].join('\n'));
    expect(await verify()).toEqual([{ line: 4, what: 'missing' }]);
    writeFileSync(notes, [...lines.slice(0, 3), lines[3]!.replace('e', 'f'), ...lines.slice(4)].join('\n'));
    expect(await verify()).toEqual([{ line: 4, what: 'changed' }]);
    const screen = testScreen();
    await verifyCommand([journal], {}, screen);
    expect(screen.stdout).toContain('notes: line 4: this line changed');
  });
});
