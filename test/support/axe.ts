import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Result {
  violations: { id: string; nodes: { target: unknown[]; html: string; failureSummary?: string }[] }[];
}

/**
 * What axe finds wrong with the page as it is now, or with what is within a selector, and what is squeezed so that it
 * cannot be seen; one text for each place. Empty: nothing.
 */
export async function bad(page: Page, within?: string): Promise<string[]> {
  await page.evaluate(source);
  return page.evaluate(async (selector) => {
    const { axe } = window as unknown as { axe: { run(where: unknown, options: unknown): Promise<Result> } };
    const { violations } = await axe.run(selector === undefined ? document : { include: [selector] }, {
      resultTypes: ['violations'],
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    });
    const found = violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, html, failureSummary }) =>
        [id, target.join(' '), html.slice(0, 120), failureSummary].join(': '),
      ),
    );
    // What scrolls gives way in a column until nothing of it is seen, which axe takes for seen.
    for (const element of document.querySelectorAll<HTMLElement>('body *')) {
      const { clientWidth, clientHeight, scrollHeight } = element;
      if (clientWidth < 24 || clientHeight >= 8 || scrollHeight < 40) continue;
      if (getComputedStyle(element).overflowY !== 'visible')
        found.push(`squeezed to ${clientHeight} of ${scrollHeight}: ${element.outerHTML.slice(0, 120)}`);
    }
    return found;
  }, within);
}
