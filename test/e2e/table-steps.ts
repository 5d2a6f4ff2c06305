import { existsSync, readdirSync } from 'node:fs';
import { expect } from 'vitest';
import type { Locator, Page } from 'playwright';
import { bad } from '../support/axe';
import { putManyRuns } from '../support/many-runs';
import { makeHome, picture, PICTURES, type Home, type Started } from './harness';
import { ready, settled } from './steps';

/** The table of all runs and the trash, by what a person sees of them. */

/** Size and colours of every picture. */
export const LOOKS = [
  [1280, 800, 'light'],
  [1280, 800, 'dark'],
  [900, 600, 'light'],
  [900, 600, 'dark'],
] as const;

export const filters = (page: Page): Locator => page.getByRole('search', { name: 'Filter the runs' });
export const cells = (page: Page): Locator => page.locator('[data-browse-row]');
export const line = (page: Page, title: string): Locator => cells(page).filter({ hasText: title });
export const total = (page: Page) => page.locator('main header [role="status"]').first().textContent();
export const chosen = (page: Page) =>
  page.getByRole('toolbar', { name: 'Selected runs' }).getByRole('status');
export const focused = (page: Page) =>
  page.evaluate(() => document.activeElement?.getAttribute('data-browse-row') ?? '');
export const journals = (folder: string) =>
  existsSync(folder) ? readdirSync(folder).filter((file) => /^[a-zA-Z0-9][\w-]*\.json$/.test(file)) : [];

export function populated(count: number): Home {
  const home = makeHome();
  putManyRuns(home.runs, count);
  return home;
}

export async function browse(page: Page): Promise<void> {
  await ready(page);
  await page.getByRole('button', { name: /^All runs/ }).click();
  await page.getByRole('grid', { name: 'Runs' }).waitFor();
  await cells(page).first().waitFor();
}

/** In each size and colour: a picture, and nothing that axe finds. */
export async function looks({ page }: Started, name: string, within?: string): Promise<void> {
  for (const [width, height, theme] of LOOKS) {
    // Colours differ by theme, what is there by size: two of the four see both.
    const checked = (width === 1280) === (theme === 'light');
    if (!checked && !PICTURES) continue;
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme: theme });
    await settled(page);
    await picture(page, `${name}-${width}x${height}-${theme}`);
    if (!checked) continue;
    expect([name, width, theme, await bad(page, within)]).toEqual([name, width, theme, []]);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.emulateMedia({ colorScheme: 'light' });
}
