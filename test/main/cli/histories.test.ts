import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileStore } from '../../../src/main/journal/file';
import { exportProblems } from '../../../src/main/library/schemas';
import { workbench } from '../../support/cli';
import { bringRich, KEY_SHAPE } from '../../support/histories';

async function rich() {
  const bench = workbench();
  const bytes = await bringRich(fileStore(bench.runs));
  const at = (name: string) => join(bench.folder, name);
  return { bench, bytes, at };
}

describe('export', () => {
  it('writes a run in each format and tells what was written', async () => {
    const { bench, at, bytes } = await rich();
    for (const [name, format] of [
      ['a.md'],
      ['a.html'],
      ['a.json', 'json'],
      ['b.json', 'journal'],
      ['a.zip'],
    ] as const) {
      const ran = await bench.run([
        'export',
        'rich',
        '--out',
        at(name),
        ...(format ? ['--format', format] : []),
      ]);
      expect([name, ran.exit, ran.stderr]).toEqual([name, 0, '']);
      expect(ran.stdout).toContain('16 records, 5 calls, 5 results written: complete');
      expect(ran.stdout).not.toMatch(/[\u001b\u202e]/);
    }
    expect(readFileSync(at('b.json'))).toEqual(bytes);
    expect(exportProblems(JSON.parse(readFileSync(at('a.json'), 'utf8')))).toEqual([]);
    expect(readFileSync(at('a.md'), 'utf8')).toContain('# A ');
    expect(readFileSync(at('a.html'), 'utf8')).toContain('<!doctype html>');
    expect(readFileSync(at('a.zip')).subarray(0, 2).toString()).toBe('PK');
  });

  it('gives scripts the counts as JSON, leaves out what it is told to, and redacts', async () => {
    const { bench, at } = await rich();
    const words = [
      'export',
      'rich',
      '--out',
      at('a.md'),
      '--no-tools',
      '--no-thinking',
      '--redact',
      '--json',
    ];
    const ran = await bench.run(words);
    expect(ran.json()).toMatchObject([
      { event: 'exported', id: 'rich', complete: true, written: { records: 16 } },
    ]);
    const text = readFileSync(at('a.md'), 'utf8');
    expect(text).not.toContain('four ticks');
    expect(text).not.toContain('Let me think');
    await bench.run(['export', 'rich', '--out', at('b.md'), '--redact']);
    expect(readFileSync(at('b.md'), 'utf8')).not.toContain(KEY_SHAPE);
  });

  it('of a run that is not there exits 5, of a taken name 1, of an unknown format 2', async () => {
    const { bench, at } = await rich();
    writeFileSync(at('mine.md'), 'mine');
    const exits = async (...words: string[]) => (await bench.run(['export', ...words])).exit;
    expect(await exits('none', '--out', at('x.md'))).toBe(5);
    expect(await exits('rich', '--out', at('mine.md'))).toBe(1);
    expect(await exits('rich', '--out', at('x.pdf'))).toBe(2);
    expect(await exits('rich', '--out', at('x'), '--format', 'pdf')).toBe(2);
    expect(await exits('rich', '--out', at('x'), '--format', 'journal', '--redact')).toBe(2);
    expect(await exits('rich')).toBe(2);
    expect(readFileSync(at('mine.md'), 'utf8')).toBe('mine');
    expect(readdirSync(bench.folder).sort()).toEqual(['in.txt', 'mine.md']);
  });
});

