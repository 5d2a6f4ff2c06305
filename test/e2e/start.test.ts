import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tempFolder } from '../support/folder';
import { built, need, project } from '../support/prerequisites';

describe('npm start', () => {
  it('opens the browser door where no window can be shown, says why in one line, and ends with its door', async (context) => {
    const serve = need(context, built('main/serve.js'), 'npm start', 'run `npm run build` first');
    const home = tempFolder();
    const env = {
      ...process.env,
      // What the other tests run on must not be built anew beneath them.
      HOLDFAST_OUT: join(serve, '..', '..'),
      HOME: home,
      XDG_STATE_HOME: join(home, 'state'),
      XDG_CONFIG_HOME: join(home, 'config'),
      XDG_CACHE_HOME: join(home, 'cache'),
      DISPLAY: '',
      WAYLAND_DISPLAY: '',
      BROWSER: 'true',
    };
    const child = spawn(process.execPath, ['scripts/start.mjs'], { cwd: project, env });
    onTestFinished(() => void child.kill('SIGKILL'));
    let stdout = '';
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    const address = await new Promise<string>((resolve, reject) => {
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        stdout += text;
        const found = /http:\/\/127\.0\.0\.1:\d+\/\S*/.exec(stdout);
        if (found) resolve(found[0]);
      });
      child.once('close', (code) => reject(new Error(`ended with ${code}: ${stdout}`)));
    });
    if (process.platform === 'linux')
      expect(stdout).toMatch(/^There is no display .* in the browser instead\.$/m);
    const page = await fetch(address, { redirect: 'manual' });
    expect(page.status).toBeLessThan(400);
    child.kill('SIGTERM');
    expect(await ended).not.toBeNull();
    await expect(fetch(address)).rejects.toThrow();
  });
});
