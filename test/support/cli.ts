import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { holdfast } from '../../src/main/cli/program';
import type { Cli } from '../../src/main/cli/flags';
import { openNamed } from '../../src/main/journal/named';
import { agentParts } from '../../src/main/parts';
import { loadProfiles, PRACTICE, profileNamed } from '../../src/main/settings/profiles';
import type { Profile } from '../../src/main/settings/profile';
import { FileSecrets, noSeal } from '../../src/main/settings/secrets/file-secrets';
import { Keyring } from '../../src/main/settings/secrets/keyring';
import { Used } from '../../src/main/settings/used';
import { loadStores } from '../../src/main/settings/stores';
import { tempFolder } from './folder';
import { project } from './prerequisites';
import { testScreen } from './screen';
import type { TestScreen } from './screen';

export interface Ran extends TestScreen {
  exit: number;
}

/** The command in this process, on a store and a folder of its own, with the real parts behind it. */
export interface Workbench {
  home: string;
  runs: string;
  folder: string;
  /** `answers`: what a person at a terminal types; without, nobody is there. */
  run(
    words: string[],
    options?: { answers?: string[]; input?: string; env?: NodeJS.ProcessEnv; profile?: Partial<Profile> },
  ): Promise<Ran>;
}

/** Its runs are in `<temp>/runs`, its folder holds `in.txt` and is a working folder for tools. */
export function workbench(files: Record<string, string> = { 'in.txt': 'one\ntwo\n' }): Workbench {
  const home = tempFolder(
    Object.fromEntries(Object.entries(files).map(([name, text]) => [`folder/${name}`, text])),
  );
  const runs = join(home, 'runs');
  const folder = join(home, 'folder');
  const keysFile = join(home, 'keys.json');
  return {
    home,
    runs,
    folder,
    async run(words, { answers, profile, input, env = {} } = {}) {
      const screen = testScreen(answers, false, input);
      const cli: Cli = {
        screen,
        version: '0.0.0-test',
        parts: () => Promise.resolve(agentParts()),
        store: (word) => openNamed(word, { usual: `file:${runs}`, path: join(home, 'stores.yaml') }),
        keys: () =>
          Promise.resolve({ keyring: new Keyring(new FileSecrets(keysFile, noSeal)), file: keysFile, env }),
        storeEntry: async (name) =>
          (await loadStores(join(home, 'stores.yaml'))).stores.find((one) => one.name === name),
        used: () => Promise.resolve(new Used(join(home, 'state', 'profiles-used.json'))),
        profiles: () => loadProfiles(join(home, 'profiles.yaml')),
        profile: (name) =>
          profile
            ? Promise.resolve({ ...PRACTICE, ...profile })
            : profileNamed(name, join(home, 'profiles.yaml')),
      };
      return Object.assign(screen, { exit: await holdfast(words, cli) });
    },
  };
}

export interface Spawned {
  child: ChildProcessWithoutNullStreams;
  stdout(): string;
  stderr(): string;
  /** Resolves when stderr or stdout holds the text. */
  seen(text: string): Promise<void>;
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

const SOURCE = [process.execPath, '--import', 'tsx', join(project, 'src/main/cli.ts')];

/** The command in a process of its own, from source; `stdout`: a file that its output goes to. Killed when the test ends. */
export const spawnCommand = (words: string[], env: Record<string, string> = {}, stdout?: string): Spawned =>
  stdout === undefined
    ? watched(SOURCE, words, env)
    : watched(['/bin/sh', '-c', `exec "$0" "$@" > ${stdout}`, ...SOURCE], words, env);

/** The same at a terminal of its own: what is written to its input is typed there. stdout and stderr come as one. */
export function spawnAtTerminal(words: string[]): Spawned {
  const line = [...SOURCE, ...words].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  return watched(['script', '-qec', `exec ${line}`, '/dev/null'], [], {});
}

function watched([program = '', ...first]: string[], words: string[], env: Record<string, string>): Spawned {
  const child = spawn(program, [...first, ...words], { cwd: project, env: { ...process.env, ...env } });
  onTestFinished(() => void child.kill('SIGKILL'));
  let stdout = '';
  let stderr = '';
  const watchers = new Set<() => void>();
  const told = () => watchers.forEach((watcher) => watcher());
  child.stdout.setEncoding('utf8').on('data', (text: string) => ((stdout += text), told()));
  child.stderr.setEncoding('utf8').on('data', (text: string) => ((stderr += text), told()));
  child.stdin.on('error', () => {});
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal })),
  );
  return {
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    ended,
    seen: (text) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (!stdout.includes(text) && !stderr.includes(text)) return;
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
        void ended.then(() => reject(new Error(`ended before "${text}" was seen: ${stderr}`)));
        look();
      }),
  };
}
