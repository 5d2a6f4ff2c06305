import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { whole } from '../support/markdown';

const shown = (name: string) =>
  whole(readFileSync(join(import.meta.dirname, '..', 'fixtures', 'faults', name), 'utf8'));

/** The smallest inputs that people reported, and what is right about each. */
describe('what people reported', () => {
  it.each([
    ['f01-bold-prices.md', '<strong>$5</strong> now and <strong>$10</strong>'],
    ['f02-code-between-prices.md', 'From $5 run <code dir="ltr">npm i</code> and pay $10.'],
    ['f04-double-dollar.md', '$$ – moderate</p>\n<p dir="ltr"><strong>Next</strong> paragraph.</p>\n<ul'],
    ['f05-display-one-line.md', '<code class="math-display" dir="ltr">x = 1 \\tag{1}</code>'],
    ['f06-display-hugging.md', 'c &#x26;= d\n\\end{aligned}</code></pre>\n<p dir="ltr">after</p>'],
    ['f07-bracket-in-list.md', 'a = b</code></pre>\n</li>\n<li dir="ltr">second <strong>item</strong></li>'],
    ['f09-tilde-fence-in-list.md', "grep '\\(x\\)' a.txt"],
    ['f11-cjk-bold.md', '这是<strong>重点：</strong>内容。'],
    [
      'f12-cjk-autolink.md',
      'https://example.com/a</a>，然后看<a href="https://example.com/b">https://example.com/b</a>。',
    ],
    ['f13-tilde-range.md', '5~6 or 7~8 km'],
    ['f14-rtl-code.md', '<pre><code class="language-js" dir="ltr">'],
    ['f15-rtl-paragraph.md', '<p dir="ltr">English first.</p>\n<p dir="rtl">'],
    ['f16-html-in-cell.md', '<td dir="ltr">a List&#x3C;String> of names</td>'],
    [
      'f17-nested-task.md',
      '<li class="task-list-item" dir="ltr"><input type="checkbox" disabled> child</li>',
    ],
    ['f19-footnote.md', 'Fact[1].</p>\n<blockquote dir="ltr">\n<p dir="ltr">[1] Source.</p>'],
    ['f23-mhchem.md', '<code class="math-inline" dir="ltr">\\ce{2H2 + O2 -> 2H2O}</code>'],
    ['f24-br-in-cell.md', 'one<br>\ntwo'],
    ['f25-regex-prose.md', 'Match [a-z] and (group) here.'],
  ])('%s', (name, right) => {
    expect(shown(name)).toContain(right);
  });

  it('bigtable.md is one table', () => {
    expect(shown('bigtable.md').match(/<table/g)).toHaveLength(1);
  });
});
