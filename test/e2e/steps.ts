import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { FrameLocator, Locator, Page } from 'playwright';
import { TARGETS, type Home, type Started, type Target } from './harness';

/** What a person does in the window, by what they see: names, words and keys. */

/** Long specs run on one door in `npm test`, and on every one in `npm run soak`. */
export const doors = (): readonly Target[] => (process.env['HOLDFAST_SOAK'] ? TARGETS : ['browser door']);

/** Asks again and again until the answer is right: what happens in the window takes its time. */
export const until = <T>(get: () => T | Promise<T>): ReturnType<typeof expect.poll<T>> =>
  expect.poll(get, { timeout: 25_000 });

export const composer = (page: Page): Locator => page.locator('[data-composer]');
export const conversation = (page: Page): Locator =>
  page.getByRole('region', { name: /^(Conversation|Transcript)$/ });
export const badge = (page: Page): Locator => page.locator('main header [data-of]').first();
export const rows = (page: Page): Locator => page.locator('[data-run-row]');

/** The window is connected and shows its first view. */
export async function ready(page: Page): Promise<void> {
  await composer(page)
    .or(page.getByRole('heading', { level: 1 }))
    .first()
    .waitFor();
  await page
    .getByText(/\d+ runs?$/)
    .first()
    .waitFor();
  // A chat can be started only with a profile.
  await page.locator('[aria-label="Profile: none"]').waitFor({ state: 'detached' });
}

/** What was just changed (size, colours, a layer that opened) is drawn, and nothing that ends by itself still moves. */
export const settled = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    const frame = () => new Promise(requestAnimationFrame);
    await frame();
    await frame();
    const ending = document.getAnimations().filter((one) => {
      const { endTime } = one.effect?.getComputedTiming() ?? {};
      return one.playState === 'running' && Number(endTime) < Infinity;
    });
    await Promise.allSettled(ending.map((one) => one.finished));
    await frame();
  });

/** The page of a question, in its frame in the window (browser door). */
export const question = (page: Page): FrameLocator => page.frameLocator('iframe[title="Question"]');

/** Chooses a folder: in the window's own picker, or in the dialog of the system. */
export async function chooseFolder(started: Started, path: string): Promise<void> {
  const { page } = started;
  if (started.target === 'stand-in') await started.system('answer', { kind: 'openDialog', value: path });
  await page.getByRole('button', { name: /^(Choose a folder|Folder:)/ }).click();
  await page.getByRole('menuitem', { name: 'Choose a folder…' }).click();
  if (started.target === 'browser door') {
    const use = page.getByRole('button', { name: 'Use this folder' });
    // The list of the home folder may come in between and move what is pressed.
    await until(async () => {
      await page.getByRole('textbox', { name: 'Path' }).fill(path);
      await page.getByRole('textbox', { name: 'Path' }).press('Enter');
      await use.click({ timeout: 2_000 }).catch(() => undefined);
      return await use.isVisible();
    }).toBe(false);
    const allow = question(page).getByRole('button', { name: 'Allow', exact: true });
    const chosen = page.getByRole('button', { name: /^Folder:/ }).first();
    // Asked once for each folder; what is inside one that may be used needs no question.
    await until(async () => {
      if ((await page.locator('iframe[title="Question"]').count()) === 0) return await chosen.isVisible();
      await allow.click({ timeout: 5_000 }).catch(() => undefined);
      return false;
    }).toBe(true);
  }
  await page.getByRole('button', { name: /^Folder:/ }).waitFor();
}

/** Starts a new chat and waits until it is shown. */
export async function startChat(
  started: Started,
  text: string,
  options: { folder?: string; hidden?: boolean } = {},
) {
  const { page } = started;
  if (!(await page.getByRole('heading', { name: 'What should it work on?' }).isVisible())) {
    await page.getByRole('button', { name: 'New chat' }).first().click();
  }
  if (options.folder !== undefined) await chooseFolder(started, options.folder);
  if (options.hidden) await page.getByRole('button', { name: 'Private' }).click();
  await composer(page).fill(text);
  await composer(page).press('Enter');
  await page.locator('main header h1').waitFor();
  await conversation(page).waitFor();
}

export async function say(page: Page, text: string): Promise<void> {
  await composer(page).fill(text);
  await composer(page).press('Enter');
  await until(() => composer(page).inputValue()).toBe('');
}

/** Waits until the run that is shown is in a state, by its word. */
export async function status(page: Page, word: string | RegExp): Promise<void> {
  await page.locator('main header').getByText(word).first().waitFor();
}

/** Presses a button of an approval as a keyboard user does. */
export async function allow(
  page: Page,
  which: 'Allow once' | 'Allow for this run' = 'Allow once',
): Promise<void> {
  const button = page.getByRole('button', { name: which });
  await button.focus();
  await button.press('Space');
}

/** Opens a run from the list and waits until it is the one that is shown, not the one before it. */
export async function openRow(page: Page, title: string | RegExp): Promise<void> {
  const row = rows(page).filter({ hasText: title });
  await row.first().click();
  await row.and(page.locator('[aria-current="page"]')).first().waitFor();
  await page.locator('main header h1').filter({ hasNotText: 'Opening…' }).waitFor();
}

/** Writes the person's profile file. JSON is YAML too. */
export function writeProfiles(home: Home, profiles: Record<string, unknown>[], usual?: string): void {
  mkdirSync(home.config, { recursive: true });
  writeFileSync(
    join(home.config, 'profiles.yaml'),
    JSON.stringify({ ...(usual && { default: usual }), profiles }, null, 2),
  );
}

const TOOLS = ['list_files', 'read_file', 'search_text', 'file_stats', 'wait', 'write_file', 'append_file'];

/** A profile of the Practice model that a test may change. */
export const practice = (name: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  name,
  provider: 'practice',
  model: 'practice-1',
  system_prompt: 'You work with files.',
  tools: TOOLS,
  ...more,
});

/** Waits until a tool of the run that is shown is at work. */
export async function toolRuns(page: Page, tool: string): Promise<void> {
  await page.locator('article[data-state="running"]').filter({ hasText: tool }).waitFor();
}

/** The button that goes on; the switch of views has one of the same name. */
export const resumeButton = (page: Page): Locator =>
  page.getByRole('button', { name: 'Resume', exact: true }).and(page.locator(':not([aria-pressed])'));
