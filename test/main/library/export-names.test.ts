import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fileStore } from '../../../src/main/journal/file';
import { exportRuns } from '../../../src/main/library/export';
import { named, safeFileName } from '../../../src/main/library/export/names';
import { tempFolder } from '../../support/folder';
import { bring } from '../../support/histories';
import { answerRecord, metaRecord } from '../../support/journal-records';

const LONGEST_ENDING = '.catalogue.jsonl';
const TITLE = readFileSync(
  join(import.meta.dirname, '..', '..', 'fixtures', 'faults', 'name-cjk-pinned.txt'),
  'utf8',
).trim();

describe('names of exported files', () => {
  it('fit with their longest ending, also of a pinned run with a long Chinese title', async () => {
    const folder = tempFolder();
    const store = fileStore(join(folder, 'runs'));
    await bring(store, 'r', [metaRecord('r', TITLE), answerRecord(2, 'yes', 0)]);
    await store.label('r', { pinned: true, tags: ['数据库', '🎉'] });
    const out = tempFolder();
    const { runs } = await exportRuns(store, ['r'], {
      format: 'journal',
      out: join(out, `${safeFileName(TITLE.repeat(3))}.json`),
    });
    expect(runs[0]?.files.map((file) => basename(file)).some((file) => file.endsWith(LONGEST_ENDING))).toBe(
      true,
    );
  });

  it('are safe and short enough everywhere, whatever a title is', () => {
    const odd = fc.constantFrom(
      '数据',
      '🎉',
      '👩‍💻',
      '🇩🇪',
      'é'.normalize('NFD'),
      'con',
      'CON.',
      'aux .txt',
      'nul',
      'COM¹',
      'lpt9',
      '.',
      ' ',
      '/',
      '\\',
      ':',
      '\n',
      '\u202e',
      '\0',
      '-',
      '~',
      'a',
      'ü',
      '"',
      'x'.repeat(90),
      '文'.repeat(90),
      '🏳️‍🌈'.repeat(30),
      '한'.normalize('NFD'),
    );
    fc.assert(
      fc.property(
        fc.array(odd, { maxLength: 30 }).map((all) => all.join('')),
        (title) => {
          const name = safeFileName(title);
          expect(name).not.toBe('');
          expect(Buffer.byteLength(`${name} (999)${LONGEST_ENDING}`)).toBeLessThanOrEqual(255);
          expect(name.isWellFormed()).toBe(true);
          expect(name).not.toMatch(/[/\\:*?"<>|\p{C}]/u);
          expect(name).not.toMatch(/^[\s.-]|[\s.]$/);
          expect(name).not.toMatch(/^(con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³])\s*(\.|$)/i);
          // A character that readers take for one is not cut.
          expect(name.normalize('NFC')).toBe(name);
        },
      ),
      { numRuns: process.env['HOLDFAST_SOAK'] ? 20_000 : 300 },
    );
  });

  it('of runs whose ids are names of devices are none', () => {
    const store = fileStore(tempFolder());
    expect(
      named([
        { store, id: 'aux' },
        { store, id: 'con.1' },
        { store, id: 'run-aux' },
      ]).map(({ name }) => name),
    ).toEqual(['run-aux', 'run-con.1', 'run-aux-2']);
  });
});
