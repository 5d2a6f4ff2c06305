/**
 * What is wrong with how the page is laid out, by geometry alone, so that it holds for every text and every view: runs in
 * the page, so it refers to nothing outside of itself. One line for each fault; none means none.
 */
export function layoutFaults(): string[] {
  const faults = new Set<string>();
  const layer = (() => {
    const open = [...document.querySelectorAll<HTMLElement>('dialog[open], [role="menu"]')];
    return open.at(-1) ?? document.body;
  })();
  const called = (part: Element) => {
    const text = part.getAttribute('aria-label') ?? part.textContent;
    return `<${part.tagName.toLowerCase()} ${part.className.toString().split(' ')[0] ?? ''}> “${text.trim().replace(/\s+/g, ' ').slice(0, 50)}”`;
  };
  const styles = new Map<Element, CSSStyleDeclaration>();
  const style = (part: Element) => {
    const known = styles.get(part) ?? getComputedStyle(part);
    styles.set(part, known);
    return known;
  };
  const unseen = (part: Element) =>
    part.closest('.sr, .katex, svg, [aria-hidden="true"], [inert]') !== null ||
    !part.checkVisibility({ opacityProperty: true, visibilityProperty: true });

  /** What an element shows of itself: cut by everything around it that cuts. */
  const box = (part: Element, rect: DOMRect = part.getBoundingClientRect()) => {
    let { left, right, top, bottom } = rect;
    for (let up = part.parentElement; up; up = up.parentElement) {
      if (style(up).overflowX === 'visible' && style(up).overflowY === 'visible') continue;
      const around = up.getBoundingClientRect();
      left = Math.max(left, around.left);
      right = Math.min(right, around.right);
      top = Math.max(top, around.top);
      bottom = Math.min(bottom, around.bottom);
    }
    return { left, right, top, bottom };
  };
  /** Who cuts an element off at its sides. */
  const cutter = (part: Element) => {
    for (let up = part.parentElement; up; up = up.parentElement)
      if (style(up).overflowX !== 'visible') return up;
    return document.documentElement;
  };

  // What is wider than its place by nature: code, tables, formulas.
  const sideways = 'pre, :has(> table), [data-sideways]';
  const isSticky = (part: Element | null) => {
    for (let up = part; up; up = up.parentElement) if (style(up).position === 'sticky') return true;
    return false;
  };
  // Views scroll, the window under them never does: what has gone out of it could not be brought back.
  if (document.documentElement.scrollTop > 0 || document.body.scrollTop > 0)
    faults.add('The window itself is scrolled');
  for (const part of layer.querySelectorAll('*')) {
    if (unseen(part)) continue;
    const { overflowX, textOverflow, webkitLineClamp } = style(part);
    // Only what is marked as wider than its place by nature moves sideways: code, tables, formulas.
    const wide = part.scrollWidth - part.clientWidth;
    if ((overflowX === 'auto' || overflowX === 'scroll') && wide > 0 && !part.matches(sideways))
      faults.add(`${called(part)} scrolls sideways by ${wide}px`);
    // What is cut says so by dots.
    if (
      (overflowX === 'hidden' || overflowX === 'clip') &&
      // One pixel is only there to be read out.
      part.clientWidth > 1 &&
      wide > 1 &&
      textOverflow !== 'ellipsis' &&
      webkitLineClamp === 'none' &&
      !part.matches(`input, ${sideways}`)
    )
      faults.add(`${called(part)} cuts ${wide}px off without saying so`);
  }

  const controls = 'button, a[href], input, select, textarea, summary, [role="option"], [role="menuitem"]';
  for (const part of layer.querySelectorAll<HTMLElement>(
    `${controls}, h1, h2, h3, dt, dd, th, label, p, li`,
  )) {
    if (unseen(part)) continue;
    const rect = part.getBoundingClientRect();
    if (rect.width < 2 || rect.height < 2) continue;
    // Nothing is pushed out of what is around it, where it could not be reached.
    const around = cutter(part);
    const edge = around.getBoundingClientRect();
    const room = part.closest('nav, main, dialog, [role="menu"]')?.getBoundingClientRect() ?? edge;
    const out = Math.max(
      rect.right - edge.right,
      edge.left - rect.left,
      rect.right - room.right,
      room.left - rect.left,
    );
    if (out > 1 && !around.closest(sideways))
      faults.add(`${called(part)} is pushed out by ${Math.round(out)}px`);
    if (!part.matches(controls)) continue;
    // Nor cut off above or below by what cannot be scrolled.
    for (let up = part.parentElement; up; up = up.parentElement) {
      const { overflowY } = style(up);
      if (overflowY === 'auto' || overflowY === 'scroll') break;
      if (overflowY !== 'hidden' && overflowY !== 'clip') continue;
      const { top: first, bottom: last } = up.getBoundingClientRect();
      if (rect.bottom - last > 1 || first - rect.top > 1)
        faults.add(`${called(part)} is cut off by ${called(up)}`);
    }
    // No button is under something else, but for what has scrolled away.
    const { left, right, top, bottom } = box(part);
    const x = (left + right) / 2;
    const y = (top + bottom) / 2;
    const most = (right - left) * (bottom - top) > 0.9 * rect.width * rect.height;
    if (right - left < 2 || bottom - top < 2 || !most) continue;
    if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) continue;
    const hit = document.elementFromPoint(x, y);
    const own =
      hit !== null && (part.contains(hit) || hit.contains(part) || hit.closest('label')?.contains(part));
    if (!own && !isSticky(hit) && style(part).pointerEvents !== 'none')
      faults.add(`${called(part)} is under ${hit ? called(hit) : 'nothing'}`);
  }

  // No two texts are drawn over each other.
  const texts: { part: Element; rect: { left: number; right: number; top: number; bottom: number } }[] = [];
  const walker = document.createTreeWalker(layer, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const part = node.parentElement;
    if (!part || !node.textContent?.trim() || unseen(part)) continue;
    // What sticks has others go by under it.
    if (isSticky(part)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const line of [...range.getClientRects()].slice(0, 4)) {
      const rect = box(node.parentElement ?? part, line);
      // Its own element may cut it, too.
      if (style(part).overflowX !== 'visible') {
        const own = part.getBoundingClientRect();
        rect.left = Math.max(rect.left, own.left);
        rect.right = Math.min(rect.right, own.right);
        rect.bottom = Math.min(rect.bottom, own.bottom);
      }
      if (rect.right - rect.left > 2 && rect.bottom - rect.top > 4) texts.push({ part, rect });
    }
  }
  texts.sort((a, b) => a.rect.top - b.rect.top);
  for (const [n, { part, rect }] of texts.entries()) {
    for (let m = n + 1; m < texts.length; m++) {
      const other = texts[m];
      if (!other || other.rect.top > rect.bottom) break;
      if (other.part === part) continue;
      const across = Math.min(rect.right, other.rect.right) - Math.max(rect.left, other.rect.left);
      const down = Math.min(rect.bottom, other.rect.bottom) - Math.max(rect.top, other.rect.top);
      if (across > 3 && down > 0.5 * Math.min(rect.bottom - rect.top, other.rect.bottom - other.rect.top))
        faults.add(`${called(part)} is drawn over ${called(other.part)}`);
    }
  }
  return [...faults];
}
