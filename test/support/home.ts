import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/**
 * Holdfast's own folders for each file of tests and all that it starts: nothing that a test does reads or writes the
 * settings, keys and runs of the person who runs the tests. HOME stays where it is not needed: a browser may be allowed
 * there only.
 */
const home = mkdtempSync(join(tmpdir(), 'holdfast-home-'));

const NAMES: Partial<Record<NodeJS.Platform, Record<string, string>>> = {
  darwin: { HOME: '.' },
  win32: { LOCALAPPDATA: 'local', APPDATA: 'roaming' },
};
const XDG = { XDG_STATE_HOME: 'state', XDG_CONFIG_HOME: 'config', XDG_CACHE_HOME: 'cache' };
for (const [name, folder] of Object.entries(NAMES[process.platform] ?? XDG))
  process.env[name] = join(home, folder);

afterAll(() => {
  try {
    rmSync(home, { recursive: true, force: true });
  } catch {
    // What a test left running writes there; it is in the temporary folder.
  }
});
