import { homedir } from 'node:os';
import { posix, win32 } from 'node:path';

/** Absolute folders of this person's Holdfast. None is ever the working directory, and none is made here. */
export interface Folders {
  /** What must not be lost: runs, drafts. */
  state: string;
  /** What a person edits: profiles, settings. */
  config: string;
  /** What can be computed again. */
  cache: string;
  /** The default store of runs. */
  runs: string;
}

/** Where things live by the customs of a platform. A relative path in the environment is ignored, as XDG demands. */
export function folders(
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
  home: string = homedir(),
): Folders {
  const path = platform === 'win32' ? win32 : posix;
  const pick = (name: string, ...otherwise: string[]): string => {
    const value = env[name];
    return value !== undefined && path.isAbsolute(value) ? value : path.join(home, ...otherwise);
  };
  const named = (state: string, config: string, cache: string): Folders => ({
    state,
    config,
    cache,
    runs: path.join(state, 'runs'),
  });
  if (platform === 'darwin') {
    const support = path.join(home, 'Library', 'Application Support', 'Holdfast');
    return named(support, support, path.join(home, 'Library', 'Caches', 'Holdfast'));
  }
  if (platform === 'win32') {
    const local = path.join(pick('LOCALAPPDATA', 'AppData', 'Local'), 'Holdfast');
    return named(
      local,
      path.join(pick('APPDATA', 'AppData', 'Roaming'), 'Holdfast'),
      path.join(local, 'Cache'),
    );
  }
  return named(
    path.join(pick('XDG_STATE_HOME', '.local', 'state'), 'holdfast'),
    path.join(pick('XDG_CONFIG_HOME', '.config'), 'holdfast'),
    path.join(pick('XDG_CACHE_HOME', '.cache'), 'holdfast'),
  );
}
