import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright';
import { conversation, rows, until } from './steps';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Every view and state, and how a person gets there. */
export const VIEWS: [name: string, go: (page: Page) => Promise<void>][] = [
  ['first-minute', async () => undefined],
  [
    'folder-menu',
    async (page) => {
      await page.getByRole('button', { name: 'Choose a folder' }).click();
      await page.getByRole('menuitem', { name: 'Choose a folder…' }).waitFor();
    },
  ],
  [
    'folder-picker',
    async (page) => {
      await page.getByRole('button', { name: 'Choose a folder' }).click();
      await page.getByRole('menuitem', { name: 'Choose a folder…' }).click();
      await page.getByRole('option', { name: 'Downloads', exact: true }).waitFor();
    },
  ],
  ['waiting', (page) => open(page, 'Clean up downloads')],
  [
    'refusing',
    async (page) => {
      await open(page, 'Clean up downloads');
      await page.getByRole('button', { name: 'Don’t allow…' }).click();
      await page.getByLabel('What should it do instead?').waitFor();
    },
  ],
  ['running', (page) => open(page, 'Rename photos')],
  ['resume', (page) => open(page, 'Quarterly report', 'Before this run goes on')],
  [
    'resume-answers',
    async (page) => {
      await open(page, 'Quarterly report', 'Before this run goes on');
      await page.getByRole('radio', { name: /^Say what happened/ }).check();
    },
  ],
  ['resume-unchanged', (page) => open(page, 'Trip planning', 'Before this run goes on')],
  ['your-turn', (page) => open(page, 'Summarise meeting notes')],
  ['damaged', (page) => open(page, 'Old import', 'This run is damaged')],
  ['never-started', (page) => open(page, 'Untitled', 'This run never started')],
  ['failed', (page) => open(page, 'Translate the manual')],
  ['finished', (page) => open(page, 'Compare two contracts')],
  [
    'transcript',
    async (page) => {
      await open(page, 'Compare two contracts');
      await page.getByRole('button', { name: 'Transcript' }).click();
      await page.getByRole('button', { name: 'Unfold thinking' }).click();
      await page.getByRole('button', { name: 'Unfold tool output' }).click();
    },
  ],
  [
    'find',
    async (page) => {
      await open(page, 'Compare two contracts');
      await page.keyboard.press('Control+f');
      await page.keyboard.type('file');
      await page.getByText(/^1 of/).waitFor();
    },
  ],
  [
    'record',
    async (page) => {
      await open(page, 'Compare two contracts');
      await page.getByRole('button', { name: /on disk, record/ }).click();
      await page.getByLabel('Record as JSON').waitFor();
    },
  ],
  [
    'run-menu',
    async (page) => {
      await open(page, 'Compare two contracts');
      await page.getByRole('button', { name: 'More', exact: true }).click();
      await page.getByRole('menuitem', { name: /^Delete/ }).waitFor();
    },
  ],
  [
    'profiles',
    async (page) => {
      await page.keyboard.press('Control+,');
      await page.getByRole('main').getByRole('button', { name: /^Work/ }).waitFor();
    },
  ],
  [
    'profile-editor',
    async (page) => {
      await page.keyboard.press('Control+,');
      await page.getByRole('main').getByRole('button', { name: /^Work/ }).click();
      await page.getByRole('heading', { name: 'Work' }).waitFor();
    },
  ],
  [
    'palette',
    async (page) => {
      await page.keyboard.press('Control+k');
      await page
        .getByRole('dialog')
        .getByRole('option', { name: /Clean up downloads/ })
        .waitFor();
    },
  ],
  [
    'shortcuts',
    async (page) => {
      await page.keyboard.press('Control+/');
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    },
  ],
  [
    'settings-menu',
    async (page) => {
      await page.getByRole('button', { name: 'Settings' }).click();
      await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).waitFor();
    },
  ],
];

/** Texts that are cut short and could be left scrolled, with their beginning out of sight. */
export const slidingTexts = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('*')]
      .filter((part) => getComputedStyle(part).textOverflow === 'ellipsis')
      .filter((part) => {
        const before = part.scrollLeft;
        part.scrollLeft = before + 1;
        const moved = part.scrollLeft !== before;
        part.scrollLeft = before;
        return moved;
      })
      .map((part) => part.textContent.slice(0, 40)),
  );

/** Controls and headings that a narrow window leaves no place for, and conversations that can be moved sideways. */
export const outside = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const seen = [...document.querySelectorAll('button, input, select, textarea, h1, h2')].filter((part) => {
      const { left, right, width } = part.getBoundingClientRect();
      return (
        width > 1 &&
        !part.closest('.sr, [aria-hidden="true"]') &&
        (right > window.innerWidth + 1 || left < -1)
      );
    });
    const scrollers = [
      ...document.querySelectorAll('[aria-label="Conversation"], [aria-label="Transcript"]'),
    ];
    const wide = scrollers.filter((part) => part.scrollWidth > part.clientWidth);
    return [...seen, ...wide].map((part) => part.getAttribute('aria-label') ?? part.textContent);
  });

export async function open(page: Page, title: string, heading?: string): Promise<void> {
  const found = rows(page).filter({ hasText: title });
  await page.getByRole('searchbox', { name: 'Filter by title' }).fill(title);
  // A row that is pressed while the others leave the list moves away under the pointer.
  await until(async () => (await rows(page).count()) - (await found.count())).toBe(0);
  await found.first().click();
  await page.getByRole('searchbox', { name: 'Filter by title' }).fill('');
  await page.locator('main header h1').waitFor();
  if (heading) await page.getByRole('heading', { name: heading }).waitFor();
  else await conversation(page).locator('[data-row]').first().waitFor();
}

/** What depends on colours and sizes; all else is the same in every look. */
const LOOK_RULES = ['color-contrast', 'link-in-text-block', 'target-size', 'scrollable-region-focusable'];
const ALL_RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** What axe finds wrong with the page as it is now: by all rules, or by those that another look of it can break. */
export async function axeProblems(page: Page, of: 'all' | 'look' = 'all'): Promise<string[]> {
  await page.evaluate(axeSource);
  const runOnly = of === 'all' ? { type: 'tag', values: ALL_RULES } : { type: 'rule', values: LOOK_RULES };
  return page.evaluate(async (runOnly) => {
    const { axe } = window as unknown as { axe: { run(options: unknown): Promise<AxeResult> } };
    const result = await axe.run({ runOnly, resultTypes: ['violations'] });
    return result.violations.map(
      ({ id, nodes }) =>
        `${id}: ${nodes.map((node) => `${node.target.join(' ')} ${node.failureSummary}`).join(' | ')}`,
    );
  }, runOnly);
}

interface AxeResult {
  violations: { id: string; nodes: { target: string[]; failureSummary: string }[] }[];
}
