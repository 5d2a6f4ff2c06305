/** Marks all occurrences of `words` in the rows that are in the page, and the current one; without touching the page's nodes. */
export function highlightWords(
  scroller: HTMLElement,
  words: string,
  current: () => { index: number; nth: number } | undefined,
): () => void {
  if (!('highlights' in CSS)) return () => undefined;
  const wanted = words.toLowerCase();
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

/** Occurrences in a row, also where they run over several nodes (coloured code, marked characters). */
function rangesIn(row: HTMLElement, wanted: string): Range[] {
  const nodes: { node: Text; from: number }[] = [];
  let text = '';
  const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if ((node.parentElement?.closest('[data-chrome]') ?? null) !== null) continue;
    nodes.push({ node: node as Text, from: text.length });
    text += node.nodeValue ?? '';
  }
  const lower = text.toLowerCase();
  const ranges: Range[] = [];
  const place = (offset: number) => {
    let at = nodes.length - 1;
    while (at > 0 && (nodes[at]?.from ?? 0) > offset) at -= 1;
    return nodes[at];
  };
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, at + wanted.length)) {
    const first = place(at);
    const last = place(at + wanted.length - 1);
    if (!first || !last) break;
    const range = document.createRange();
    range.setStart(first.node, Math.min(at - first.from, first.node.length));
    range.setEnd(last.node, Math.min(at + wanted.length - last.from, last.node.length));
    ranges.push(range);
  }
  return ranges;
}