describe('import', () => {
  it('brings back what was exported, byte for byte, under a new name where it must', async () => {
    const { bench, at, bytes } = await rich();
    await bench.run(['run', 'say hello', '--id', 'hello']);
    expect((await bench.run(['export', '--all', '--out', at('all.zip')])).exit).toBe(0);
    const elsewhere = `file:${at('elsewhere')}`;
    const there = await bench.run(['import', at('all.zip'), '--store', elsewhere]);
    expect([there.exit, there.stderr]).toEqual([0, '']);
    expect(there.stdout).toContain('2 runs imported, 0 not');
    expect(readFileSync(at('elsewhere/rich.json'))).toEqual(bytes);
    const again = await bench.run(['import', at('all.zip'), '--json']);
    const [first] = again.json() as { id: string; wanted: string }[];
    expect(first?.id).not.toBe(first?.wanted);
    expect(readFileSync(join(bench.runs, `${first?.id}.json`))).toEqual(
      readFileSync(join(bench.runs, `${first?.wanted}.json`)),
    );
    expect(again.json().at(-1)).toEqual({ event: 'import', imported: 2, failed: 0, cancelled: false });
  });

  it('tells what could not be taken, and exits 1', async () => {
    const { bench, at } = await rich();
    writeFileSync(at('bad.json'), 'no journal\n{}\n');
    const mixed = await bench.run(['import', at('bad.json'), join(bench.runs, 'rich.json')]);
    expect(mixed.exit).toBe(1);
    expect(mixed.stderr).toContain('bad.json');
    expect(mixed.stdout).toContain('1 run imported, 1 not');
    expect((await bench.run(['import', at('nowhere')])).exit).toBe(5);
  });
});

describe('search', () => {
  it('prints where words stand, with nothing that drives the terminal', async () => {
    const { bench, at } = await rich();
    const ran = await bench.run(['search', 'four', 'ticks', '--cache', at('cache')]);
    expect([ran.exit, ran.stderr]).toEqual([0, '']);
    expect(ran.stdout).toContain('rich record 3 (result): A <rich> run');
    expect(ran.stdout).not.toMatch(/[\u001b\u202e]/);
    await bench.run(['run', 'say hello needle', '--id', 'hello']);
    const json = await bench.run(['search', 'needle', '--json', '--cache', at('cache')]);
    expect(json.json()).toMatchObject([
      { run: 'hello', seq: 2, part: 'answer' },
      { run: 'hello', seq: 1, part: 'prompt', snippet: { text: 'say hello needle', marks: [[10, 16]] } },
    ]);
    const none = await bench.run(['search', 'nothing-like-it', '--cache', at('cache')]);
    expect([none.exit, none.stdout, none.stderr]).toEqual([0, '', 'nothing found\n']);
    expect((await bench.run(['search', 'a', '--limit', 'x'])).exit).toBe(2);
  });
});

describe('another store', () => {
  it('is named for exports and searches as everywhere, and what comes of them is told as JSON', async () => {
    const { bench, at } = await rich();
    const store = fileStore(at('shelf'));
    const bytes = await bringRich(store, 'far');
    await store.close();
    const there = ['--store', `file:${at('shelf')}`, '--json'];
    expect((await bench.run(['export', 'far', '--out', at('x.md')])).exit).toBe(5);
    const out = await bench.run(['export', 'far', '--format', 'journal', '--out', at('far.json'), ...there]);
    expect(out.json()).toMatchObject([
      { event: 'exported', id: 'far', complete: true, written: { records: 16 } },
    ]);
    expect(readFileSync(at('far.json'))).toEqual(bytes);
    const find = async (...more: string[]) =>
      (await bench.run(['search', 'four ticks', '--cache', at('cache'), '--json', ...more])).json();
    expect(await find(...there.slice(0, 2))).toMatchObject([{ run: 'far', seq: 3, part: 'result' }]);
    expect(await find()).toMatchObject([{ run: 'rich', seq: 3, part: 'result' }]);
  });

  it('can be given what is intact of a damaged run, as a journal', async () => {
    const { bench, bytes, at } = await rich();
    const file = join(bench.runs, 'rich.json');
    const hurt = bytes.indexOf('{"seq":9,');
    writeFileSync(
      file,
      Buffer.concat([bytes.subarray(0, hurt), Buffer.from('garbage\n'), bytes.subarray(hurt)]),
    );
    const words = ['export', 'rich', '--format', 'journal', '--out'];
    const ran = await bench.run([...words, at('rich.json'), '--intact']);
    expect(ran.stdout).toContain('8 records, 3 calls, 2 results written: all that can be read');
    expect(readFileSync(at('rich.json'))).toEqual(bytes.subarray(0, hurt));
    await bench.run([...words, at('whole.json')]);
    expect(readFileSync(at('whole.json'))).toEqual(readFileSync(file));
  });
});

