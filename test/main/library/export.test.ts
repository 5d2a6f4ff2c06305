import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { describe, expect, it } from 'vitest';
import { fileStore } from '../../../src/main/journal/file';
import { exportRuns } from '../../../src/main/library/export';
import type { ExportOptions } from '../../../src/main/library/export';
import { importRuns, zipTree } from '../../../src/main/library/import';
import { contained, fenced } from '../../../src/main/library/export/markdown-text';
import { redactor } from '../../../src/main/library/export/redact';
import { encodeLine } from '../../../src/shared/run/codec';
import type { SidecarEntry } from '../../../src/shared/run/sidecar';
import { tempFolder } from '../../support/folder';
import { bring, bringRich, KEY_SHAPE, richRecords, SECRET } from '../../support/histories';
import { answerRecord, chatRecords, fingerprint } from '../../support/journal-records';
import { ready } from '../../support/store-folder';

const COUNTS = { records: 16, calls: 5, results: 5 };

async function rich() {
  const folder = tempFolder();
  const store = fileStore(join(folder, 'runs'));
  const bytes = await bringRich(store);
  const write = async (format: ExportOptions['format'], more: Partial<ExportOptions> = {}, name = 'out') => {
    const out = join(folder, name);
    const report = await exportRuns(store, ['rich'], { format, out, ...more });
    return { out, report, text: readFileSync(out, 'utf8') };
  };
  return { folder, store, bytes, write };
}

