import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { titleFrom } from '../../../src/shared/text/title';

describe('a title from a prompt', () => {
  it.each([
    ['Hi there, can you please summarise the minutes of March?', 'Summarise the minutes of March'],
    ['Hello! Could you help me to fix the login page? Thanks!', 'Fix the login page'],
    ['Hey Claude, please rename all files.', 'Rename all files.'],
    ['Good morning,\n\nI would like you to compare these two offers.', 'Compare these two offers.'],
    ['please list the files, thank you', 'List the files'],
    ['Hallo, kannst du mir bitte den Bericht zusammenfassen?', 'Den Bericht zusammenfassen'],
    ['Guten Tag! Bitte übersetze den Brief ins Englische. Danke', 'Übersetze den Brief ins Englische'],
    ['Bonjour, pouvez-vous traduire ce texte, s’il vous plaît', 'Traduire ce texte'],
    ['Hola, por favor resume este artículo', 'Resume este artículo'],
    ['Ciao! Puoi ordinare le fatture? Grazie', 'Ordinare le fatture'],
    ['Привет, можешь пожалуйста проверить отчёт?', 'Проверить отчёт'],
    ['你好，请帮我总结这份报告，谢谢。', '总结这份报告'],
    ['こんにちは。この文章を要約してください。ありがとうございます。', 'この文章を要約してください'],
    ['안녕하세요. 보고서를 요약해 주세요. 감사합니다.', '보고서를 요약해 주세요.'],
  ])('leaves out greetings, requests and thanks: %s', (prompt, title) =>
    expect(titleFrom(prompt)).toBe(title),
  );

  it.each([
    ['Why does this fail?\n```ts\nconst a = 1;\n```', 'Why does this fail?'],
    ['Explain\n\n~~~\ncode that is not closed\n', 'Explain'],
    [
      '## Task\n\n- **Sort** the `members.csv` by [year](https://x.example/a)',
      'Task Sort the members.csv by year',
    ],
    ['Summarise /home/ada/Documents/q3/report.pdf', 'Summarise report.pdf'],
    ['Read C:\\Users\\ada\\notes.txt and ~/b/c.md', 'Read notes.txt and c.md'],
    ['What is on https://www.example.org/a/b?c=d', 'What is on www.example.org'],
    ['<task>Write a poem</task><!-- not this -->', 'Write a poem'],
    ['> quoted\n> words\n\nIs 3 < 4 and 5 > 4?', 'quoted words Is 3 < 4 and 5 > 4?'],
  ])('leaves out code, markup and the way to files: %s', (prompt, title) =>
    expect(titleFrom(prompt)).toBe(title),
  );

  it.each([
    'hello',
    'list',
    'Hello world in Rust',
    'Hi-fi amplifiers, compared',
    'wait 60',
    'and/or: what is right?',
    'Dear John letters in fiction',
    'Can openers through the ages',
    'Pleasant walks',
    'Bittere Schokolade',
    'CO2 = 44 g/mol',
    'a_b and __init__',
    'Is 1/2 more than 2/5?',
  ])('keeps what only looks like it: %s', (prompt) => expect(titleFrom(prompt)).toBe(prompt));

  it('is never empty where the prompt has a word, has one line, adds nothing, and takes no time', () => {
    expect(titleFrom('```\nonly code\n```')).toContain('only code');
    expect(titleFrom('Please?')).toBe('Please?');
    expect(titleFrom('')).toBe('');
    const words = fc.array(
      fc.oneof(
        fc.constantFrom(
          'Hi',
          'please',
          '```',
          '\n',
          '#',
          '<b>',
          '](',
          '/a/b',
          '你好，',
          '"',
          '~~~',
          'can you',
          '**',
        ),
        fc.string({ unit: 'grapheme', maxLength: 12 }),
      ),
    );
    fc.assert(
      fc.property(words, (parts) => {
        const prompt = parts.join(' ');
        const title = titleFrom(prompt);
        expect(title).not.toMatch(/[\r\n]/);
        expect(/[\p{L}\p{N}]/u.test(title)).toBe(/[\p{L}\p{N}]/u.test(prompt));
      }),
      { numRuns: 300 },
    );
    const began = performance.now();
    for (const part of ['`', '[', '](', '<a ', '/a', '**', 'hi ', '\\', '> ', 'please ', '~~~\n'])
      titleFrom(part.repeat(50_000));
    expect(performance.now() - began).toBeLessThan(2_000);
  });
});
