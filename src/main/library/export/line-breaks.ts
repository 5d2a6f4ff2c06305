import { inSlices } from '../../../shared/run/slices';

/** Elements at whose edges a line end is only between the lines of the page. */
const BLOCK =
  /^<\/?(?:p|h[1-6]|ul|ol|li|blockquote|pre|hr|table|thead|tbody|tr|th|td|section|br|div)(?=[ />])/;

/**
 * The line ends within sentences of a page become line breaks, as the window shows them where a person switched that on.
 * Those of code stay. One walk over the page.
 */
export function breakLines(html: string): string {
  const out: string[] = [];
  let verbatim = 0;
  let edge = true;
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf('<', at);
    const close = open < 0 ? -1 : html.indexOf('>', open);
    const text = html.slice(at, open < 0 ? undefined : open);
    const tag = open < 0 ? '' : html.slice(open, close + 1);
    const block = tag === '' || BLOCK.test(tag);
    out.push(verbatim > 0 ? text : broken(text, edge, block), tag);
    if (text !== '' || tag !== '') edge = block || (edge && text.trim() === '');
    if (/^<(?:pre|code)[ >]/.test(tag)) verbatim += 1;
    else if (/^<\/(?:pre|code)>/.test(tag)) verbatim -= 1;
    if (open < 0) break;
    at = close + 1;
  }
  return out.join('');
}

/** @param before after a block's edge. @param after before one */
function broken(text: string, before: boolean, after: boolean): string {
  const from = before ? text.length - text.trimStart().length : 0;
  const to = after ? text.trimEnd().length : text.length;
  if (from >= to) return text;
  const inner = inSlices(text.slice(from, to), (slice) => slice.replaceAll('\n', '<br />\n'));
  return text.slice(0, from) + inner + text.slice(to);
}
