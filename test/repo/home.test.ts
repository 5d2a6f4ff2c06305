import { existsSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join, relative } from 'node:path';
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { agentParts } from '../../src/main/parts';
import { folders } from '../../src/main/settings/paths';
import config from '../../vitest.config';

const inside = (folder: string, path: string): boolean => !relative(folder, path).startsWith('..');

describe('Tests', () => {
  it('and what they start have folders of their own, never those of the person who runs them', () => {
    const home = userInfo().homedir;
    const usual = folders({}, process.platform, home);
    const { state, config: settings, cache, runs } = folders();
    for (const path of [state, settings, cache, runs]) {
      expect(inside(tmpdir(), path), path).toBe(true);
      for (const one of Object.values(usual)) expect(inside(one as string, path), path).toBe(false);
    }
    const script = 'console.log(process.env.XDG_STATE_HOME ?? process.env.LOCALAPPDATA ?? process.env.HOME)';
    const started = execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' }).trim();
    expect(inside(started, state)).toBe(true);
  });

  it('write the key of this machine there', () => {
    agentParts().witness!.mac('a text');
    expect(existsSync(join(folders().state, 'machine.key'))).toBe(true);
  });

  it('have them in every lane', () => {
    const { projects = [] } = (config as { test?: { projects?: unknown[] } }).test ?? {};
    expect(projects).toHaveLength(4);
    for (const project of projects)
      expect(project).toMatchObject({ test: { setupFiles: ['test/support/home.ts'] } });
  });
});
