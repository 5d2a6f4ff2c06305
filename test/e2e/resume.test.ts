import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bad } from '../support/axe';
import { makeHome, onEveryDoor, picture, type Started } from './harness';
import {
  allow,
  badge,
  chooseFolder,
  composer,
  conversation,
  doors,
  openRow,
  practice,
  ready,
  resumeButton,
  say,
  startChat,
  status,
  toolRuns,
  writeProfiles,
  until,
} from './steps';

const lines = (started: Started, name: string) => {
  try {
    return readFileSync(join(started.home.files, name), 'utf8').split('\n').filter(Boolean);
  } catch {
    return [];
  }
};

/** Starts a chat whose tool is in the middle of its effect when everything is killed. */
async function killedInside(
  start: () => Promise<Started>,
  when: 'before' | 'after',
  meanwhile: (first: Started) => void = () => undefined,
): Promise<Started> {
  const first = await start();
  await ready(first.page);
  await startChat(first, 'append report.txt: total 4711 after 4', { folder: first.home.files });
  await allow(first.page);
  await toolRuns(first.page, 'append_file');
  if (when === 'after') await until(() => lines(first, 'report.txt').length).toBe(1);
  await first.kill();
  meanwhile(first);
  const again = await first.restart();
  await ready(again.page);
  await openRow(again.page, 'append report.txt');
  await again.page.getByRole('heading', { name: 'Before this run goes on' }).waitFor();
  return again;
}

const resume = (started: Started) => resumeButton(started.page);

onEveryDoor('a run that was killed inside a tool', (start, target) => {
  const name = target.replace(' ', '-');

  it('opens to the pre-flight, asks about the tool, and is skipped without a second effect', async () => {
    const { page, ...started } = await killedInside(() => start(), 'after');
    const all = { page, ...started };
    expect(await badge(page).textContent()).toContain('Interrupted');
    await page.getByText('One tool was running when it stopped').waitFor();
    expect(await resume(all).isDisabled()).toBe(true);
    await picture(page, `resume-unknown-${name}`);
    await page.getByRole('radio', { name: /^Skip it/ }).check();
    await resume(all).click();
    await status(page, 'Your turn');
    expect(lines(all, 'report.txt')).toEqual(['total 4711']);
    await picture(page, `resume-skipped-${name}`);
    await say(page, 'read report.txt');
    await conversation(page).getByText('total 4711').last().waitFor();
  });
});

