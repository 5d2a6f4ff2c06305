import { readFileSync, statSync, symlinkSync, chmodSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { builtInTools, toolsFor } from '../../../src/main/tool/registry';
import { Dir } from '../../../src/main/tool/folder';
import { walk } from '../../../src/main/tool/walk';
import type { ToolOutcome } from '../../../src/main/tool/tool';
import { profile } from '../../../src/main/settings/profile';
import { tempFolder } from '../../support/folder';

const all = builtInTools('practice');

export function use(
  folder: string | undefined,
  name: string,
  input: unknown,
  signal?: AbortSignal,
): Promise<ToolOutcome> {
  const tool = all.find((one) => one.def.name === name);
  if (!tool) throw new Error(`no tool ${name}`);
  return tool.run(input, { folder, signal: signal ?? new AbortController().signal });
}

describe('list_files', () => {
  it('lists a folder in name order with sizes, and names links without following them', async () => {
    const folder = tempFolder({
      'b.txt': 'hello',
      'a/c.txt': 'x',
      '.git/HEAD': 'ref',
      'node_modules/p/i.js': '1',
    });
    symlinkSync('/etc', join(folder, 'z'));
    expect((await use(folder, 'list_files', {})).content).toBe(
      '3 folders, 2 files:\n.git/ (not entered)\na/\nb.txt (5 bytes)\nnode_modules/ (not entered)\nz (link)',
    );
    expect((await use(folder, 'list_files', { depth: 3 })).content).toContain('a/c.txt (1 byte)');
    expect((await use(folder, 'list_files', { depth: 3 })).content).not.toContain('HEAD');
    expect((await use(folder, 'list_files', { path: 'a' })).content).toBe(
      '0 folders, 1 file:\na/c.txt (1 byte)',
    );
  });

  it('says when a folder is empty, and how many entries it left out', async () => {
    expect((await use(tempFolder(), 'list_files', {})).content).toBe('The folder is empty.');
    const many = tempFolder(Object.fromEntries(Array.from({ length: 1005 }, (_, i) => [`f${i}`, ''])));
    const { content } = await use(many, 'list_files', {});
    expect(content.split('\n')).toHaveLength(1002);
    expect(content).toContain('(5 more entries not shown)');
  });

  it('writes names that could disguise themselves as escapes', async () => {
    const folder = tempFolder({ 'a\nb': '', 'x\u202etxt.exe': '', ' pad ': '' });
    const { content } = await use(folder, 'list_files', {});
    expect(content.split('\n')).toHaveLength(4);
    expect(content).toContain('"a\\nb" (0 bytes)');
    expect(content).toContain('\\u202e');
    expect(content).not.toContain('\u202e');
    expect(content).toContain('" pad "');
  });
});

describe('a walk', () => {
  it('visits a folder before what is in it, ends when told to, and stops at its cap', async () => {
    const folder = tempFolder({ 'a/b/c': '', 'a/d': '', e: '' });
    const root = await Dir.root({ folder });
    const go = async (entries: number, until?: string) => {
      const seen: string[] = [];
      const signal = new AbortController().signal;
      const { cut } = await walk(
        root,
        { depth: 9, signal, entries },
        ({ path }) => (seen.push(path), path !== until),
      );
      return [cut, ...seen];
    };
    expect(await go(100)).toEqual([false, 'a', 'a/b', 'a/b/c', 'a/d', 'e']);
    expect(await go(3)).toEqual([true, 'a', 'a/b', 'a/b/c']);
    expect(await go(100, 'a/b')).toEqual([false, 'a', 'a/b']);
    await root.close();
  });
});

describe('read_file', () => {
  it('gives the exact text', async () => {
    const text = 'Ünï\r\ncode 🙂\nlast';
    expect(await use(tempFolder({ a: text }), 'read_file', { path: 'a' })).toEqual({ content: text });
    expect((await use(tempFolder({ a: '' }), 'read_file', { path: 'a' })).content).toBe(
      '(The file is empty.)',
    );
  });

  it('gives a long file in parts that join to the whole', async () => {
    const whole = Array.from({ length: 60_000 }, (_, i) => `line ${i} é\n`).join('');
    const folder = tempFolder({ a: whole });
    let got = '';
    let from = 1;
    for (let parts = 0; parts < 10; parts++) {
      const { content } = await use(folder, 'read_file', { path: 'a', from_line: from });
      const note = /\[The file goes on at line (\d+)\. It has [\d,]+ bytes\.\]$/.exec(content);
      got += note ? content.slice(0, note.index) : content;
      expect(Buffer.byteLength(content)).toBeLessThan(260 * 1024);
      if (!note) break;
      from = Number(note[1]);
    }
    expect(got).toBe(whole);
    const some = await use(folder, 'read_file', { path: 'a', from_line: 3, lines: 2 });
    expect(some.content).toBe(
      'line 2 é\nline 3 é\n[The file goes on at line 5. It has ' +
        `${Buffer.byteLength(whole).toLocaleString('en-US')} bytes.]`,
    );
    const exact = await use(tempFolder({ a: '1\n2\n' }), 'read_file', { path: 'a', lines: 2 });
    expect(exact.content).toBe('1\n2\n');
  });

  it('cuts one endless line without breaking a character', async () => {
    const { content } = await use(tempFolder({ a: 'x' + '🙂'.repeat(100_000) }), 'read_file', { path: 'a' });
    expect(content).not.toContain('\ufffd');
    expect(content).toContain('Cut inside line 1');
  });

  it('names binary files, folders, missing files and missing lines as what they are', async () => {
    const folder = tempFolder({ bin: Uint8Array.from([1, 0, 2]), 'd/a': 'x', a: '1\n2\n' });
    expect(await use(folder, 'read_file', { path: 'bin' })).toEqual({
      content: 'bin is a binary file (3 bytes); its content is not shown.',
      is_error: true,
    });
    expect((await use(folder, 'read_file', { path: 'd' })).content).toMatch(/not a plain file|a folder/);
    expect(await use(folder, 'read_file', { path: 'no' })).toEqual({
      content: 'There is no such file or folder.',
      is_error: true,
    });
    expect((await use(folder, 'read_file', { path: 'a', from_line: 9 })).content).toBe(
      'The file has no line 9: it has 2 lines.',
    );
    expect((await use(folder, 'read_file', { path: '.' })).is_error).toBe(true);
  });
});

describe('search_text and file_stats', () => {
  it('finds lines with their places, in a folder or one file', async () => {
    const folder = tempFolder({
      'a.md': 'one\nTWO words\r\n',
      'd/b.md': 'two',
      'node_modules/x.md': 'two',
      bin: 'two\0',
    });
    expect((await use(folder, 'search_text', { query: 'two' })).content).toBe(
      '2 matching lines in 2 files:\na.md:2: TWO words\nd/b.md:1: two',
    );
    expect((await use(folder, 'search_text', { query: 'two', case_sensitive: true })).content).toContain(
      '1 matching line in 1 file',
    );
    expect((await use(folder, 'search_text', { query: 'two', path: 'd/b.md' })).content).toContain(
      'd/b.md:1: two',
    );
    expect((await use(folder, 'search_text', { query: 'zebra' })).content).toBe('No matches.');
    expect((await use(folder, 'search_text', { query: 'x', path: 'none' })).content).toBe(
      'There is no such file or folder.',
    );
  });

  it('stops at its caps and says that there may be more', async () => {
    const folder = tempFolder({ a: 'hit\n'.repeat(500), b: 'x'.repeat(5 * 1024 * 1024) });
    const { content } = await use(folder, 'search_text', { query: 'hit' });
    expect(content).toContain('200 matching lines in 1 file (there may be more: narrow the search)');
    const passed = await use(folder, 'search_text', { query: 'zebra' });
    expect(passed.content).toContain('(1 large or unreadable file passed over)');
  });

  it('counts a folder by kind and size, and a file by lines and words', async () => {
    const folder = tempFolder({
      'a.md': 'one two\nthree\n',
      'b.MD': 'x',
      'd/.env': 'k',
      'c.bin': '\0\0',
      '.git/x': 'xxxx',
    });
    const { content } = await use(folder, 'file_stats', {});
    expect(content.split('\n')).toEqual([
      'files: 4',
      'folders: 1',
      'bytes: 18',
      'kind .md: 2 files, 15 bytes',
      'kind .bin: 1 file, 2 bytes',
      'kind (no ending): 1 file, 1 byte',
      'large: a.md (14 bytes)',
      'large: c.bin (2 bytes)',
      'large: b.MD (1 byte)',
      'large: d/.env (1 byte)',
    ]);
    expect((await use(folder, 'file_stats', { path: 'a.md' })).content).toMatch(
      /^bytes: 14\nlines: 2\nwords: 3\nchanged: /,
    );
    expect((await use(folder, 'file_stats', { path: 'c.bin' })).content).toContain('content: binary');
  });
});

describe('write_file and append_file', () => {
  it('writes whole files, makes folders, keeps the mode, and leaves no temporary file', async () => {
    const folder = tempFolder({ 'run.sh': 'old' });
    chmodSync(join(folder, 'run.sh'), 0o755);
    expect((await use(folder, 'write_file', { path: 'x/y/a.txt', content: 'hé' })).content).toBe(
      'Wrote 3 bytes to x/y/a.txt; the file is new.',
    );
    expect((await use(folder, 'write_file', { path: 'run.sh', content: 'new' })).content).toBe(
      'Wrote 3 bytes to run.sh; it replaced 3 bytes.',
    );
    expect(readFileSync(join(folder, 'x/y/a.txt'), 'utf8')).toBe('hé');
    expect(statSync(join(folder, 'run.sh')).mode & 0o777).toBe(0o755);
    expect(readdirSync(folder).sort()).toEqual(['run.sh', 'x']);
  });

  it('appends exactly, and refuses a file with a second name', async () => {
    const folder = tempFolder({ a: 'x' });
    expect((await use(folder, 'append_file', { path: 'a', text: 'y\n' })).content).toBe(
      'Added 2 bytes to a; it now has 3 bytes.',
    );
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('xy\n');
    const { linkSync } = await import('node:fs');
    linkSync(join(folder, 'a'), join(folder, 'twin'));
    expect((await use(folder, 'append_file', { path: 'twin', text: 'z' })).is_error).toBe(true);
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('xy\n');
  });

  it('appends in the middle of its delay: stopped before that, nothing is there; after it, it says what it did', async () => {
    const folder = tempFolder();
    const early = new AbortController();
    const first = use(folder, 'append_file', { path: 'a', text: 'x', delay_seconds: 60 }, early.signal);
    early.abort();
    expect(await first).toEqual({ content: 'Stopped while it waited; nothing was changed.', is_error: true });
    expect(existsSync(join(folder, 'a'))).toBe(false);

    const late = new AbortController();
    const second = use(folder, 'append_file', { path: 'a', text: 'x', delay_seconds: 0.4 }, late.signal);
    while (!existsSync(join(folder, 'a')) || statSync(join(folder, 'a')).size === 0)
      await new Promise((resolve) => setImmediate(resolve));
    late.abort();
    expect(await second).toEqual({
      content: 'Added 1 byte to a; it now has 1 byte. It was stopped after that.',
      is_error: true,
    });
  });

  it('does nothing at all once it was told to stop', async () => {
    const folder = tempFolder();
    for (const tool of all) {
      const input = { path: 'a', content: 'x', text: 'x', query: 'x', seconds: 1 };
      const known = Object.keys((tool.def.input_schema.properties as object) ?? {});
      const fitting = Object.fromEntries(Object.entries(input).filter(([key]) => known.includes(key)));
      expect((await tool.run(fitting, { folder, signal: AbortSignal.abort() })).is_error).toBe(true);
    }
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('files in other encodings', () => {
  const russian = 'Привет, мир! Это текст, в котором достаточно слов для догадки.\n';
  const folder = () =>
    tempFolder({
      'utf16.txt': iconv.encode('one\ntwo 東京\nthree\n', 'utf-16le', { addBOM: true }),
      'bom.txt': '\ufeffone\n',
      'ru.txt': iconv.encode(russian, 'windows-1251'),
      'latin.txt': iconv.encode('naïve café\nZürich\n', 'latin1'),
      'short.txt': iconv.encode('数据', 'gbk'),
      'later.txt': Buffer.concat([Buffer.from('x\n'.repeat(40_000)), iconv.encode('Müller\n', 'latin1')]),
    });

  it('are read as what they say, and the answer says so; or they are refused like binary ones', async () => {
    const at = folder();
    const read = async (path: string, more = {}) => (await use(at, 'read_file', { path, ...more })).content;
    expect(await read('utf16.txt')).toBe(
      'one\ntwo 東京\nthree\n[The file is in UTF-16; this is its text, decoded.]',
    );
    expect(await read('utf16.txt', { from_line: 2, lines: 1 })).toMatch(
      /^two 東京\n\[The file goes on at line 3\./,
    );
    expect(await read('bom.txt')).toBe('one\n');
    expect(await read('ru.txt')).toBe(`${russian}[The file is in windows-1251; this is its text, decoded.]`);
    expect(await read('latin.txt')).toMatch(/^naïve café\nZürich\n\[The file is in Windows-1252/);
    expect(await read('later.txt', { from_line: 40_001 })).toMatch(/^Müller\n\[The file is in Windows-1252/);
    const short = await use(at, 'read_file', { path: 'short.txt' });
    expect(short).toMatchObject({ is_error: true });
    expect(short.content).toContain('encoding cannot be told');
    for (const name of ['utf16.txt', 'ru.txt', 'latin.txt', 'short.txt', 'bom.txt'])
      expect(await read(name)).not.toMatch(/[\ufffd\ufeff]/);
  });

  it('are searched as what they say, and those that cannot be told are counted', async () => {
    const at = folder();
    const find = async (query: string) => (await use(at, 'search_text', { query })).content;
    expect(await find('東京')).toContain('utf16.txt:2: two 東京');
    expect(await find('Это текст')).toContain('ru.txt:1:');
    expect(await find('zürich')).toContain('latin.txt:2: Zürich');
    expect(await find('nothing like it')).toContain(
      '(1 file in an encoding that cannot be told passed over)',
    );
  });

  it('keep their encoding when they are written or added to; what cannot be kept is not written', async () => {
    const at = folder();
    const bytes = (name: string) => readFileSync(join(at, name));
    await use(at, 'append_file', { path: 'utf16.txt', text: 'four\n' });
    expect(iconv.decode(bytes('utf16.txt'), 'utf-16le')).toBe('one\ntwo 東京\nthree\nfour\n');
    await use(at, 'append_file', { path: 'latin.txt', text: 'Ö\n' });
    expect(iconv.decode(bytes('latin.txt'), 'latin1')).toBe('naïve café\nZürich\nÖ\n');
    const no = await use(at, 'append_file', { path: 'latin.txt', text: '東京\n' });
    expect(no).toMatchObject({ is_error: true });
    expect(no.content).toContain('Nothing was added.');
    expect(iconv.decode(bytes('latin.txt'), 'latin1')).toBe('naïve café\nZürich\nÖ\n');
    const wrote = await use(at, 'write_file', { path: 'ru.txt', content: 'Пока\n' });
    expect(wrote.content).toContain('in windows-1251, as before');
    expect(iconv.decode(bytes('ru.txt'), 'windows-1251')).toBe('Пока\n');
    await use(at, 'write_file', { path: 'bom.txt', content: 'two\n' });
    expect(bytes('bom.txt').toString()).toBe('\ufefftwo\n');
    const before = bytes('latin.txt');
    expect(await use(at, 'write_file', { path: 'latin.txt', content: '東京' })).toMatchObject({
      is_error: true,
    });
    expect(bytes('latin.txt')).toEqual(before);
  });

  it('ask with those words before a rewrite loses their encoding, whatever was allowed before', async () => {
    const at = folder();
    const tool = all.find((one) => one.def.name === 'write_file');
    const signal = new AbortController().signal;
    const context = { folder: at, signal };
    const loss = { path: 'latin.txt', content: '東京' };
    const caution = await tool?.caution?.(loss, context);
    expect(caution).toBe(
      'latin.txt is in Windows-1252 (Latin-1), which cannot hold all of the new text: writing makes it UTF-8.',
    );
    for (const path of ['latin.txt', 'new.txt', 'utf16.txt'])
      expect(await tool?.caution?.({ path, content: 'plain é' }, context)).toBeUndefined();
    expect(await tool?.caution?.({ path: 'short.txt', content: 'x' }, context)).toContain('cannot be told');
    await tool?.run(loss, { ...context, caution: 'something else' });
    expect(readFileSync(join(at, 'latin.txt'), 'latin1')).toContain('Zürich');
    await tool?.run(loss, { ...context, caution });
    expect(readFileSync(join(at, 'latin.txt'), 'utf8')).toBe('東京');
  });
});

describe('every tool', () => {
  it('answers wrong input with what is wrong, and never throws', async () => {
    const folder = tempFolder();
    expect(await use(folder, 'read_file', {})).toEqual({
      content: 'read_file was not run: "path" is missing.',
      is_error: true,
    });
    expect((await use(folder, 'read_file', { path: 3, size: 1 })).content).toBe(
      'read_file was not run: "path" must be text. it has no parameter "size".',
    );
    for (const tool of all)
      for (const input of [
        null,
        [],
        'x',
        7,
        {},
        { path: {} },
        { path: '\0' },
        { seconds: -1 },
        { seconds: 1e9 },
        undefined,
      ]) {
        const outcome = await tool.run(input, { folder: undefined, signal: new AbortController().signal });
        expect(outcome.is_error).toBe(true);
        expect(typeof tool.describe(input)).toBe('string');
        expect(tool.describe(input)).not.toMatch(/[\n\0]/);
      }
  });

  it('names no path of the machine in what it answers', async () => {
    const folder = tempFolder({ a: 'x' });
    for (const path of ['no', 'a/b', '../x', '/etc/passwd', 'a\0', 'x'.repeat(5000)])
      for (const name of [
        'list_files',
        'read_file',
        'search_text',
        'file_stats',
        'write_file',
        'append_file',
      ]) {
        const { content } = await use(folder, name, { path, query: 'q', content: '', text: '' });
        expect(content).not.toContain(folder);
      }
  });
});

describe('the tools of a profile', () => {
  const make = (provider: string, tools: string[]) =>
    profile.parse({ name: 'p', provider, model: 'm', tools });

  it('come in the registry’s order, whatever the order in the profile', () => {
    const names = toolsFor(make('practice', ['append_file', 'wait', 'list_files'])).map(
      (tool) => tool.def.name,
    );
    expect(names).toEqual(['list_files', 'wait', 'append_file']);
  });

  it('fail loudly when a name does not exist or is for the Practice model only', () => {
    expect(() => toolsFor(make('practice', ['rm']))).toThrow(/does not exist: rm/);
    expect(() => toolsFor(make('anthropic', ['wait']))).toThrow(/does not exist: wait/);
  });
});
