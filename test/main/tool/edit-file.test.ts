import { chmodSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { editFile } from '../../../src/main/tool/edit-file';
import { tempFolder } from '../../support/folder';

type Edit = { old_text: string; new_text: string; replace_all?: boolean };
const runs = process.env.HOLDFAST_SOAK === undefined ? 300 : 20_000;

const edit = (folder: string, edits: Edit[], signal = new AbortController().signal) =>
  editFile.run({ path: 'a.txt', edits }, { folder, signal });

async function edited(content: string | Buffer, ...edits: Edit[]) {
  const folder = tempFolder({});
  const path = join(folder, 'a.txt');
  writeFileSync(path, content);
  const answer = await edit(folder, edits);
  const bytes = readFileSync(path);
  if (answer.is_error) expect(bytes.equals(Buffer.from(content))).toBe(true);
  expect(readdirSync(folder)).toEqual(['a.txt']);
  return { ...answer, bytes, text: bytes.toString() };
}
const swap = (old_text: string, new_text: string, all = false): Edit => ({
  old_text,
  new_text,
  ...(all && { replace_all: true }),
});

describe('edit_file', () => {
  it('makes several exact replacements, each on the result of the one before, and says where', async () => {
    const { text, content } = await edited(
      'one\ntwo\nthree\n',
      swap('two', 'zwei'),
      swap('zwei\nthree', '2\n3'),
    );
    expect(text).toBe('one\n2\n3\n');
    expect(content).toBe(
      'Edited a.txt: 2 replacements (from line 2, 2). It has 8 bytes now; it had 14 bytes.',
    );
    expect(editFile.describe({ path: 'a.txt', edits: [swap('a', 'b')] })).toBe('Edit a.txt: 1 replacement');
  });

  it('makes all edits or none', async () => {
    const { is_error, content } = await edited('one\ntwo\n', swap('one', '1'), swap('three', '3'));
    expect(is_error).toBe(true);
    expect(content).toContain('Nothing was changed. The file does not have the text of edit 2.');
  });

  it('replaces a piece that is there more than once only where all of them were asked for', async () => {
    const twice = await edited('x = 1\ny = 2\nx = 1\n', swap('x = 1', 'x = 9'));
    expect(twice.content).toContain('occurs 2 times (lines 1, 3)');
    expect((await edited('x = 1\ny = 2\nx = 1\n', swap('x = 1', 'x = 9', true))).text).toBe(
      'x = 9\ny = 2\nx = 9\n',
    );
    // Which of two places that overlap was meant cannot be told.
    expect((await edited('aaa', swap('aa', 'b'))).content).toContain('occurs 2 times (lines 1, 1)');
    expect((await edited('aaaa', swap('aa', 'b', true))).text).toBe('bb');
  });

  it('keeps line endings, the byte order mark, encoding, permissions and what the file ends with', async () => {
    const crlf = await edited('\ufeffone\r\ntwo\r\nthree', swap('one\ntwo', 'eins\nzwei\nhalb'));
    expect(crlf.text).toBe('\ufeffeins\r\nzwei\r\nhalb\r\nthree');
    expect((await edited('one\rtwo\r', swap('one\ntwo', '1\n2'))).text).toBe('1\r2\r');
    expect((await edited('a\nb', swap('a\r\nb', 'c\r\nd'))).text).toBe('c\nd');
    for (const name of ['utf-16le', 'utf-16be']) {
      const { bytes } = await edited(
        iconv.encode('größe\r\n2\r\n', name, { addBOM: true }),
        swap('größe', 'Maß\nx'),
      );
      expect(bytes.equals(iconv.encode('Maß\r\nx\r\n2\r\n', name, { addBOM: true })), name).toBe(true);
    }
    const latin = iconv.encode('Stra\u00dfe und Gr\u00f6\u00dfe\nund \u00c4rger\n', 'windows-1252');
    const kept = await edited(latin, swap('und', 'oder', true));
    expect(kept.bytes.equals(iconv.encode('Straße oder Größe\noder Ärger\n', 'windows-1252'))).toBe(true);
    expect((await edited(latin, swap('Ärger', '日本'))).content).toContain('cannot hold all of the new text');

    const folder = tempFolder({ 'a.txt': '#!/bin/sh\necho 1\n' });
    chmodSync(join(folder, 'a.txt'), 0o750);
    await edit(folder, [swap('1', '2')]);
    expect(statSync(join(folder, 'a.txt')).mode & 0o777).toBe(0o750);
    expect((await edited('a\nb\n', swap('b\n', 'b'))).content).toContain('no longer ends with a line break');
  });

  it('takes several kinds of line breaks for what they are', async () => {
    const mixed = 'one\r\ntwo\nthree\r\n';
    const missed = await edited(mixed, swap('one\ntwo', 'x'));
    expect(missed.content).toContain('Line breaks differ');
    expect(missed.content).toContain('Lines 1 to 2 end with CRLF, LF.');
    expect((await edited(mixed, swap('one\r\ntwo\n', 'x\ny\r\n'))).text).toBe('x\ny\r\nthree\r\n');
    expect((await edited(mixed, swap('three', '3\n4'))).text).toBe('one\r\ntwo\n3\r\n4\r\n');
    // A piece that would tear a line break apart is not there.
    expect((await edited(mixed, swap('one\r', 'x'))).is_error).toBe(true);
  });

  it.each<[string, string, string, string]>([
    [
      'tabs for spaces',
      'if x:\n\treturn 1\n',
      'if x:\n    return 1',
      'begins with 1 tab, in yours with 4 spaces',
    ],
    [
      'another indent',
      '  a = 1\n    b = 2\n',
      '  a = 1\n  b = 2',
      'begins with 4 spaces, in yours with 2 spaces',
    ],
    ['spaces at the end', 'a = 1  \nb\n', 'a = 1\nb', 'ends with 2 spaces, in yours with no white space'],
    ['spaces inside', 'a  = 1\n', 'a = 1', 'there is a space where yours has “=” (U+003D)'],
    ['a blank of another kind', 'a\u00a0= 1\n', 'a = 1', 'there is (U+00A0) where yours has a space'],
    [
      'other quotes',
      'say \u201chello\u201d\n',
      'say "hello"',
      '“\u201c” (U+201C) where yours has “"” (U+0022)',
    ],
    ['other letters', 'Hello World\n', 'hello world', '“H” (U+0048) where yours has “h” (U+0068)'],
    ['a character that is not seen', 'na\u200bme = 1\n', 'name = 1', '(U+200B) where yours has “m” (U+006D)'],
    ['no last line break', 'a\nb', 'b\n', 'ends there without a line break'],
    [
      'another word',
      'alpha beta gamma\nx\n',
      'alpha beta delta',
      'nearest lines are different:\n1: alpha beta gamma',
    ],
    ['nothing alike', 'alpha\n', 'zzzz', 'Nothing in it comes near'],
    ['an empty file', '', 'zzzz', 'The file is empty'],
  ])('says what differs and shows the lines, and never guesses: %s', async (_name, text, old, said) => {
    const { is_error, content } = await edited(text, swap(old, 'NEW'));
    expect(is_error).toBe(true);
    expect(content).toContain(said);
    expect(content).toContain('Nothing was changed.');
  });

  it('says when the edit was made before', async () => {
    expect((await edited('new text\n', swap('old words', 'new text'))).content).toContain('already there');
  });

  it('refuses what would change more than was asked for', async () => {
    expect((await edited(Buffer.from([65, 0xff, 0xfe, 66, 0, 1]), swap('A', 'B'))).is_error).toBe(true);
    expect((await edited('a', swap('', 'B'))).content).toContain('is empty');
    expect((await edited('a', swap('a', 'a'))).content).toContain('are the same');
    expect((await edited('a b', swap('a', 'x'), swap('x', 'a'))).content).toContain(
      'leave the file as it is',
    );
    expect((await edited('ok', swap('ok', '\ud800'))).content).toContain('cannot hold');
    expect((await edited('a'.repeat(1000), swap('a', 'b'.repeat(100_000), true))).content).toContain(
      'too long',
    );
    const broken = Buffer.concat([
      Buffer.from('\ufeffone '),
      Buffer.from([0xc3, 0x28]),
      Buffer.from(' two\n'),
    ]);
    expect((await edited(broken, swap('one', '1'))).content).toContain('has bytes in it that are not');
    for (const input of [
      { path: 'a.txt', edits: [] },
      { path: 'a.txt' },
      { path: 'a.txt', edits: [{ old_text: 'a' }] },
    ])
      expect(
        (await editFile.run(input, { folder: tempFolder(), signal: new AbortController().signal })).is_error,
      ).toBe(true);
  });

  it('writes nothing over what another program wrote meanwhile, and nothing after a stop', async () => {
    const folder = tempFolder({ 'a.txt': `one\n${'x\n'.repeat(200_000)}` });
    const path = join(folder, 'a.txt');
    const answer = edit(folder, [swap('one', '1'), swap('x', 'y', true)]);
    await new Promise(setImmediate);
    writeFileSync(path, 'theirs');
    expect((await answer).is_error).toBe(true);
    expect(readFileSync(path, 'utf8')).toBe('theirs');
    const stop = new AbortController();
    const stopped = edit(folder, [swap('theirs', 'mine')], stop.signal);
    stop.abort();
    expect((await stopped).is_error).toBe(true);
    expect(readFileSync(path, 'utf8')).toBe('theirs');
    expect(readdirSync(folder)).toEqual(['a.txt']);
  });

  it('never stops the window for long, whatever a model sends', async () => {
    const text = 'a'.repeat(1 << 20);
    const piece = `${'a'.repeat(40_000)}b${'a'.repeat(40_000)}`;
    const begun = performance.now();
    expect((await edited(text, swap(piece, 'x'))).is_error).toBe(true);
    expect((await edited(`${text.slice(0, 50_000)}\n${text}`, swap(`${piece}\nb`, 'x'))).is_error).toBe(true);
    // indexOf takes more than a minute for one of these; the slack is for a busy machine.
    expect(performance.now() - begun).toBeLessThan(15_000);
  });

  it('changes exactly what was asked for, for generated texts and edits', async () => {
    const line = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\t', 'é', '😀'), maxLength: 6 });
    const texts = fc
      .tuple(fc.array(line, { minLength: 1, maxLength: 8 }), fc.constantFrom('\n', '\r\n'), fc.boolean())
      .map(([lines, ending, bom]) => ({ text: lines.join(ending), ending, bom }));
    await fc.assert(
      fc.asyncProperty(texts, line, line, fc.boolean(), async ({ text, ending, bom }, old, fresh, all) => {
        const mark = bom ? '\ufeff' : '';
        const { bytes, is_error } = await edited(mark + text, swap(old, fresh, all));
        const parts = text.split(old);
        const count = old === '' ? 0 : parts.length - 1;
        const unique = count === 1 && text.indexOf(old) === text.lastIndexOf(old);
        const due = old !== fresh && (all ? count > 0 : unique);
        expect(is_error ?? false).toBe(!due);
        expect(bytes.toString()).toBe(due ? mark + parts.join(fresh) : mark + text);
        expect(bytes.toString().split(ending)).toHaveLength(text.split(ending).length);
      }),
      { numRuns: runs },
    );
  });
});
