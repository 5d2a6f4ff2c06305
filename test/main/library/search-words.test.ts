import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, afterAll, describe, expect, it } from 'vitest';
import { memoryStore } from '../../../src/main/journal/memory';
import { SearchIndex } from '../../../src/main/library/search';
import { snippetOf } from '../../../src/main/library/search/texts';
import { termsOf } from '../../../src/shared/text/query';
import { bring } from '../../support/histories';
import { answerRecord, metaRecord } from '../../support/journal-records';

const fixture = (name: string) =>
  readFileSync(join(import.meta.dirname, '..', '..', 'fixtures', 'faults', name), 'utf8');
const LINES = [...fixture('search-texts.md').split('\n'), ...fixture('search-nfd.md').split('\n')]
  .map((line) => line.trim())
  .filter((line) => line !== '');

/** Words by which each line is found: as it is written, and as people type it. */
const FINDS: Record<string, string[]> = {
  S01: ['上海', '我家在上海', '权利平等', '上海 平等'],
  S02: ['すべて', '権利', 'カタカナ', 'ｶﾀｶﾅ', 'テスト'],
  S03: ['데이터', '데이터 사용자', '분석', '권리', '권리'.normalize('NFD')],
  S04: ['ภาษา', 'ภาษาไทย', 'ช่องว่าง', 'คำ'],
  S05: [
    'getUserName',
    'UserName',
    'username',
    'getusername',
    'user name',
    'getUser',
    'parse_json_file',
    'json_file',
    'json file',
    'XMLHttpRequest2',
    'xmlhttprequest2',
    'HttpRequest',
    'request2',
    'XMLHttp',
  ],
  S06: ['C++', 'c++', 'C#', 'F#', '.NET', '.net', 'net', 'node.js', 'js', '20.19', 'v20.19.0', '19.0', '20'],
  S07: ['foo-bar', 'foo-bar.sh', '/usr/local', 'C:\\Users', 'file.txt', '@types/node', 'ann'],
  S08: ['🎉', '👩‍💻', '👩', 'party 🎉'],
  S09: [
    'strasse',
    'Straße',
    'grosse',
    'istanbul',
    'igdir',
    'naive',
    'cafe',
    'café'.normalize('NFD'),
    'da nang',
    'Đà Nẵng',
    'lodz',
    'Łódź'.normalize('NFD'),
    'aero',
  ],
  S10: ['E0308', 'e0308', '0xDEADBEEF', '0xdeadbeef', '127.0.0.1', '127.0.0.1:8080', '8080', '429'],
  S11: ['fullwidth', '123', '１２３', 'ハンカク', 'カナ', 'ｶﾅ'],
  S12: ["don't", 'don’t', "O'Brien", 'brien', 'e-mail', 'state-of-the-art'],
  S13: ['𠮷野家', '𠮷', '食べる'],
  S14: ['a->b', 'a && b'],
  S15: ['αθηνα', 'ΑΘΉΝΑ', 'οδος', 'ὁδός'],
  S16: ['1,299.00', '$1,299.00', '1,299', '50%', '50'],
  N1: [
    'Überprüfung',
    'uberprufung',
    'señor',
    'senor',
    'crème',
    'brulee',
    '한국어',
    '한국어'.normalize('NFD'),
    'が',
    'が'.normalize('NFD'),
  ],
};

/** Words by which a line is not found, though parts of them are in it. */
const MISSES: Record<string, string[]> = {
  S05: ['sername', '"get name"', 'C++'],
  S06: ['C--', 'C++11', '.nod', 'python++', '20.20', '0.2'],
  S07: ['C++', 'C#', 'foo+bar', '@types.node'],
  S08: ['🎈', '👨'],
  S12: ['e_mail', 'o.brien'],
  S14: ['a->c', 'a||b', 'b->a'],
  S16: ['1.299', '50$', '299%'],
  N1: ['か', '한국인'],
};

