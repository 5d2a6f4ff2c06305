import { FindText, foundAs } from '../../../shared/text/find';

/** Marks all occurrences of `words` in the rows that are in the page, and the current one; without touching the page's nodes. */
export function highlightWords(
  scroller: HTMLElement,
  words: string,
  current: () => { index: number; nth: number } | undefined,
): () => void {
  if (!('highlights' in CSS)) return () => undefined;
  const wanted = foundAs(words);
  const mark = () => {
    const all = new Highlight();
    const one = new Highlight();
    const now = current();
    for (const row of scroller.querySelectorAll<HTMLElement>('[data-row]')) {
      const index = Number(row.dataset['row']);
      rangesIn(row, wanted).forEach((range, nth) => {
        if (now && now.index === index && now.nth === nth) one.add(range);
        else all.add(range);
      });
    }
    CSS.highlights.set('find', all);
    CSS.highlights.set('find-now', one);
  };
  let soon = 0;
  const later = () => {
    window.cancelAnimationFrame(soon);
    soon = window.requestAnimationFrame(mark);
  };
  const changes = new MutationObserver(later);
  changes.observe(scroller, { childList: true, characterData: true, subtree: true });
  mark();
  return () => {
    changes.disconnect();
    window.cancelAnimationFrame(soon);
    CSS.highlights.delete('find');
    CSS.highlights.delete('find-now');
  };
}

/** What begins a line of its own: words on both sides of its edge are no words beside one another. */
const BLOCKS = 'p,h1,h2,h3,h4,h5,h6,li,td,th,pre,blockquote,dt,dd,summary,div,figure,section,.katex-display';

/** Occurrences in a row, also where they run over several nodes (coloured code, marked characters). */
function rangesIn(row: HTMLElement, wanted: string): Range[] {
  const nodes: { node: Text; from: number }[] = [];
  const pieces: string[] = [];
  let length = 0;
  let block: Element | null = null;
  const add = (text: string) => {
    pieces.push(text);
    length += text.length;
  };
  const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const within = node.parentElement;
    if (!within || within.closest('[data-chrome],.ctl') !== null || !isShown(within)) continue;
    const here = within.closest(BLOCKS);
    if (here !== block && length > 0) add('\n');
    block = here;
    nodes.push({ node: node as Text, from: length });
    add(node.nodeValue ?? '');
  }
  const ranges: Range[] = [];
  const place = (offset: number) => {
    let at = nodes.length - 1;
    while (at > 0 && (nodes[at]?.from ?? 0) > offset) at -= 1;
    return nodes[at];
  };
  for (const [from, to] of new FindText(pieces.join(''), true).places(wanted)) {
    const first = place(from);
    const last = place(to - 1);
    if (!first || !last) break;
    const range = document.createRange();
    range.setStart(first.node, Math.min(from - first.from, first.node.length));
    range.setEnd(last.node, Math.min(to - last.from, last.node.length));
    ranges.push(range);
  }
  return ranges;
}

/** A formula is there three times: drawn, for machines, and as it was written. Only the last is what is looked for. */
const isShown = (element: Element): boolean =>
  element.closest('.katex') === null || element.closest('annotation') !== null;