describe('fork', () => {
  it('prints the name of a new run that begins as the other did', async () => {
    const { bench, bytes } = await rich();
    const ran = await bench.run(['fork', 'rich', '--at', '5']);
    const id = ran.stdout.trim();
    const fork = readFileSync(join(bench.runs, `${id}.json`));
    expect(fork).toEqual(bytes.subarray(0, fork.length));
    const refused = await bench.run(['fork', 'rich', '--at', '3']);
    expect(refused.exit).toBe(2);
    expect(refused.stderr).toContain('Fork at record 1 or 4');
    expect((await bench.run(['fork', 'rich', '--at', 'x'])).exit).toBe(2);
  });

  it('of a practice run is resumed where it was forked', async () => {
    const { bench } = await rich();
    await bench.run(['run', '--chat', '--id', 'talk', 'say one']);
    await bench.run(['say', 'talk', 'say two']);
    const id = (await bench.run(['fork', 'talk', '--at', '2'])).stdout.trim();
    const said = await bench.run(['say', id, 'say three']);
    expect([said.exit, said.stderr.includes('two')]).toEqual([0, false]);
  });
});

describe('repair', () => {
  it('shows the bytes that it would cut, and cuts them only when told to', async () => {
    const { bench, bytes } = await rich();
    const file = join(bench.runs, 'rich.json');
    const at = bytes.indexOf('{"seq":9,');
    const damaged = Buffer.concat([
      bytes.subarray(0, at),
      Buffer.from('\u001bgarbage\n'),
      bytes.subarray(at),
    ]);
    writeFileSync(file, damaged);
    for (const words of [[], ['--yes'], ['--json']]) {
      const ran = await bench.run(['repair', 'rich', ...words]);
      expect(ran.exit).toBe(1);
      expect(readFileSync(file)).toEqual(damaged);
      expect(ran.stdout).not.toContain('\u001b');
      if (words[0] !== '--json') expect(ran.stdout).toContain('1b 67 61 72 62 61 67 65');
    }
    expect((await bench.run(['repair', 'rich', '--yes', '--inside'])).exit).toBe(0);
    expect(readFileSync(file)).toEqual(bytes.subarray(0, at));
    expect(readFileSync(join(bench.runs, 'rich.backup'))).toEqual(damaged);
    const sound = await bench.run(['repair', 'rich']);
    expect([sound.exit, sound.stdout]).toEqual([0, 'rich: nothing to repair (8 records)\n']);
    expect((await bench.run(['verify', bench.runs, '--json'])).json()).toMatchObject([{ file: 'rich.json' }]);
  });

  it('asks a person at a terminal', async () => {
    const { bench, bytes } = await rich();
    const file = join(bench.runs, 'rich.json');
    writeFileSync(file, Buffer.concat([bytes, Buffer.from('{"seq":17')]));
    expect((await bench.run(['repair', 'rich'], { answers: ['n'] })).exit).toBe(1);
    expect(existsSync(join(bench.runs, 'rich.backup'))).toBe(false);
    expect((await bench.run(['repair', 'rich'], { answers: ['y'] })).exit).toBe(0);
    expect(readFileSync(file)).toEqual(bytes);
  });
});

describe('verify --schema', () => {
  it('finds what a reader passes over and the published schemas do not have', async () => {
    const { bench } = await rich();
    const file = join(bench.runs, 'rich.json');
    expect((await bench.run(['verify', file, '--schema'])).exit).toBe(0);
    writeFileSync(file, readFileSync(file, 'utf8').replace('"seq":7,', '"seq":7,"extra":1,'));
    expect((await bench.run(['verify', file])).exit).toBe(0);
    const ran = await bench.run(['verify', file, '--schema']);
    expect(ran.exit).toBe(1);
    expect(ran.stdout).toContain('schema: line 7');
    expect((await bench.run(['verify', file, '--schema', '--json'])).json()).toMatchObject([
      { verdict: 'ok', schema: [{ line: 7 }] },
    ]);
  });
});
