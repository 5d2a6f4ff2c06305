import { Tooltip } from 'radix-ui';
import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { Markdown } from '../../src/renderer/view/markdown/markdown';
import { StreamingMarkdown } from '../../src/renderer/view/markdown/streaming';

const markup = (node: ReactNode) => renderToStaticMarkup(<Tooltip.Provider>{node}</Tooltip.Provider>);
const html = (text: string) => markup(<Markdown text={text} />);
const plain = (out: string) => out.replace(/<[^>]*>/g, '').replace(/&amp;/g, '&');

describe('markdown', () => {
  it('shows tables, tasks, code and emphasis', () => {
    const out = html('| a |\n|---|\n| **b** |\n\n- [x] done\n- [ ] not\n\n`code`');
    expect(out).toContain('<table>');
    expect(out).toContain('<strong>b</strong>');
    expect(out.match(/type="checkbox"/g)).toHaveLength(2);
    expect(out).toContain('<code');
  });

  it('shows HTML as the text that it is', () => {
    const out = html('<script>alert(1)</script>\n\n<img src=x onerror=alert(1)>\n\ntext <b>bold</b>');
    expect(out).not.toMatch(/<(script|img|b)\b/);
    expect(plain(out)).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  });

  it('gives links no address that the page could follow, and shows their host', () => {
    const out = html('[a bank](https://evil.example/x) and [b](javascript:alert(1)) and <https://c.example>');
    expect(out).not.toMatch(/href=/);
    expect(out).toContain('evil.example');
    expect(out.match(/role="link"/g)).toHaveLength(2);
  });

  it('fetches no image, and says where it lies', () => {
    const out = html(
      '![cat](https://pictures.example/cat.png) ![d](data:image/png;base64,iVBORw0KGgo=) ![s](data:image/svg+xml;base64,AAAA)',
    );
    expect(out).not.toMatch(/<img/);
    expect(out).toContain('pictures.example');
  });

  it('takes dollars for math only where they are math', () => {
    expect(html('It costs $5 and $10 a month.')).not.toContain('tex');
    expect(plain(html('It costs $5 and $10 a month.'))).toBe('It costs $5 and $10 a month.');
    expect(html('so $a+b$ is')).toContain('a+b</code>');
    expect(html('so \\(a+b\\) is, `\\(not\\)` is not')).toContain('a+b</code>');
    expect(html('$$\n\\frac{1}{2}\n$$')).toContain('\\frac{1}{2}');
  });

  it('keeps footnotes and definitions from vanishing', () => {
    expect(plain(html('A claim[^1].\n\n[^1]: The proof.'))).toContain('The proof.');
    expect(html('[See][p].\n\n[p]: https://p.example')).toContain('p.example');
  });

  it('makes hidden characters visible in prose and code', () => {
    expect(html('a\u202Eb')).toContain('U+202E');
    expect(html('`rm\u200B`')).toContain('U+200B');
    expect(html('```sh\nrm\u200B -rf\n```')).toContain('U+200B');
  });

  it('shows as plain text what would take a parser seconds, and loses nothing of it', () => {
    for (const text of [
      '*a_'.repeat(4_000),
      '> '.repeat(4_000),
      '+ '.repeat(3_000),
      '1. '.repeat(2_000),
      'W'.repeat(100_000),
      '['.repeat(11_000),
    ]) {
      const begun = performance.now();
      const out = plain(html(text));
      expect(performance.now() - begun).toBeLessThan(10_000);
      expect(out.replaceAll('&gt;', '>').length).toBeGreaterThanOrEqual(text.trimEnd().length * 0.5);
    }
  });

  it('shows the same at the end of a stream as when it is opened later', () => {
    const text = '# T\n\nSome *text*.\n\n```js\nlet a = 1;\n```\n\n- a\n- b\n\n| x |\n|-|\n| y |\n\nEnd.';
    const live = plain(markup(<StreamingMarkdown text={text} />));
    expect(live).toBe(plain(html(text)));
  });
});