describe('an export', () => {
  it.each(['md', 'html', 'json'] as const)(
    'as %s holds every record, call and result of its journal',
    async (format) => {
      const { write } = await rich();
      const { report } = await write(format);
      expect(report.runs).toMatchObject([
        { id: 'rich', found: COUNTS, written: COUNTS, complete: true, redacted: 0 },
      ]);
      expect(report.bytes).toBeGreaterThan(1000);
    },
  );

  it.each(['md', 'html', 'json'] as const)(
    'as %s says only of what there is that it is complete',
    async (format) => {
      const folder = tempFolder();
      const store = fileStore(join(folder, 'runs'));
      await bring(store, 'long', chatRecords('long', 10_000));
      const out = join(folder, 'out');
      const { runs } = await exportRuns(store, ['long'], { format, out });
      expect(runs[0]).toMatchObject({
        complete: true,
        written: { records: 10_000, calls: 2500, results: 2500 },
      });
      const text = readFileSync(out, 'utf8');
      const count = (pattern: RegExp) => text.match(pattern)?.length;
      if (format === 'html') {
        expect(count(/ data-(seq|result)="/g)).toBe(10_000);
        expect(count(/<article class="call"/g)).toBe(2500);
      }
      if (format === 'md') expect(count(/^\*\*Tool\*\* /gm)).toBe(2500);
      if (format === 'json')
        expect((JSON.parse(text) as { records: unknown[] }).records).toHaveLength(10_000);
    },
  );

  it('shows forced drift, lost text, replaced results and unanswered calls as what they are', async () => {
    const { write } = await rich();
    for (const format of ['md', 'html'] as const) {
      const { text } = await write(format, {}, `out.${format}`);
      expect(text).toContain('with another configuration, by force');
      expect(text).toContain('practice-2');
      expect(text).toContain('This arrived and never became a record');
      expect(text).toContain('first answer');
      expect(text).toContain('The last of 2 results');
      expect(text).toContain('It was started, and nobody knows how it ended'.replace('It', 'it'));
      expect(text).toContain('Stopped here, then went on: suspended');
      expect(text).toContain('the whole text');
      // The seam stands between what was before and after it.
      expect(text.indexOf('by force')).toBeLessThan(text.indexOf('go on', text.indexOf('then went on') + 30));
    }
    const json = JSON.parse((await write('json', {}, 'out.json')).text) as Record<string, unknown>;
    expect(json).toMatchObject({ seams: [{ after_seq: 6, forced: true }], lost: { after_seq: 16 } });
    expect(json.attachments).toMatchObject([{ name: 'whole-1.txt', tool_use_id: 'c1' }]);
  });

  it('shows that the conversation went to another address, and that nobody was forced', async () => {
    const folder = tempFolder();
    const store = fileStore(join(folder, 'runs'));
    const endpoint = { from: 'https://one.example/v1', to: 'https://two.example/v1' };
    const seam: SidecarEntry = {
      kind: 'resume',
      at: '2026-07-21T07:08:09Z',
      after_seq: 2,
      forced: false,
      accepted: fingerprint,
      changed: [],
      endpoint,
      unknown: [],
    };
    await bring(store, 'moved', chatRecords('moved', 8), { sidecar: [seam] });
    for (const format of ['md', 'html', 'json'] as const) {
      const out = join(folder, `out.${format}`);
      const { runs } = await exportRuns(store, ['moved'], { format, out });
      expect(runs[0]).toMatchObject({ complete: true });
      const text = readFileSync(out, 'utf8');
      for (const place of Object.values(endpoint)) expect(text).toContain(place);
      if (format === 'json') expect(JSON.parse(text)).toMatchObject({ seams: [{ after_seq: 2, endpoint }] });
      else expect(text).not.toContain('by force');
    }
  });

  it('leaves out what tools gave back, and thinking, and says so', async () => {
    const { write } = await rich();
    for (const format of ['md', 'html', 'json'] as const) {
      const { text, report } = await write(format, { tools: false, thinking: false }, `out.${format}`);
      expect(report.runs[0]).toMatchObject({ complete: true });
      for (const gone of ['four ticks', 'second answer', 'Let me think', 'the whole text'])
        expect(text).not.toContain(gone);
      expect(text).toMatch(
        format === 'json' ? /"left_out":\["tool_output","thinking"\]/ : /left out: \d+ lines?/,
      );
    }
  });

  it('takes out known secrets and what has the shape of a key, and counts them', async () => {
    const { write } = await rich();
    for (const format of ['md', 'html', 'json'] as const) {
      const plain = await write(format, {}, `plain.${format}`);
      expect(plain.text).toContain(SECRET);
      expect(plain.text).toContain(KEY_SHAPE);
      const { text, report } = await write(format, { secrets: [SECRET] }, `out.${format}`);
      expect(text).not.toContain(SECRET);
      expect(text).not.toContain(KEY_SHAPE);
      expect(report.runs[0]?.redacted).toBeGreaterThanOrEqual(3);
    }
  });

  it('writes whole texts into files of their own when asked to', async () => {
    const { write, folder } = await rich();
    const { report, text } = await write('md', { attachments: 'separate', secrets: [SECRET] }, 'out.md');
    expect(report.files.map((file) => file.slice(folder.length + 1))).toEqual([
      'out.md',
      'out.files/whole-1.txt',
    ]);
    expect(readFileSync(join(folder, 'out.files/whole-1.txt'), 'utf8')).toBe('the whole text [secret]\n');
    expect(text).toContain('(<out.files/whole-1.txt>)');
  });

  it('of a damaged run writes what stands before the damage, and says so', async () => {
    const folder = tempFolder();
    const runs = join(folder, 'runs');
    const store = fileStore(runs);
    const bytes = await bringRich(store);
    const line = bytes.indexOf('{"seq":9,');
    writeFileSync(
      join(runs, 'rich.json'),
      Buffer.concat([bytes.subarray(0, line), Buffer.from('garbage\n'), bytes.subarray(line)]),
    );
    for (const format of ['md', 'html', 'json', 'journal'] as const) {
      const out = join(folder, `out-${format}`, 'r.json');
      const { runs: reports } = await exportRuns(store, ['rich'], { format, out });
      expect(reports[0]).toMatchObject({
        damage: { code: 'corrupt' },
        found: { records: 8 },
        complete: true,
      });
      const text = readFileSync(out, 'utf8');
      if (format === 'journal') expect(text).toContain('garbage');
      else expect(text).not.toContain('garbage');
      // Its notes are read although it cannot be loaded.
      if (format !== 'journal') expect(text).toContain('practice-2');
    }
  });

  it('as a journal of what is intact ends before the damage, and comes in as a run', async () => {
    const folder = tempFolder();
    const runs = join(folder, 'runs');
    const store = fileStore(runs);
    const bytes = await bringRich(store);
    const at = bytes.indexOf('{"seq":9,');
    const hurt = Buffer.concat([bytes.subarray(0, at), Buffer.from('garbage\n'), bytes.subarray(at)]);
    writeFileSync(join(runs, 'rich.json'), hurt);
    const other = fileStore(join(folder, 'other'));
    for (const [n, format] of (['journal', 'zip'] as const).entries()) {
      const out = join(folder, format === 'zip' ? 'out.zip' : 'rich.json');
      const report = await exportRuns(store, ['rich'], { format, out, intact: true });
      expect(report.runs).toMatchObject([{ complete: true, damage: { code: 'corrupt' } }]);
      const { files } = await importRuns(other, [out], { newId: () => 'again' });
      expect(files).toMatchObject([{ outcome: 'imported', records: 8, dropped: 0 }]);
      expect(Buffer.from(await other.bytes(n === 0 ? 'rich' : 'again'))).toEqual(bytes.subarray(0, at));
    }
    expect(readFileSync(join(runs, 'rich.json'))).toEqual(hurt);
  });

  it('has no secret in labels and in the names of its files', async () => {
    const folder = tempFolder();
    const store = fileStore(join(folder, 'runs'));
    const catalogue = { title: `Use ${KEY_SHAPE} and ${SECRET} here`, tags: [`tag ${SECRET}`] };
    for (const id of ['a', 'b']) await bring(store, id, chatRecords(id, 4), { catalogue });
    const write = (out: string, secrets?: string[]) =>
      exportRuns(store, ['a', 'b'], {
        format: 'md',
        out: `${join(folder, out)}/`,
        byTitle: true,
        ...(secrets && { secrets }),
      });
    const { files } = await write('clean', [SECRET]);
    expect(files.map((file) => basename(file))).toEqual([
      'Use secret and secret here.md',
      'Use secret and secret here (2).md',
    ]);
    for (const format of ['md', 'html', 'json'] as const) {
      const out = join(folder, `one.${format}`);
      await exportRuns(store, ['a'], { format, out, secrets: [SECRET] });
      expect(readFileSync(out, 'utf8')).not.toContain(SECRET);
      expect(readFileSync(out, 'utf8')).toMatch(/tag \\?\[secret/);
    }
    // Names are cleaned only where texts are.
    expect((await write('plain')).files[0]).toContain(KEY_SHAPE);
  });

  it('as a journal has the exact bytes, and its notes, labels and texts beside them', async () => {
    const { folder, store, bytes } = await rich();
    const out = join(folder, 'shelf');
    const { files, runs } = await exportRuns(store, ['rich'], { format: 'journal', out: `${out}/` });
    expect(files.map((file) => file.slice(out.length + 1))).toEqual([
      'rich.json',
      'rich.aux.jsonl',
      'rich.catalogue.jsonl',
      'rich.files/whole-1.txt',
    ]);
    expect(readFileSync(join(out, 'rich.json'))).toEqual(bytes);
    expect(runs[0]).toMatchObject({ written: COUNTS, complete: true });
    await expect(
      exportRuns(store, ['rich'], { format: 'journal', out: `${out}2/`, secrets: [] }),
    ).rejects.toMatchObject({ code: 'bad_request' });
  });

  it('never replaces a file unless told to, and leaves nothing half-written', async () => {
    const { folder, store, write } = await rich();
    writeFileSync(join(folder, 'out'), 'mine');
    await expect(write('md')).rejects.toMatchObject({ code: 'exists' });
    expect(readFileSync(join(folder, 'out'), 'utf8')).toBe('mine');
    expect((await write('md', { overwrite: true })).text).toContain('# A');
    const stop = new AbortController();
    stop.abort();
    for (const format of ['html', 'zip'] as const)
      await expect(
        exportRuns(store, ['rich'], { format, out: join(folder, 'stopped'), signal: stop.signal }),
      ).rejects.toMatchObject({ code: 'cancelled' });
    expect(readdirSync(folder).sort()).toEqual(['out', 'runs']);
  });

  it('as a zip has a first page that leads to every run, and names those that are not in it', async () => {
    const folder = tempFolder();
    const store = fileStore(join(folder, 'runs'));
    await bringRich(store);
    await bring(store, 'plain', chatRecords('plain', 9));
    writeFileSync(join(folder, 'runs', 'broken.json'), 'not a journal\nat all\n');
    const out = join(folder, 'all.zip');
    await exportRuns(store, ['rich', 'broken', 'plain'], { format: 'zip', out });
    const tree = await zipTree(out);
    const names = tree.files.map(({ name }) => name);
    const first = Buffer.from(await tree.read('index.html')).toString();
    const links = [...first.matchAll(/<a href="([^"]+)">([^<]*)<\/a>/g)].map(([, to, text]) => [to, text]);
    expect(links).toEqual([
      ['runs/rich.html', 'A &lt;rich&gt; run'],
      ['runs/plain.html', 'Say what is here'],
    ]);
    for (const [to = ''] of links) expect(names).toContain(to);
    expect(first).toMatch(/Not exported<\/h2>\s*<ul>\s*<li>broken: /);
    expect(first).not.toMatch(/<script/);
    tree.close();
  });

  it('of many runs goes on past one that cannot be read', async () => {
    const folder = tempFolder();
    const runs = join(folder, 'runs');
    ready(runs);
    for (const id of ['a', 'b'])
      writeFileSync(join(runs, `${id}.json`), Buffer.concat(richRecords(id).map(encodeLine)));
    writeFileSync(join(runs, 'broken.json'), 'not a journal\nat all\n');
    const progress: number[] = [];
    const report = await exportRuns(fileStore(runs), ['a', 'broken', 'b'], {
      format: 'html',
      out: join(folder, 'out'),
      onProgress: ({ done }) => progress.push(done),
    });
    expect(report.runs.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(report.failed).toMatchObject([{ id: 'broken', failure: { code: 'corrupt' } }]);
    expect(Math.max(...progress)).toBe(2);
    expect(existsSync(join(folder, 'out', 'b.html'))).toBe(true);
  });
});

describe('an exported page', () => {
  it('has no script, loads nothing and lets no text become markup', async () => {
    const { write } = await rich();
    const { text } = await write('html');
    expect(text).toMatch(
      /content="default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'none'"/,
    );
    expect(text).not.toMatch(/<(script|img|iframe|object|embed|link|svg|form|base)\b/i);
    expect(text).not.toMatch(/\son\w+\s*=\s*["']/i);
    expect(text).not.toContain('javascript:');
    expect(text).not.toMatch(/[\u001b\u202e]/);
    expect(text).toContain('&lt;script&gt;');
    for (const tag of ['details', 'pre', 'article', 'table', 'main', 'div'])
      expect([tag, text.match(new RegExp(`<${tag}[ >]`, 'g'))?.length]).toEqual([
        tag,
        text.match(new RegExp(`</${tag}>`, 'g'))?.length,
      ]);
    // What is Markdown in an answer is shown as such.
    expect(text).toContain('<td dir="auto">1</td>');
    expect(text).toContain('<input type="checkbox" aria-label="done" disabled checked> done');
    expect(text).toContain('<a href="https://example.org/p.png">pixel</a>');
    expect(text).toContain('prefers-color-scheme:dark');
    expect(text).toContain('@media print');
  });
});

describe('directions in an exported page', () => {
  it('are those of each block; code always reads from left to right', async () => {
    const folder = tempFolder();
    const store = fileStore(join(folder, 'runs'));
    const said =
      'مرحبا `x = 1`.\n\nHello.\n\n- عنصر\n- item\n\n> اقتباس\n\n```\nconst x = 1;\n```\n\n| أ | b |\n|---|---|\n| ج | d |';
    await bring(store, 'r', [...chatRecords('r', 1), answerRecord(2, said, 0)]);
    const out = join(folder, 'page.html');
    await exportRuns(store, ['r'], { format: 'html', out });
    const text = readFileSync(out, 'utf8');
    const article = /<article class="text"[^]*?<\/article>/.exec(text)?.[0] ?? '';
    for (const tag of ['p', 'ul', 'li', 'blockquote', 'th', 'td'])
      expect([tag, article.match(new RegExp(`<${tag}(?! dir="auto")[ >]`, 'g'))]).toEqual([tag, null]);
    expect(article).toContain('<pre dir="ltr"><code dir="ltr">const x = 1;');
    expect(article).toContain('<code dir="ltr">x = 1</code>');
    expect(text).toMatch(/<article class="prompt" data-seq="1" dir="auto">/);
  });
});

describe('formulas in an exported page', () => {
  it('are there as they were written, wherever they are', async () => {
    const folder = tempFolder();
    const store = fileStore(join(folder, 'runs'));
    const read = async (said: string): Promise<string> => {
      const id = `r${Math.abs(hashOf(said))}`;
      await bring(store, id, [...chatRecords(id, 1), answerRecord(2, said, 0)]);
      const out = join(folder, `${id}.html`);
      await exportRuns(store, [id], { format: 'html', out });
      const article = /<article class="text"[^]*?<\/article>/.exec(readFileSync(out, 'utf8'))?.[0] ?? '';
      return article
        .replace(/<[^>]*>/g, '')
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&amp;', '&');
    };
    const fixture = readFileSync(
      join(import.meta.dirname, '..', '..', 'fixtures', 'faults', 'latex-export.md'),
      'utf8',
    );
    const lines = (text: string) => text.split('\n').filter(Boolean);
    expect(lines(await read(fixture))).toEqual(lines(fixture));
    for (const formula of [
      '$a_1 * b_2 * c_3$',
      '\\(x_1 \\{1,\\,2\\}\\)',
      '\\[ a &= b \\\\ c < d \\]',
      '$$\nx^2 \\\\\n<b>y</b> _z_\n$$',
    ])
      for (const [before, after] of [
        ['', ''],
        ['- ', ''],
        ['Text: ', ' and *more*.'],
      ] as const) {
        if (formula.includes('\n') && before !== '') continue;
        expect.soft(await read(`${before}${formula}${after}`)).toContain(formula);
      }
    // Prices are none.
    expect(await read('It is $5 *and* $10.')).toContain('It is $5 and $10.');
  });
});

const hashOf = (text: string): number =>
  [...text].reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) | 0, 7);

describe('exported Markdown', () => {
  it('keeps everything that was said inside its own place', async () => {
    const { write } = await rich();
    const { text } = await write('md');
    const top = fromMarkdown(text);
    const headings = top.children.filter((node) => node.type === 'heading');
    // The title, and one for each who speaks: no text made another.
    const speakers = headings
      .slice(1)
      .map((heading) => JSON.stringify(heading).match(/"value":"(.*?)"/)?.[1]);
    expect(speakers.filter((who) => who === 'Person')).toHaveLength(4);
    expect(new Set(speakers)).toEqual(new Set(['Person', 'Assistant']));
    const all: { type: string; value?: string }[] = [];
    const look = (node: { type: string; children?: unknown[] }): void => {
      all.push(node);
      (node.children as typeof top.children | undefined)?.forEach(look);
    };
    look(top);
    const html = all.filter(({ type }) => type === 'html').map(({ value }) => value ?? '');
    expect(html.length).toBeGreaterThan(10);
    // Every line of HTML is a fold of ours.
    for (const line of html.flatMap((value) => value.split('\n')))
      expect(line).toMatch(/^<(\/?details|summary>[^<>]*<\/summary)>$/);
    expect(all.filter(({ type }) => type.startsWith('image'))).toEqual([]);
  });

  it.each([
    ['```', 4],
    ['a ```` b ````` c', 6],
    ['no ticks', 3],
  ])('fences %j so that nothing in it ends the fence', (content, ticks) => {
    const block = fenced(content);
    expect(block.startsWith('`'.repeat(ticks))).toBe(true);
    const [code, after] = fromMarkdown(`${block}\nafter`).children;
    expect(code).toMatchObject({ type: 'code', value: content });
    expect(after).toMatchObject({ type: 'paragraph' });
  });

  it.each([
    '```js\nopen',
    '~~~~\nopen\n~~~',
    'text\n\n````md\n```\ninner\n```\n',
    '<div>\n```\nx',
    '<!-- never closed',
    '<details>\n\n<pre>\n\n```\n</pre>',
    '<script>\n\n# heading in it\n\n```',
    '- item\n  ```\n  open in a list',
    '> ```\n> open in a quote',
    '<?php\n\n<![CDATA[\n\n```\nx\n```',
    'a `<b>` and <https://example.org> and <i>x</i>',
    '![a](https://example.org/x.png) ![b][c] <b>x</b> ![<i>](y)\n\n[c]: z',
    `${'<'.repeat(5000)}a>`,
    '['.repeat(4_000),
  ])('contains whatever a text leaves open (%#)', (text) => {
    const children = fromMarkdown(`${contained(text, 'm-')}\n# AFTER\n`).children;
    expect(children.at(-1)).toMatchObject({ type: 'heading', children: [{ type: 'text', value: 'AFTER' }] });
    expect(JSON.stringify(children)).not.toMatch(/"type":"(html|image|imageReference)"/);
  });

  it('leaves honest Markdown as it was', () => {
    const text = 'A `<b>` tag, see <https://example.org>.\n\n```ts\nif (a < b) {}\n```\n\n1. one\n2. two\n';
    expect(contained(text, 'm-')).toBe(text);
    expect(contained('See [one](https://a.example) and `[x]`.\n', 'm-')).toBe(
      'See [one](https://a.example) and `[x]`.\n',
    );
  });
});

describe('redaction', () => {
  it('knows keys by their shape and leaves ordinary words alone', () => {
    const clean = redactor([]);
    for (const key of [
      KEY_SHAPE,
      `ghp_${'a'.repeat(36)}`,
      'AKIAABCDEFGHIJKLMNOP',
      `eyJhbGciOiJI.${'a'.repeat(20)}.${'b'.repeat(20)}`,
      `-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----`,
    ])
      expect(clean(`before ${key} after`)).toBe('before [secret] after');
    expect(clean('Authorization: Bearer abcdefghijklmnopqrst')).toBe('Authorization: Bearer [secret]');
    expect(clean('https://me:hunter22@example.org/x')).toBe('https://me:[secret]@example.org/x');
    const ordinary = 'task-force, risk-management, sk-learn, https://example.org:8080/a@b, Bearer of news';
    expect(clean(ordinary)).toBe(ordinary);
    expect(clean.count).toBe(7);
  });

  it('takes a value out as it is and as it stands inside JSON, the longer one first', () => {
    const clean = redactor(['pass"word\\9', 'pass"word\\9-and-more']);
    expect(clean('x pass"word\\9-and-more y')).toBe('x [secret] y');
    expect(clean(JSON.stringify({ a: 'pass"word\\9' }))).toBe('{"a":"[secret]"}');
  });
});