// The doors differ in how the app ends and begins, which the test above shows on each; the rest is the window's.
onEveryDoor(
  'the pre-flight of a run that was killed',
  (start, target) => {
    const name = target.replace(' ', '-');

    it('of another computer begins with that, takes over neither folder nor call, and goes on as it is chosen here', async () => {
      // Another computer has another secret; its runs folder is the same, as in a synced one.
      const started = await killedInside(start, 'after', ({ home }) =>
        rmSync(join(home.path, '.local/state/holdfast/machine.key')),
      );
      const { page } = started;
      await page.getByRole('heading', { name: 'Another computer or program wrote this run' }).waitFor();
      await page.getByText('Nothing of that is used here.').waitFor();
      await page.getByRole('heading', { name: 'One open call came with this run' }).waitFor();
      expect(await resume(started).isDisabled()).toBe(true);
      expect([name, await bad(page)]).toEqual([name, []]);
      for (const [width, height, colorScheme] of [
        [900, 600, 'dark'],
        [1280, 800, 'light'],
      ] as const) {
        await page.setViewportSize({ width, height });
        await page.emulateMedia({ colorScheme });
        await picture(page, `resume-elsewhere-${width}-${colorScheme}`);
      }
      await page.getByRole('radio', { name: /^Don’t run it/ }).check();
      expect(await resume(started).isDisabled()).toBe(true);
      await page.getByRole('checkbox', { name: /^Use “Practice” and no folder/ }).check();
      await resume(started).click();
      await status(page, 'Your turn');
      expect(lines(started, 'report.txt')).toEqual(['total 4711']);
      await say(page, 'read report.txt');
      await conversation(page).getByText('No folder was chosen for this run').last().waitFor();
    });

    it('runs the tool again when told so, after asking for approval as always', async () => {
      const started = await killedInside(() => start(), 'after');
      const { page } = started;
      await page.getByRole('radio', { name: /^Run it again/ }).check();
      await resume(started).click();
      await conversation(page).waitFor();
      const button = page.getByRole('button', { name: 'Allow once' });
      await button.or(page.locator('article[data-state="running"]')).first().waitFor();
      if (await button.isVisible()) await allow(page);
      await status(page, 'Your turn');
      expect(lines(started, 'report.txt')).toEqual(['total 4711', 'total 4711']);
    });

    it('takes a person’s word for what happened', async () => {
      const started = await killedInside(() => start(), 'before');
      const { page } = started;
      await page.getByRole('radio', { name: /^Say what happened/ }).check();
      expect(await resume(started).isDisabled()).toBe(true);
      await page.getByRole('textbox', { name: 'What happened' }).fill('I wrote the line by hand.');
      await resume(started).click();
      await status(page, 'Your turn');
      await page.locator('article').filter({ hasText: 'I wrote the line by hand.' }).first().waitFor();
      expect(lines(started, 'report.txt')).toEqual([]);
    });

    it('shows a reply that was cut off as lost text, outside the conversation, and makes the call again', async () => {
      const first = await start({ env: { HOLDFAST_PRACTICE_SLOW: '20' } });
      await ready(first.page);
      await startChat(first, 'slowly, long 400 lines');
      await until(async () => (await conversation(first.page).innerText()).length).toBeGreaterThan(900);
      await first.kill();
      const again = await first.restart({ env: { HOLDFAST_PRACTICE_SLOW: '0' } });
      const { page } = again;
      await ready(page);
      await openRow(page, 'slowly, long 400 lines');
      await page.getByText(/A reply was cut off while it arrived/).waitFor();
      await page.getByRole('group', { name: 'View' }).getByRole('button', { name: 'Transcript' }).click();
      await page.getByRole('region', { name: 'Lost text' }).waitFor();
      await picture(page, `resume-lost-text-${name}`);
      await page.getByRole('group', { name: 'View' }).getByRole('button', { name: 'Resume' }).click();
      await resume(again).click();
      await status(page, 'Your turn');
    });

    it('just runs a read-only tool again', async () => {
      const first = await start();
      await ready(first.page);
      await chooseFolder(first, first.home.files);
      await composer(first.page).fill('wait 5, then list the files');
      await composer(first.page).press('Enter');
      // As soon as the tool is begun, which the window may show too late on a busy machine.
      await until(() =>
        readdirSync(first.home.runs)
          .filter((name) => name.endsWith('.aux.jsonl'))
          .map((name) => readFileSync(join(first.home.runs, name), 'utf8'))
          .join(),
      ).toContain('"intent"');
      await first.kill();
      const again = await first.restart();
      await ready(again.page);
      await openRow(again.page, 'wait 5');
      await again.page.getByText('The step that was under way').waitFor();
      await resume(again).click();
      await status(again.page, 'Your turn');
      await again.page.locator('article[data-state="ok"]').filter({ hasText: 'wait' }).waitFor();
    });
  },
  doors(),
);

