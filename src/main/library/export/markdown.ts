import { createHash } from 'node:crypto';
import { EMPTY_ANSWER } from '../../../shared/run/empty-answer';
import type { CallLine } from '../../../shared/run/transcript';
import { some } from '../words';
import { escaped } from './escape';
import { factsOf, titleOf } from './head';
import { lineCount, withoutTool } from './items';
import type { ExportItem } from './items';
import { codeLine, fenced, plainLine, quoted, verbatim } from './markdown-text';
import type { Page } from './page';

/** A run as Markdown: GitHub's dialect, in which a fold is HTML's own. */
export function* markdownOf(page: Page): Generator<string> {
  const { source, items, clean, tally, remarks } = page;
  yield `# ${plainLine(clean(titleOf(source)))}\n\n`;
  for (const [word, value] of factsOf(source)) yield `- **${word}:** ${plainLine(clean(value))}\n`;
  for (const remark of remarks) yield `- **Note:** ${plainLine(remark)}\n`;
  yield '\n---\n';
  const secret = createHash('sha256').update(source.bytes).digest('hex').slice(0, 8);
  let speaker = '';
  for (const [n, item] of items.entries()) {
    const speaks = item.kind === 'prompt' ? 'Person' : MODEL.has(item.kind) ? 'Assistant' : speaker;
    if (speaks !== speaker || item.kind === 'prompt') yield `\n## ${speaks}\n`;
    speaker = speaks;
    // No text can know a label of another one: it comes from a hash that the text is part of.
    yield `\n${block(item, page, `${secret}.${n + 1}-`)}`;
    tally.wrote(item);
  }
}

/** Said or done by the model. */
const MODEL = new Set<ExportItem['kind']>(['text', 'thinking', 'provider', 'call', 'empty']);

function block(item: ExportItem, page: Page, mark: string): string {
  const { clean } = page;
  switch (item.kind) {
    case 'prompt':
      return verbatim(clean(item.text));
    case 'text':
      return quoted(clean(item.text), mark);
    case 'thinking':
      if (item.redacted) return '*Thinking that the service keeps to itself.*\n';
      return page.thinking
        ? fold(`Thinking, ${some(lineCount(item.text), 'line')}`, quoted(clean(item.text), mark))
        : `*Thinking left out: ${some(lineCount(item.text), 'line')}.*\n`;
    case 'provider':
      return fold(`A block of the service: ${escaped(item.provider)}`, fenced(clean(item.raw), 'json'));
    case 'call':
      return call(item, page);
    case 'empty':
      return `*${EMPTY_ANSWER}.*\n`;
    case 'orphan':
      return `**A result that answers no call** (${codeLine(item.toolUseId)})\n\n${output(item.content, item.isError, page)}`;
    case 'replaced':
      return `**An earlier result of** ${codeLine(item.toolUseId)}, replaced by a later one\n\n${output(item.content, item.isError, page)}`;
    case 'silent':
      return `*Record ${item.seq} says nothing.*\n`;
    case 'seam':
      return seam(item, page);
    case 'lost': {
      const thinking =
        item.thinking && page.thinking
          ? `\n${fold('Its thinking', quoted(clean(item.thinking), `${mark}t`))}`
          : '';
      return `**Lost text.** This arrived and never became a record (${plainLine(item.at)}):\n\n${quoted(clean(item.text), mark)}${thinking}`;
    }
    case 'damage':
      return `> **The journal is damaged here.** ${plainLine(item.text)} What follows cannot be read.\n`;
    case 'end':
      return `---\n\n*${item.past ? 'Stopped here, then went on' : 'Ended'}: ${plainLine(item.reason)}${item.message ? ` (${plainLine(clean(item.message))})` : ''}*\n`;
  }
}

function call(item: CallLine, page: Page): string {
  const { clean } = page;
  const line = page.describe?.(item.tool, item.input);
  const said = line === undefined ? '' : ` ${codeLine(clean(withoutTool(line, item.tool)))}`;
  const head = `**Tool** ${codeLine(item.tool)}${said}\n\n${fenced(clean(item.input), 'json')}\n`;
  const { result } = item;
  if (!result) return `${head}*${page.unanswered(item)}*\n`;
  const times = result.times > 1 ? `*The last of ${result.times} results.*\n\n` : '';
  return `${head}${times}${output(result.content, result.isError, page)}${attachments(item.toolUseId, page)}`;
}

function output(content: string, isError: boolean, page: Page): string {
  const size = content === '' ? 'nothing' : some(lineCount(content), 'line');
  const word = isError ? 'Error' : 'Result';
  if (!page.tools) return `*${word} left out: ${size}.*\n`;
  if (content === '') return `*${word}: no output.*\n`;
  return fold(`${word}, ${size}`, fenced(page.clean(content)));
}

function attachments(toolUseId: string, page: Page): string {
  if (!page.tools) return '';
  return page.texts
    .filter((text) => text.toolUseId === toolUseId)
    .map(({ name, text, href }) =>
      href === undefined
        ? `\n${fold(`Whole text, ${some(lineCount(text), 'line')}`, fenced(page.clean(text)))}`
        : `\n[Whole text, ${some(lineCount(text), 'line')}](<${href}>) (${codeLine(name)})\n`,
    )
    .join('');
}

function seam(item: Extract<ExportItem, { kind: 'seam' }>, { clean }: Page): string {
  const head = `> **From here on the run went on with another configuration${item.forced ? ', by force' : ''}** (${plainLine(item.at)})\n`;
  const lines = item.changed.map(
    ({ field, recorded, current }) =>
      `> - ${plainLine(field)}: ${codeLine(clean(recorded))} became ${codeLine(clean(current))}\n`,
  );
  const { endpoint } = item;
  const moved = endpoint
    ? `> - address: ${codeLine(clean(endpoint.from))} became ${codeLine(clean(endpoint.to))}\n`
    : '';
  return `${head}>\n${lines.join('')}${moved}`;
}

const fold = (summary: string, body: string): string =>
  `<details>\n<summary>${summary}</summary>\n\n${body}\n</details>\n`;
