import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium as playwright } from 'playwright';
import { expect, it } from 'vitest';
import { fileStore } from '../../src/main/journal/file';
import { exportRuns } from '../../src/main/library/export';
import { bad } from '../support/axe';
import { CHROMIUM_FLAGS } from '../support/chromium-flags.mjs';
import { tempFolder } from '../support/folder';
import { bringRich } from '../support/histories';
import { chromium } from '../support/prerequisites';
import { picture } from './harness';

it('an exported page is read without script, light and dark, folded, and prints unfolded', async () => {
  const folder = tempFolder();
  const store = fileStore(join(folder, 'runs'));
  await bringRich(store);
  const out = join(folder, 'page.html');
  await exportRuns(store, ['rich'], { format: 'html', out });
  const browser = await playwright.launch({ executablePath: chromium() ?? '', args: CHROMIUM_FLAGS });
  try {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(pathToFileURL(out).href);
    const folded = page.getByText('four ticks');
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await folded.isVisible()).toBe(false);
    await page
      .getByText(/^Result, \d+ lines?$/)
      .first()
      .click();
    expect(await folded.isVisible()).toBe(true);
    await page.reload();
    const grounds = new Set<string>();
    for (const colorScheme of ['light', 'dark'] as const)
      for (const [width, height] of [
        [1280, 800],
        [900, 600],
      ] as const) {
        await page.setViewportSize({ width, height });
        await page.emulateMedia({ colorScheme });
        await picture(page, `exported-page-${width}-${colorScheme}`);
        grounds.add(await page.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor));
        const wide = await page.locator('html').evaluate((root) => root.scrollWidth - root.clientWidth);
        expect([width, colorScheme, wide]).toEqual([width, colorScheme, 0]);
      }
    expect(grounds.size).toBe(2);
    // On paper nothing can be unfolded, and a dark ground costs ink.
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    for (const text of ['four ticks', 'Let me think', 'the whole text', 'first answer'])
      expect([text, await page.getByText(text).first().isVisible()]).toEqual([text, true]);
    expect(await page.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor)).toBe(
      'rgb(255, 255, 255)',
    );
    const height = async (text: string) => (await page.getByText(text).first().boundingBox())?.height ?? 0;
    expect(await height('four ticks')).toBeGreaterThan(10);
    expect((await page.pdf()).length).toBeGreaterThan(10_000);
    expect(asked.every((url) => url.startsWith('file:'))).toBe(true);
    await context.close();

    const scripted = await browser.newContext({ bypassCSP: true });
    const other = await scripted.newPage();
    await other.goto(pathToFileURL(out).href);
    for (const colorScheme of ['light', 'dark'] as const) {
      await other.emulateMedia({ colorScheme });
      expect([colorScheme, await bad(other)]).toEqual([colorScheme, []]);
    }
  } finally {
    await browser.close();
  }
});
