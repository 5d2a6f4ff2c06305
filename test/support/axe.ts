import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Result {
  violations: { id: string; nodes: { target: unknown[]; html: string; failureSummary?: string }[] }[];
}

/** What axe finds wrong with the page as it is now, or with what is within a selector, one text for each place. Empty: nothing. */
export async function bad(page: Page, within?: string): Promise<string[]> {
  await page.evaluate(source);
  return page.evaluate(async (selector) => {
    const { axe } = window as unknown as { axe: { run(where: unknown, options: unknown): Promise<Result> } };
    const { violations } = await axe.run(selector === undefined ? document : { include: [selector] }, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, html, failureSummary }) =>
        [id, target.join(' '), html.slice(0, 120), failureSummary].join(': '),
      ),
    );
  }, within);
}
