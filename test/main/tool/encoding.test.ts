import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import iconv from 'iconv-lite';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UTF8, decode, encode, encodingOf, encodingOfAll } from '../../../src/main/tool/encoding';

const TEXTS: Record<string, string[]> = {
  GB18030: [
    '这是一个测试文件，里面有一些中文内容。\n第二行，还有更多的文字。\n',
    '数据库迁移脚本在生产环境中失败并且回滚也没有成功，请帮我分析原因。\n',
  ],
  Shift_JIS: [
    'これはテストファイルです。\n二行目もあります。\n',
    '東京の天気は晴れです。明日は雨が降るでしょう。\n',
  ],
  'EUC-JP': ['これはテストファイルです。二行目もあります。\n東京の天気は晴れです。\n'],
  Big5: ['這是一個測試檔案，裡面有一些中文內容。\n第二行，還有更多的文字。\n'],
  'EUC-KR': ['이것은 테스트 파일입니다. 한국어 내용이 있습니다.\n'],
  'windows-1252': [
    'café',
    'naïve résumé\n',
    'Le garçon a mangé à la cafétéria. Ça va très bien, merci beaucoup.\n',
    'Größe über alles, schöne Grüße\n',
    'name = "Müller"\ncity = "Köln"\n',
    'price: 5 €\n',
    'El niño comió piña en la montaña.\n',
    'í, ó e á',
  ],
  'windows-1251': ['Привет, мир! Это тестовый файл с русским текстом, в котором достаточно слов.\n'],
};

describe('the encoding of a text', () => {
  it.each(['enc-gbk.txt', 'enc-shiftjis.txt'])('is told, or refused, for what people have: %s', (name) => {
    const bytes = readFileSync(join(import.meta.dirname, '../../fixtures/faults', name));
    const found = encodingOfAll(bytes);
    if (typeof found === 'string') expect(found).toMatch(/^(?:binary|unknown)$/);
    else expect(decode(bytes, found)).not.toContain('\ufffd');
  });

  it.each(Object.entries(TEXTS))('is told as %s, with what it says', (name, texts) => {
    for (const text of texts) {
      const bytes = iconv.encode(text, name);
      const found = encodingOf(bytes, true);
      expect.soft(typeof found === 'string' ? found : decode(bytes, found), text).toBe(text);
    }
  });

  it('is that of its byte order mark, which is no part of it', () => {
    for (const [name, label] of [
      ['utf8', 'UTF-8'],
      ['utf-16le', 'UTF-16'],
      ['utf-16be', 'UTF-16'],
      ['utf-32le', 'UTF-32'],
    ] as const) {
      const bytes = iconv.encode('hello 東京\n', name, { addBOM: true });
      const found = encodingOf(bytes, true);
      expect(found).toMatchObject({ label, bom: true });
      if (typeof found !== 'string') {
        expect(decode(bytes, found)).toBe('hello 東京\n');
        expect(encode('hello 東京\n', found, true)).toEqual(bytes);
      }
    }
    expect(encodingOf(iconv.encode('const x = 1;\n', 'utf-16le'), true)).toMatchObject({
      label: 'UTF-16',
      bom: false,
    });
  });

  it('is never guessed for a text that says too little, nor for what is no text', () => {
    for (const text of ['你好', '中文', '日本', '数据库']) {
      const found = encodingOf(iconv.encode(text, 'gbk'), true);
      if (typeof found !== 'string') expect(decode(iconv.encode(text, 'gbk'), found)).toBe(text);
    }
    for (const head of [
      [0x89, 0x50, 0x4e, 0x47, 0, 1, 2],
      [0, 0, 0, 0],
      [0x1f, 0x8b, 0, 8],
    ])
      expect(encodingOf(Buffer.from(head), true)).toBe('binary');
    let seed = 7;
    const noise = Buffer.from(
      Array.from({ length: 4_000 }, () => 1 + ((seed = (seed * 16_807) % 2_147_483_647) % 255)),
    );
    expect(encodingOf(noise, true)).toBe('unknown');
  });

  it('is UTF-8 wherever the bytes are, however they are cut', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }), fc.nat(), (text, cut) => {
        if (/[\0\ufeff]/.test(text)) return;
        const bytes = Buffer.from(text);
        expect(encodingOf(bytes, true)).toEqual(UTF8);
        expect(encodingOf(bytes.subarray(0, 1 + (cut % bytes.length)), false)).toEqual(UTF8);
      }),
      { numRuns: 200 },
    );
  });

  it('is never told wrongly of sentences, in any of these encodings', () => {
    const words = {
      GB18030: [
        ...'的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面而方后多定行学法所民得经',
      ],
      Shift_JIS: [
        'これは',
        'です',
        'テスト',
        'ファイル',
        'の',
        'に',
        'を',
        '東京',
        '天気',
        '今日',
        'して',
        'います',
        'ました',
        'から',
      ],
      'EUC-KR': [
        '이것은',
        '테스트',
        '파일',
        '입니다',
        '한국어',
        '내용',
        '그리고',
        '있습니다',
        '사용자',
        '데이터',
      ],
      'windows-1252': [
        'été',
        'garçon',
        'über',
        'schön',
        'niño',
        'the',
        'file',
        'naïve',
        'São',
        'Größe',
        'à',
        'and',
      ],
      'windows-1251': [
        'привет',
        'файл',
        'текст',
        'слово',
        'который',
        'это',
        'пользователь',
        'данные',
        'строка',
        'не',
      ],
    };
    let told = 0;
    let all = 0;
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.keys(words)),
        fc.array(fc.nat(60), { minLength: 14, maxLength: 60 }),
        (name, picks) => {
          const from = words[name as keyof typeof words];
          const gap = /^(GB|Shift)/.test(name) ? '' : ' ';
          const text = `${picks.map((pick) => from[pick % from.length]).join(gap)}。\n`.replace(
            '。',
            gap === '' ? '。' : '.',
          );
          const bytes = iconv.encode(text, name);
          const found = encodingOf(bytes, true);
          all++;
          if (typeof found === 'string') return;
          told++;
          expect(decode(bytes, found), `${name} as ${found.name}`).toBe(text);
        },
      ),
      { numRuns: process.env['HOLDFAST_SOAK'] ? 20_000 : 250 },
    );
    // Most are told at all.
    expect(told / all).toBeGreaterThan(0.7);
  });

  it('has no bytes for what it cannot say', () => {
    const latin = { name: 'windows-1252', label: '', bom: false };
    expect(encode('naïve', latin, true)).toEqual(Buffer.from([0x6e, 0x61, 0xef, 0x76, 0x65]));
    expect(encode('東京', latin, true)).toBeUndefined();
    expect(encode('🎉', { name: 'Shift_JIS', label: '', bom: false }, true)).toBeUndefined();
    expect(encode('a? b', latin, true)?.toString()).toBe('a? b');
  });
});
