import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Page, WebSocketRoute } from 'playwright';
import { electron, need } from '../support/prerequisites';
import { ask } from '../support/door';
import { cleanUp, onEveryDoor, start, type Started } from './harness';
import { onOneStart } from './one-start';
import {
  composer,
  conversation,
  openRow,
  question,
  ready as shown,
  say,
  startChat,
  status,
  toolRuns,
} from './steps';

/** The window is there, and knows with which profile a chat would start. */
async function ready(page: Page): Promise<void> {
  await shown(page);
  const profile = page.getByRole('button', { name: /Practice/ }).first();
  await profile.or(page.locator('main header h1')).first().waitFor();
}

/** A machine at work may take its time. */
const eventually = <T>(read: () => T | Promise<T>) => expect.poll(read, { timeout: 30_000 });

onOneStart('the window', (app) => {
  it('opens to a composer, with nothing refused by its own policy', async () => {
    const { page } = app();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (line) => line.type() === 'error' && errors.push(line.text()));
    await page.reload();
    await ready(page);
    expect(await page.title()).toContain('Holdfast');
    expect(errors).toEqual([]);
  });

  it('shows a stream from its beginning after a reload in the middle of it', async () => {
    const started = app();
    const { page } = started;
    await ready(page);
    await startChat(started, 'slowly long 12');
    await status(page, 'Running');
    await eventually(async () => (await conversation(page).innerText()).length).toBeGreaterThan(60);
    await page.reload();
    await ready(page);
    await openRow(page, 'slowly long 12');
    await status(page, 'Your turn');
    const live = await conversation(page).innerText();
    await page.reload();
    await ready(page);
    await openRow(page, 'slowly long 12');
    await status(page, 'Your turn');
    await eventually(() => conversation(page).innerText()).toBe(live);
  });
});

