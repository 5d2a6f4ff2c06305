import { describe, expect, it } from 'vitest';
import { folders } from '../../../src/main/settings/paths';

describe('Folders of a person’s Holdfast', () => {
  it('are those that XDG names on Linux', () => {
    const env = { XDG_STATE_HOME: '/s', XDG_CONFIG_HOME: '/c', XDG_CACHE_HOME: '/k' };
    expect(folders(env, 'linux', '/home/a')).toEqual({
      state: '/s/holdfast',
      config: '/c/holdfast',
      cache: '/k/holdfast',
      runs: '/s/holdfast/runs',
    });
  });

  it('are the customary ones where XDG names none', () => {
    expect(folders({}, 'linux', '/home/a')).toEqual({
      state: '/home/a/.local/state/holdfast',
      config: '/home/a/.config/holdfast',
      cache: '/home/a/.cache/holdfast',
      runs: '/home/a/.local/state/holdfast/runs',
    });
  });

  it('never follow a relative path, which would lead into whatever folder one happens to be in', () => {
    for (const relative of ['', '.', 'state', './state', '../x'])
      expect(folders({ XDG_STATE_HOME: relative }, 'linux', '/home/a').runs).toBe(
        '/home/a/.local/state/holdfast/runs',
      );
  });

  it('are Application Support and Caches on macOS', () => {
    expect(folders({}, 'darwin', '/Users/a')).toMatchObject({
      runs: '/Users/a/Library/Application Support/Holdfast/runs',
      cache: '/Users/a/Library/Caches/Holdfast',
    });
  });

  it('are LOCALAPPDATA and APPDATA on Windows', () => {
    const env = { LOCALAPPDATA: 'C:\\Users\\a\\L', APPDATA: 'C:\\Users\\a\\R' };
    expect(folders(env, 'win32', 'C:\\Users\\a')).toEqual({
      state: 'C:\\Users\\a\\L\\Holdfast',
      config: 'C:\\Users\\a\\R\\Holdfast',
      cache: 'C:\\Users\\a\\L\\Holdfast\\Cache',
      runs: 'C:\\Users\\a\\L\\Holdfast\\runs',
    });
    expect(folders({}, 'win32', 'C:\\Users\\a').runs).toBe('C:\\Users\\a\\AppData\\Local\\Holdfast\\runs');
  });
});