onEveryDoor(
  'a configuration that changed',
  (start, target) => {
    const name = target.replace(' ', '-');
    const interrupted = async (profiles: Record<string, unknown>[]) => {
      const home = makeHome();
      writeProfiles(home, profiles, 'Mine');
      const first = await start({ home });
      await ready(first.page);
      await startChat(first, 'wait 60', { folder: home.files });
      await toolRuns(first.page, 'wait');
      await first.kill();
      return { home, first };
    };

    it('is shown side by side, refused, forced once, and not asked again', async () => {
      const { home, first } = await interrupted([practice('Mine')]);
      writeProfiles(
        home,
        [practice('Mine', { system_prompt: 'You are someone else.', limits: { max_iterations: 20 } })],
        'Mine',
      );
      const second = await first.restart();
      const { page } = second;
      await ready(page);
      await openRow(page, 'wait 60');
      const table = page.getByRole('table');
      await table.waitFor();
      expect(await table.locator('tr[data-changed="true"]').count()).toBe(2);
      const then = page.getByLabel('Prompt when the run was saved');
      expect(await then.locator('del').allTextContents()).toEqual(['work', 'with', 'files']);
      const now = page.getByLabel('Prompt now');
      await until(() => now.textContent()).toBe('You are someone else.');
      await table.getByText('The run may stop earlier.').waitFor();
      expect(
        await page
          .getByRole('button', { name: 'Resume', exact: true })
          .and(page.locator(':not([aria-pressed])'))
          .count(),
      ).toBe(0);
      await picture(page, `resume-drift-${name}`);
      await page.getByRole('button', { name: /^Force resume/ }).click();
      await toolRuns(page, 'wait');
      await page.getByText(/Resumed by force, 2 settings changed/).waitFor();
      await picture(page, `resume-seam-${name}`);
      await second.kill();

      const third = await second.restart();
      await ready(third.page);
      await openRow(third.page, 'wait 60');
      await third.page.getByRole('heading', { name: 'Before this run goes on' }).waitFor();
      await until(() => third.page.getByRole('button', { name: /^Force resume/ }).count()).toBe(0);
      await resume(third).click();
      await toolRuns(third.page, 'wait');
    });

    it('offers a profile that matches before force', async () => {
      const { home, first } = await interrupted([practice('Mine')]);
      writeProfiles(home, [practice('Mine', { system_prompt: 'Changed.' }), practice('Mine (May)')], 'Mine');
      const { page, ...rest } = await first.restart();
      await ready(page);
      await openRow(page, 'wait 60');
      await page.getByRole('button', { name: /Use “Mine \(May\)”, which matches/ }).click();
      await until(() => page.locator('tr[data-changed="true"]').count()).toBe(0);
      await resume({ page, ...rest }).click();
      await toolRuns(page, 'wait');
    });

    it('of the provider cannot be forced, and says why', async () => {
      const { home, first } = await interrupted([practice('Mine')]);
      writeProfiles(
        home,
        [
          {
            name: 'Mine',
            provider: 'openai',
            model: 'llama',
            endpoint: 'http://127.0.0.1:9/v1',
            tools: ['list_files'],
          },
        ],
        'Mine',
      );
      const { page } = await first.restart();
      await ready(page);
      await openRow(page, 'wait 60');
      await page.locator('tr[data-hard="true"]').waitFor();
      expect(await page.getByRole('button', { name: /^Force resume/ }).count()).toBe(0);
      await page.getByText('Another kind of service cannot read what this one recorded').waitFor();
      await picture(page, `resume-provider-${name}`);
    });

    it('of the endpoint is a question of its own, which Force does not answer', async () => {
      const service = (port: number, prompt: string) => ({
        name: 'Local',
        provider: 'openai',
        model: 'llama',
        endpoint: `http://127.0.0.1:${port}/v1`,
        system_prompt: prompt,
        tools: ['list_files'],
      });
      const home = makeHome();
      writeProfiles(home, [service(9, 'A')], 'Local');
      const first = await start({ home });
      await ready(first.page);
      await startChat(first, 'hello', { folder: home.files });
      await first.page
        .locator('main')
        .getByText(/127\.0\.0\.1:9/)
        .first()
        .waitFor({ timeout: 90_000 });
      await first.kill();
      writeProfiles(home, [service(10, 'B')], 'Local');
      const { page } = await first.restart();
      await ready(page);
      await openRow(page, 'hello');
      await page.getByRole('button', { name: 'Resume', exact: true }).first().click();
      await page.getByText('The conversation would go to another place').waitFor();
      const force = page.getByRole('button', { name: /^Force resume/ });
      expect(await force.isDisabled()).toBe(true);
      await picture(page, `resume-endpoint-${name}`);
      await page.getByLabel('Yes, send this conversation there').check();
      expect(await force.isDisabled()).toBe(false);
      expect(readdirSync(home.runs).some((file) => file.endsWith('.json') || file.endsWith('.jsonl'))).toBe(
        true,
      );
    });
  },
  doors(),
);
