import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { encodeLine } from '../../src/shared/run/codec';
import { chatRecords } from '../support/journal-records';
import { built, project } from '../support/prerequisites';
import { makeHome, onEveryDoor, type Home } from './harness';
import { ready, until } from './steps';

/** Starts the app once more for the same person and resolves to its exit code. */
const startAgain = (home: Home, ...words: string[]): Promise<number | null> =>
  new Promise((resolve) => {
    const standIn = join(project, 'test', 'support', 'electron-standin.mjs');
    spawn(process.execPath, ['--import', standIn, built('main/index.js') ?? '', ...words], {
      env: {
        ...process.env,
        HOME: home.path,
        XDG_STATE_HOME: join(home.path, '.local', 'state'),
        HOLDFAST_STANDIN_SECOND: '1',
      },
      stdio: 'ignore',
    }).once('close', resolve);
  });

const journal = (folder: string, id: string) => {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const data = Buffer.concat(chatRecords(id, 4, `words of ${id}`).map(encodeLine));
  writeFileSync(join(folder, `${id}.json`), data, { mode: 0o600 });
};

onEveryDoor(
  'a second start',
  (start) => {
    it('brings the window up from wherever it is, with the run that it names, of whatever store', async () => {
      const home = makeHome();
      const office = join(home.path, 'office');
      journal(home.runs, 'here-1');
      journal(home.runs, 'there-0');
      journal(office, 'there-1');
      mkdirSync(home.config, { recursive: true });
      writeFileSync(
        join(home.config, 'stores.yaml'),
        JSON.stringify({ stores: [{ name: 'office', url: `file:${office}` }] }),
      );
      // The first start may name one too.
      const started = await start({ home, args: ['--run=there-0'] });
      await started.page.getByText('words of there-0').first().waitFor();
      for (const words of [['--run', 'here-1'], ['--run=office.there-1']]) {
        await started.system('minimize');
        expect(await started.system('looked')).toMatchObject({ focused: false, minimized: true });
        expect(await startAgain(home, ...words)).toBe(0);
        await until(() => started.system('looked')).toEqual({
          visible: true,
          focused: true,
          minimized: false,
        });
        const shown = /there|here/.exec(words.join(' '))?.[0] ?? '';
        await started.page.getByText(`words of ${shown}-1`).first().waitFor();
      }
      // One that names no run, or none that could be, only brings the window up.
      await started.system('minimize');
      expect(await startAgain(home, '--run=../../etc/passwd')).toBe(0);
      await until(() => started.system('looked')).toEqual({ visible: true, focused: true, minimized: false });
      await started.page.getByText('words of there-1').first().waitFor();
      expect(await started.system('windows')).toBe(1);
    });
  },
  ['stand-in'],
);

onEveryDoor(
  'a first start',
  (start) => {
    it('shows the run that it names, and nothing of its own for one that cannot be', async () => {
      const home = makeHome();
      journal(home.runs, 'there-0');
      const started = await start({ home, args: ['--run', 'there-0'] });
      await started.page.getByText('words of there-0').first().waitFor();
      await started.stop();
      const again = await started.restart({ args: ['--run=../../etc/passwd'] });
      await ready(again.page);
      expect(await again.page.getByRole('heading', { name: 'there-0' }).count()).toBe(0);
    });
  },
  ['browser door'],
);
