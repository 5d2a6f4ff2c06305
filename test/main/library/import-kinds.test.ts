import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { memoryStore } from '../../../src/main/journal/memory';
import { importRuns } from '../../../src/main/library/import';
import { foreignKind } from '../../../src/main/library/import/kind';
import { encodeLine } from '../../../src/shared/run/codec';
import { chatRecords } from '../../support/journal-records';
import { Seeded } from '../../support/seeded';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'holdfast-kinds-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const bytes = (latin: string) => Buffer.from(latin, 'latin1');
const noise = (chance: Seeded, length: number) =>
  Buffer.from(Array.from({ length }, () => chance.below(256)));

/** Beginnings of what people drop, and what it is to be called. */
const KINDS: [string, Buffer][] = [
  ['a picture (PNG)', bytes('\x89PNG\r\n\x1a\n\0\0\0\rIHDR')],
  ['a picture (JPEG)', bytes('\xff\xd8\xff\xe0\0\x10JFIF')],
  ['a picture (GIF)', bytes('GIF89a')],
  ['a picture (WebP)', bytes('RIFF\x10\0\0\0WEBPVP8 ')],
  ['a picture (HEIC)', bytes('\0\0\0\x18ftypheic')],
  ['a PDF', bytes('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n')],
  ['an Office document', bytes('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1')],
  ['an SQLite database', bytes('SQLite format 3\0')],
  ['a gzip archive', gzipSync('hello')],
  ['a video file', bytes('\0\0\0\x20ftypisom')],
  ['a program', bytes('\x7fELF\x02\x01')],
];
const TEXTS: [string, string][] = [
  ['a text file', 'Dear diary, line one\nline two\n'],
  ['a text file', '# Notes\n\n- one\n'],
  ['a text file', 'name,size\na,1\n'],
  ['a text file', '\u65e5\u672c\u8a9e\n'],
  ['a web page', '<!DOCTYPE html><p>x'],
  ['an XML file', '<?xml version="1.0"?><a/>'],
  ['a JSON file of another program', '{"name":"package","version":"1.0.0"}'],
  ['a JSON file of another program', '[{"mapping":{}}]\n'],
  ['a JSON file of another program', '{"a":1}\n{"a":2}\n'],
];

describe('a file that is no run', () => {
  it('is told as what it is, with what can be done with it, and is never called damaged', async () => {
    const chance = new Seeded(4);
    const files = new Map<string, string>();
    const put = (what: string, content: Uint8Array) => {
      const path = join(folder, `${files.size}${chance.pick(['.json', '.png', '.txt', '', '.pdf'])}`);
      writeFileSync(path, content);
      files.set(path, what);
    };
    for (let n = 0; n < 10; n++) {
      for (const [what, start] of KINDS) put(what, Buffer.concat([start, noise(chance, chance.below(300))]));
      for (const [what, text] of TEXTS)
        put(what, Buffer.from(chance.pick(['', '\ufeff', ' \n']) + text.repeat(1 + chance.below(3))));
    }
    put('an empty file', Buffer.alloc(0));
    put('a text file', Buffer.from('\ufeffutf-16', 'utf16le'));
    expect(files.size).toBeGreaterThan(200);
    for (const [path, what] of files) {
      const report = await importRuns(memoryStore(), [path], { newId: () => 'fresh' });
      const [one] = report.files;
      expect(one, path).toMatchObject({ outcome: 'failed' });
      if (one?.outcome !== 'failed') continue;
      expect(['unsupported', 'no_meta', 'empty']).toContain(one.failure.code);
      expect(one.failure.message).toBe(`This is ${what}, not a run.`);
      expect(`${one.failure.message} ${one.failure.todo}`).not.toMatch(/damage|corrupt/i);
      expect(one.failure.todo).toBeTruthy();
    }
  });

  it('is never what is left of a journal, wherever that was cut or overwritten', () => {
    const lines = chatRecords('r', 12).map((record) => Buffer.from(encodeLine(record)));
    const journal = Buffer.concat(lines);
    const chance = new Seeded(7);
    for (let n = 0; n < 200; n++) {
      const broken = Buffer.from(journal);
      const at = chance.below(broken.length - 50);
      broken.fill(chance.pick([0, 0x20, 0xff, 0x7b]), at, at + 1 + chance.below(40));
      expect(foreignKind(broken)).toBeUndefined();
    }
    // Without its first records, and as zeros only.
    expect(foreignKind(Buffer.concat(lines.slice(3)))).toBeUndefined();
    expect(foreignKind(Buffer.alloc(500))).toBeUndefined();
  });
});