describe('words of a search', () => {
  let index: SearchIndex;
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-words-'));
  const seqs = new Map<number, string>();
  beforeAll(async () => {
    const store = memoryStore();
    const records = [metaRecord('r', 'the task')];
    for (const [n, line] of LINES.entries()) {
      seqs.set(n + 2, line.split(' ')[0] ?? '');
      records.push(answerRecord(n + 2, line.slice(line.indexOf(' ') + 1), n));
    }
    await bring(store, 'r', records);
    index = await SearchIndex.open(store, folder);
    await index.update();
  });
  afterAll(async () => {
    await index.close();
    rmSync(folder, { recursive: true });
  });

  const found = async (words: string) => {
    const names: string[] = [];
    for (let after: string | undefined; ;) {
      const page = await index.search({ words, ...(after && { after }) });
      names.push(...page.hits.map(({ seq }) => seqs.get(seq) ?? ''));
      if (!(after = page.next)) return names;
    }
  };

  it.each(Object.entries(FINDS))('find %s', async (name, words) => {
    for (const one of words)
      for (const typed of [one, `${one} `]) {
        expect.soft(await found(typed), typed).toContain(name);
      }
  });

  it.each(Object.entries(MISSES))('do not find %s where it is something else', async (name, words) => {
    for (const typed of words) expect.soft(await found(`${typed} `), typed).not.toContain(name);
  });

  it('are marked where they match, in a snippet that shows the place', async () => {
    const filler = 'start partition heart cart of args '.repeat(60);
    const cases: [text: string, typed: string, marked: string[]][] = [
      [`${filler} modern art here ${filler}`, 'art ', ['art']],
      [`${filler} getUserName(1) ${filler}`, 'username', ['UserName']],
      [`${filler} getUserName(1) ${filler}`, 'user name', ['User', 'Name']],
      [`c c c c ${filler} in C++ now ${filler}`, 'C++', ['C++']],
      [`${filler} Đà Nẵng ${filler}`, 'da nang', ['Đà', 'Nẵng']],
      [`${filler} ${'Đà Nẵng'.normalize('NFD')} ${filler}`, 'nẵng', ['Nẵng'.normalize('NFD')]],
      [`art ${filler} fine ${filler} fine modern art ${filler}`, 'fine art', ['fine', 'art']],
      [`${filler} 🎉 ${filler}`, '🎉', ['🎉']],
      [`${filler} 東京の天気 ${filler}`, '天気', ['天気']],
      [`${filler} v20.19.0 ${filler}`, '20.19', ['20.19']],
      [`${filler} Straße ${filler}`, 'strasse', ['Straße']],
    ];
    for (const [text, typed, marked] of cases) {
      const snippet = snippetOf(text, termsOf(typed));
      expect
        .soft(
          snippet?.marks.map(([from, to]) => snippet.text.slice(from, to)),
          typed,
        )
        .toEqual(marked);
    }
  });

  it('are found in any text that they were taken from, in any form and case', async () => {
    const letters = fc.constantFrom(
      ...'aZ9_-.+#@/éÅßđłøİıćが가한ไทย中文𠮷🎉👩‍💻ñ٣ש',
      'é'.normalize('NFD'),
      '가'.normalize('NFD'),
      'ﬁ',
      'Ａ',
    );
    const word = fc.array(letters, { minLength: 1, maxLength: 8 }).map((all) => all.join(''));
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1, maxLength: 5 }),
        fc.nat(4),
        fc.constantFrom('NFC', 'NFD', 'as it is'),
        fc.constantFrom('lower', 'upper', 'as it is'),
        (words, nth, form, letterCase) => {
          const text = words.join(' ');
          const picked = words[nth % words.length] ?? '';
          // Small letters may be another word than capitals: getUser is get and user, getuser is found as one.
          let typed = form === 'as it is' ? picked : picked.normalize(form);
          if (letterCase !== 'as it is' && !/[+#@/._-]/.test(picked) && !/[A-ZÅİ]/.test(picked))
            typed = letterCase === 'lower' ? typed.toLowerCase() : typed;
          const terms = termsOf(`${typed} `);
          if (terms.length === 0) return;
          const snippet = snippetOf(text, terms);
          expect(
            snippet?.marks.length,
            `${JSON.stringify(typed)} in ${JSON.stringify(text)}`,
          ).toBeGreaterThan(0);
        },
      ),
      { numRuns: process.env['HOLDFAST_SOAK'] ? 20_000 : 400 },
    );
  });
});