onOneStart('the address of the window', (app) => {
  it('names what is shown: a reload opens it again, Back and Forward lead where they led', async () => {
    const { page } = app();
    await startChat(app(), 'say addresses');
    await status(page, 'Your turn');
    const run = page.url();
    expect(new URL(run).hash).toMatch(/^#\/run\/\w+\/chat$/);
    await page.getByRole('button', { name: 'Transcript' }).click();
    await page.getByRole('button', { name: 'New chat' }).first().click();
    await page.getByRole('heading', { name: 'What should it work on?' }).waitFor();
    expect(new URL(page.url()).hash).toBe('');
    await page.goBack();
    await page.getByRole('region', { name: 'Transcript' }).waitFor();
    await page.goBack();
    await page.getByRole('region', { name: 'Conversation' }).waitFor();
    expect(page.url()).toBe(run);
    await page.reload();
    await page.getByRole('region', { name: 'Conversation' }).getByText('addresses').first().waitFor();
    expect(await page.title()).toBe('say addresses – Holdfast');
    await page.goForward();
    await page.getByRole('region', { name: 'Transcript' }).waitFor();
  });

  it('of a private chat tells nothing of it to the history of the browser', async () => {
    const { page } = app();
    await startChat(app(), 'say hush', { hidden: true });
    await eventually(() => page.title()).toBe('Private chat – Holdfast');
    expect(page.url()).not.toContain('hush');
  });
});

/** A page with the events of an input method, in the order of a browser. Without a real one they are made by hand. */
async function compose(page: Page, order: 'Chromium' | 'Safari', key: 'Enter' | 'Escape'): Promise<void> {
  await page.evaluate(
    ([safari, name]) => {
      const field = document.activeElement;
      const code = name === 'Enter' ? 13 : 27;
      const press = (isComposing: boolean) =>
        field?.dispatchEvent(
          new KeyboardEvent('keydown', {
            key: name,
            code: name,
            keyCode: safari ? 229 : code,
            isComposing,
            bubbles: true,
            cancelable: true,
          } as KeyboardEventInit),
        );
      const tell = (type: string) =>
        field?.dispatchEvent(new CompositionEvent(type, { data: 'に', bubbles: true }));
      tell('compositionstart');
      tell('compositionupdate');
      if (!safari) press(true);
      tell('compositionend');
      if (safari) press(false);
    },
    [order === 'Safari', key] as const,
  );
}

onOneStart(
  'an input method',
  (app) => {
    it.each(['Chromium', 'Safari'] as const)('ends a composition without effect, as in %s', async (order) => {
      const { page } = app();
      await composer(page).fill('日本');
      await compose(page, order, 'Enter');
      expect(await composer(page).inputValue()).toBe('日本');
      await page.keyboard.press('Control+Shift+F');
      const search = page.getByRole('textbox', { name: 'Search all text' });
      await search.fill('abc');
      await compose(page, order, 'Escape');
      expect(await search.inputValue()).toBe('abc');
      expect(await search.isVisible()).toBe(true);
      // A layer over the window.
      await page.keyboard.press('Control+k');
      const commands = page.getByRole('dialog');
      await commands.getByRole('combobox').or(commands.getByRole('textbox')).first().fill('new');
      await compose(page, order, 'Escape');
      await compose(page, order, 'Enter');
      expect(await commands.isVisible()).toBe(true);
      // The same keys do their work once nothing is composed.
      await page.keyboard.press('Escape');
      await commands.waitFor({ state: 'detached' });
    });
  },
  ['browser door'],
);

describe('the window', () => {
  afterEach(cleanUp);
  it('is proved on real Electron where its binary is', async (context) => {
    need(context, electron(), 'real Electron', 'its binary is not on this machine');
    const started = await start('real Electron');
    await ready(started.page);
    await startChat(started, 'say pears');
    await status(started.page, 'Your turn');
  });
});

/** The WebSocket of a page, in the hand of the test. */
async function heldLine(
  page: Page,
): Promise<{ lines: WebSocketRoute[]; cut(): Promise<void>; refuse(yes: boolean): void }> {
  const lines: WebSocketRoute[] = [];
  let refused = false;
  await page.routeWebSocket('**/ws', (line) => {
    if (refused) {
      void line.close();
      return;
    }
    lines.push(line);
    line.connectToServer();
  });
  return {
    lines,
    cut: async () => {
      await lines.at(-1)?.close();
    },
    refuse: (yes) => (refused = yes),
  };
}

const journals = (started: Started) => {
  const names = readdirSync(started.home.runs).filter((name) => /^\w+\.json$/.test(name));
  return names.map((name) => readFileSync(join(started.home.runs, name), 'utf8'));
};

onEveryDoor(
  'the browser door',
  (startHere) => {
    it('comes back after its line was cut, again and again, without losing or doubling a word', async () => {
      const started = await startHere();
      const { page } = started;
      await ready(page);
      const line = await heldLine(page);
      await page.reload();
      await ready(page);
      await startChat(started, 'slowly long 40');
      for (let cuts = 0; cuts < 4; cuts++) {
        const before = line.lines.length;
        await eventually(async () => (await conversation(page).innerText()).length).toBeGreaterThan(
          60 * (cuts + 1),
        );
        await line.cut();
        await eventually(() => line.lines.length).toBeGreaterThan(before);
      }
      await status(page, 'Your turn');
      const live = await conversation(page).innerText();
      await page.reload();
      await ready(page);
      await openRow(page, 'slowly long 40');
      await status(page, 'Your turn');
      await eventually(() => conversation(page).innerText()).toBe(live);
      expect(journals(started).length).toBe(1);
    });

    it('keeps working while nobody can reach it, and shows what happened meanwhile', async () => {
      const started = await startHere();
      const { page } = started;
      await ready(page);
      const line = await heldLine(page);
      await page.reload();
      await ready(page);
      await startChat(started, 'wait 5', { folder: started.home.files });
      await toolRuns(page, 'wait');
      line.refuse(true);
      await line.cut();
      await eventually(() => journals(started)[0] ?? '').toContain('end_turn');
      line.refuse(false);
      await status(page, 'Your turn');
      await say(page, 'say pears');
      await conversation(page).getByText('pears').last().waitFor();
    });

    it('shows one run in two windows, and both may speak', async () => {
      const started = await startHere();
      await ready(started.page);
      await startChat(started, 'say one');
      await status(started.page, 'Your turn');
      const other = await started.another();
      await ready(other);
      await openRow(other, 'say one');
      await say(other, 'say two');
      await conversation(started.page).getByText('say two').first().waitFor();
      await say(started.page, 'say three');
      await conversation(other).getByText('say three').first().waitFor();
      expect(journals(started).length).toBe(1);
    });

    it('opens once by its link, gives another when it is asked where it runs, and lets nobody else in', async () => {
      const started = await startHere();
      await ready(started.page);
      const [, used = ''] = /(http:\S+token=\S+)/.exec(started.output()) ?? [];
      const url = new URL(used);
      expect((await ask(url.host, url.pathname + url.search)).status).toBe(403);
      started.type('');
      await eventually(() => started.output().match(/http:\S+token=\S+/g)?.length).toBe(2);
      const fresh = new URL(started.output().match(/http:\S+token=\S+/g)?.[1] ?? '');
      const stranger = await started.page.context().browser()?.newContext();
      const page = await stranger?.newPage();
      await page?.goto(url.origin);
      expect(await page?.innerText('body')).toContain('Open Holdfast with the link that it printed');
      await page?.goto(fresh.href);
      if (page) await ready(page);
      expect(page?.url()).toBe(`${url.origin}/`);
      await stranger?.close();
    });

    it('pauses what runs when it is told to end, and ends', async () => {
      const started = await startHere();
      await ready(started.page);
      await startChat(started, 'wait 60', { folder: started.home.files });
      await toolRuns(started.page, 'wait');
      await started.stop();
      expect(journals(started)[0]?.trimEnd().split('\n').at(-1)).toContain('suspended');
      expect(started.output()).toContain('Pausing “wait 60”');
    });

    it('asks in the window before it talks to a new address; no script of the window can answer', async () => {
      const started = await startHere();
      const { page } = started;
      await ready(page);
      await page.getByRole('region', { name: 'Models' }).getByRole('button', { name: 'Add a model' }).click();
      await page.evaluate(
        () =>
          new Promise<void>((resolve) => {
            const socket = new WebSocket(`ws://${location.host}/ws`);
            const profile = {
              name: 'Far',
              provider: 'openai',
              model: 'm',
              endpoint: 'https://models.example/v1',
            };
            socket.onopen = () => {
              socket.send(
                JSON.stringify({ kind: 'call', call: 1, name: 'profiles.save', input: { profile } }),
              );
              resolve();
            };
          }),
      );
      const frame = page.locator('iframe[title="Question"]');
      await frame.waitFor();
      await question(page).getByRole('heading', { name: 'Let Holdfast talk to models.example?' }).waitFor();
      await question(page).getByText('Address: https://models.example').waitFor();
      const attempts = await page.evaluate(async () => {
        const shown = document.querySelector<HTMLIFrameElement>('iframe[title="Question"]');
        const tries: Record<string, string> = {};
        const attempt = async (name: string, run: () => unknown) => {
          try {
            const result = await run();
            tries[name] =
              result instanceof Response && result.type !== 'opaque'
                ? String(result.status)
                : result
                  ? 'done'
                  : 'nothing';
          } catch {
            tries[name] = 'refused';
          }
        };
        const url = shown?.src ?? '';
        await attempt('look into the frame', () => shown?.contentDocument?.body.innerHTML);
        await attempt('press in the frame', () =>
          shown?.contentWindow?.document.getElementById('yes')?.click(),
        );
        await attempt('read the page', () => fetch(url));
        await attempt('post an answer', () => fetch(url, { method: 'POST', mode: 'no-cors', body: '{}' }));
        return tries;
      });
      expect(new Set(Object.values(attempts))).toEqual(new Set(['nothing', 'refused']));
      expect(existsSync(join(started.home.config, 'profiles.yaml'))).toBe(false);
      // Covered by something, it can't be pressed: a script must not put other words over it.
      const allow = question(page).getByRole('button', { name: 'Allow', exact: true });
      await eventually(() => allow.isEnabled()).toBe(true);
      await page.evaluate(() => {
        const cover = document.createElement('div');
        cover.id = 'cover';
        cover.textContent = 'Win a prize';
        document.querySelector('dialog[open]')?.append(cover);
        const sheet = new CSSStyleSheet();
        sheet.replaceSync('#cover { position: fixed; inset: 0; pointer-events: none; background: white }');
        document.adoptedStyleSheets = [sheet];
      });
      await eventually(() => allow.isEnabled()).toBe(false);
      await page.evaluate(() => document.getElementById('cover')?.remove());
      await allow.click();
      await frame.waitFor({ state: 'detached' });
      await eventually(() => existsSync(join(started.home.config, 'profiles.yaml'))).toBe(true);

      // Remembered, to be looked at and taken back.
      await page.getByRole('button', { name: 'Settings' }).click();
      await page.getByRole('menuitem', { name: 'Permissions' }).click();
      await page.getByRole('list', { name: 'Addresses' }).getByText('https://models.example').waitFor();
      await page.getByRole('button', { name: 'Remove permission for https://models.example' }).click();
      await page.getByText('You haven’t allowed any other address.').waitFor();
    });

    it('asks where it runs before it talks to a new place, and takes no for an answer', async () => {
      const started = await startHere();
      await ready(started.page);
      const [line = ''] = await Promise.all([
        expect
          .poll(() => /Let Holdfast talk to (\S+)\?/.exec(started.output())?.[1], { timeout: 20_000 })
          .toBe('models.example')
          .then(() => started.output()),
        started.page.evaluate(
          () =>
            new Promise<void>((resolve) => {
              const socket = new WebSocket(`ws://${location.host}/ws`);
              const profile = {
                name: 'Remote',
                provider: 'openai',
                model: 'm',
                endpoint: 'https://models.example/v1',
              };
              socket.onopen = () => {
                socket.send(
                  JSON.stringify({ kind: 'call', call: 1, name: 'profiles.save', input: { profile } }),
                );
                resolve();
              };
            }),
        ),
      ]);
      expect(line).toContain('Address: https://models.example');
      started.type('no');
      await eventually(() => started.output()).toContain('Not allowed.');
      expect(readdirSync(started.home.path).includes('.config')).toBe(false);
    });

    it('stays what it is when the composer holds a draft and everything is killed', async () => {
      const started = await startHere();
      await ready(started.page);
      await composer(started.page).fill('half a thought');
      await eventually(() => {
        try {
          return readdirSync(join(started.home.state, 'drafts')).filter((name) => name.endsWith('.json'))
            .length;
        } catch {
          return 0;
        }
      }).toBe(1);
      await started.kill();
      const again = await started.restart();
      await ready(again.page);
      await eventually(() => composer(again.page).inputValue()).toBe('half a thought');
    });
  },
  ['browser door'],
);
