import { micromark } from 'micromark';
import { gfmHtml } from 'micromark-extension-gfm';
import { dialect } from '../../../shared/markdown/dialect';
import { EMPTY_ANSWER } from '../../../shared/run/empty-answer';
import type { CallLine } from '../../../shared/run/transcript';
import { printable } from '../../../shared/run/transcript';
import { some } from '../words';
import { escaped } from './escape';
import { formulasAsWritten } from './formula-html';
import { factsOf, titleOf } from './head';
import { HTML_END, htmlHead } from './html-style';
import { lineCount, withoutTool } from './items';
import type { ExportItem } from './items';
import { breakLines } from './line-breaks';
import { isSaneMarkdown } from './markdown-contain';
import type { Page } from './page';

/** A run as one HTML page that needs nothing else: no script, and nothing that a reader's machine would fetch. */
export function* htmlOf(page: Page): Generator<string> {
  const { source, items, clean, tally, remarks } = page;
  const title = clean(titleOf(source));
  yield `${htmlHead(title)}<h1 dir="auto">${escaped(title)}</h1>\n<dl>\n`;
  for (const [word, value] of factsOf(source))
    yield `<dt>${escaped(word)}</dt><dd>${escaped(clean(value))}</dd>\n`;
  for (const remark of remarks) yield `<dt>Note</dt><dd>${escaped(remark)}</dd>\n`;
  yield '</dl>\n';
  for (const item of items) {
    yield `${block(item, page)}\n`;
    tally.wrote(item);
  }
  yield HTML_END;
}

function block(item: ExportItem, page: Page): string {
  const { clean } = page;
  const article = (name: string, body: string, more = ''): string =>
    `<article class="${name}" data-seq="${item.seq}"${more}>${body}</article>`;
  switch (item.kind) {
    case 'prompt':
      return `<h2>Person</h2>\n${article('prompt', escaped(clean(item.text)), ' dir="auto"')}`;
    case 'text':
      return article('text', markdown(clean(item.text), `${item.key}-`, page.breaks));
    case 'thinking': {
      const lines = some(lineCount(item.text), 'line');
      if (item.redacted) return article('quiet', 'Thinking that the service keeps to itself.');
      if (!page.thinking) return article('quiet', `Thinking left out: ${lines}.`);
      return article('note', fold(`Thinking, ${lines}`, plain(clean(item.text))));
    }
    case 'provider':
      return article('note', fold(`A block of the service: ${escaped(item.provider)}`, pre(clean(item.raw))));
    case 'call':
      return `<article class="call" data-seq="${item.seq}"${item.result ? ` data-result="${item.result.seq}"` : ''}>${call(item, page)}</article>`;
    case 'empty':
      return article('quiet', `${EMPTY_ANSWER}.`);
    case 'orphan':
      return article(
        'call',
        `<p>A result that answers no call (${code(item.toolUseId)})</p>${output(item.content, item.isError, page)}`,
      );
    case 'replaced':
      return article(
        'call',
        `<p>An earlier result of ${code(item.toolUseId)}, replaced by a later one</p>${output(item.content, item.isError, page)}`,
      );
    case 'silent':
      return article('quiet', `Record ${item.seq} says nothing.`);
    case 'seam':
      return `<article class="seam">${seam(item, page)}</article>`;
    case 'lost':
      return `<article class="lost"><p><strong>Lost text.</strong> This arrived and never became a record (${escaped(item.at)}).</p>${plain(clean(item.text))}${
        item.thinking && page.thinking ? fold('Its thinking', plain(clean(item.thinking))) : ''
      }</article>`;
    case 'damage':
      return `<article class="damage"><p><strong>The journal is damaged here.</strong> ${escaped(item.text)} What follows cannot be read.</p></article>`;
    case 'end':
      return article(
        'end',
        `${item.past ? 'Stopped here, then went on' : 'Ended'}: ${escaped(item.reason)}${item.message ? ` (${escaped(clean(item.message))})` : ''}`,
      );
  }
}

