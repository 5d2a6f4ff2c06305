import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { firstWords } from '../../../src/main/library/words';
import { workbench } from '../../support/cli';

const CRLF = readFileSync(
  join(import.meta.dirname, '..', '..', 'fixtures', 'faults', 'prompt-crlf.txt'),
  'utf8',
);

/** A carriage return as it is, or as what is shown for one. */
const RETURN = /\r|\\u000d|\\r|⟨CR⟩|&#(13|x0*d);/i;

const PROMPTS = [
  CRLF,
  'one\r\n\r\n  two\r\n',
  '\r\nfirst',
  `${'line of words\r\n'.repeat(400)}end`,
  '```\r\ncode\r\n```\r\n',
  'list:\r\n- a\r\n- b\r\n\r\n> c\r\n',
  'mixed\r\nline\nends\r\n',
];

describe('a carriage return before a newline', () => {
  it.each(PROMPTS)('is a line end in lists, shown runs, titles and exports (%#)', async (prompt) => {
    expect(RETURN.test(CRLF)).toBe(true);
    const bench = workbench();
    expect((await bench.run(['run', prompt, '--id', 'a', '--folder', bench.folder])).exit).toBe(0);
    const records = readFileSync(join(bench.runs, 'a.json'), 'utf8').split('\n').filter(Boolean);
    // What was typed is recorded as it was.
    expect(JSON.stringify(JSON.parse(records[0] ?? ''))).toContain(JSON.stringify(prompt).slice(1, -1));

    const ls = (await bench.run(['ls'])).stdout;
    expect(ls).not.toMatch(RETURN);
    const show = (await bench.run(['show', 'a'])).stdout;
    expect(show).not.toMatch(RETURN);
    for (const line of prompt.split(/\r?\n/)) {
      expect(show).toContain(line);
    }
    // The title is that of the row and of the window.
    expect(firstWords(prompt)).not.toMatch(RETURN);
    for (const format of ['md', 'html']) {
      const out = join(bench.folder, `out.${format}`);
      const ran = await bench.run(['export', 'a', '--format', format, '--out', out]);
      expect([ran.exit, ran.stderr]).toEqual([0, ran.stderr]);
      const text = readFileSync(out, 'utf8');
      const said = format === 'html' ? text.replace(/<(script|style)[\s\S]*?<\/\1>/g, '') : text;
      expect(said).not.toMatch(RETURN);
    }
  });

  it('stays visible where it is alone, since it could hide what comes before it', async () => {
    const bench = workbench();
    await bench.run(['run', 'good\rbad', '--id', 'a', '--folder', bench.folder]);
    expect((await bench.run(['show', 'a'])).stdout).toContain('good\\u000dbad');
  });
});