function call(item: CallLine, page: Page): string {
  const { clean } = page;
  const line = page.describe?.(item.tool, item.input);
  const said = line === undefined ? '' : ` ${escaped(clean(withoutTool(line, item.tool)))}`;
  const head = `<p><strong>${code(item.tool)}</strong>${said}</p>${fold('Input', pre(clean(item.input)))}`;
  const { result } = item;
  if (!result) return `${head}<p class="quiet">${escaped(page.unanswered(item))}</p>`;
  const times = result.times > 1 ? `<p class="quiet">The last of ${result.times} results.</p>` : '';
  return `${head}${times}${output(result.content, result.isError, page)}${attachments(item.toolUseId, page)}`;
}

function output(content: string, isError: boolean, page: Page): string {
  const word = isError ? 'Error' : 'Result';
  const size = content === '' ? 'nothing' : some(lineCount(content), 'line');
  if (!page.tools) return `<p class="quiet">${word} left out: ${size}.</p>`;
  if (content === '') return `<p class="quiet">${word}: no output.</p>`;
  return fold(`${word}, ${size}`, pre(page.clean(content)), isError ? 'bad' : undefined);
}

function attachments(toolUseId: string, page: Page): string {
  if (!page.tools) return '';
  return page.texts
    .filter((text) => text.toolUseId === toolUseId)
    .map(({ text, href }) => {
      const label = `Whole text, ${some(lineCount(text), 'line')}`;
      if (href === undefined) return fold(label, pre(page.clean(text)));
      return `<p><a href="${escaped(href.split('/').map(encodeURIComponent).join('/'))}">${label}</a></p>`;
    })
    .join('');
}

function seam(item: Extract<ExportItem, { kind: 'seam' }>, { clean }: Page): string {
  const rows = [
    ...item.changed.map(({ field, recorded, current }) => [field, recorded, current]),
    ...(item.endpoint ? [['address', item.endpoint.from, item.endpoint.to]] : []),
  ].map((cells) => `<tr>${cells.map((cell) => `<td>${escaped(clean(cell))}</td>`).join('')}</tr>`);
  return (
    `<p><strong>From here on the run went on with another configuration${item.forced ? ', by force' : ''}</strong> (${escaped(item.at)})</p>` +
    `<table><thead><tr><th>What</th><th>Recorded</th><th>From here on</th></tr></thead><tbody>${rows.join('')}</tbody></table>`
  );
}

const TICK = {
  done: '<input type="checkbox" aria-label="done" disabled checked>',
  open: '<input type="checkbox" aria-label="not done" disabled>',
};

/** A model's Markdown. HTML in it is text, links go only to the web and to mail, images are links. */
function markdown(text: string, prefix: string, breaks: boolean): string {
  const clean = printable(text);
  if (!isSaneMarkdown(clean)) return plain(text);
  const html = micromark(clean, {
    extensions: [...dialect(clean), { disable: { null: ['labelStartImage'] } }],
    htmlExtensions: [gfmHtml({ clobberPrefix: prefix, label: 'Footnotes' }), formulasAsWritten],
  });
  return (
    (breaks ? breakLines(html) : html)
      // Each block has the direction of its own first letter; code has that of code.
      .replace(/<(p|h[1-6]|ul|ol|li|blockquote|th|td)(?=[ >])/g, '<$1 dir="auto"')
      .replaceAll('<pre>', '<pre dir="ltr">')
      .replaceAll('<code', '<code dir="ltr"')
      // An image whose mark stands alone before its link.
      .replaceAll('!<a href=', 'image: <a href=')
      // What a task list shows by a tick is said too.
      .replaceAll('<input type="checkbox" disabled="" checked="" />', TICK.done)
      .replaceAll('<input type="checkbox" disabled="" />', TICK.open)
  );
}

const plain = (text: string): string => `<div class="plain" dir="auto">${escaped(text)}</div>`;
/** A newline right after `<pre>` would be swallowed. */
const pre = (text: string): string => `<pre dir="ltr">\n${escaped(text)}</pre>`;
const code = (text: string): string => `<code dir="ltr">${escaped(text)}</code>`;
const fold = (summary: string, body: string, name?: string): string =>
  `<details${name === undefined ? '' : ` class="${name}"`}><summary>${summary}</summary>${body}</details>`;
