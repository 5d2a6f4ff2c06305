import { spawn, type ChildProcess } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  _electron,
  chromium as playwright,
  type Browser,
  type ElectronApplication,
  type Page,
} from 'playwright';
import { afterAll, afterEach, describe } from 'vitest';
import { CHROMIUM_FLAGS } from '../support/chromium-flags.mjs';
import { built, chromium, electron, project } from '../support/prerequisites';

/** The doors that the product is shown through; each end-to-end test runs on all that are here. */
export type Target = 'browser door' | 'stand-in' | 'real Electron';
export const TARGETS: Target[] = [
  'browser door',
  'stand-in',
  ...(electron() ? (['real Electron'] as const) : []),
];

export interface StartOptions {
  /** Viewport of the window in pixels. */
  size?: { width: number; height: number };
  colorScheme?: 'light' | 'dark';
  reducedMotion?: 'reduce' | 'no-preference';
  /** More environment for the app's process. */
  env?: Record<string, string>;
  /** More words for the app. */
  args?: string[];
  /** A home that an earlier start left, to start again with the same runs. */
  home?: Home;
}

/** A person's machine, as far as Holdfast sees it. All of it is in one temporary folder. */
export interface Home {
  path: string;
  /** Where runs are kept: `<id>.json`. */
  runs: string;
  /** Drafts, preferences, granted folders. */
  state: string;
  config: string;
  /** A folder of the person's own files, below home. */
  files: string;
}

/** The app, started whole: its own process, its own Chromium, a page to drive. */
export interface Started {
  target: Target;
  page: Page;
  home: Home;
  /** The app's main process. */
  pid: number;
  /** What the app printed so far. */
  output(): string;
  /** Ends as by a signal of the system: runs are suspended. */
  stop(): Promise<void>;
  /** kill -9 of all of it, in the middle of whatever it does. */
  kill(): Promise<void>;
  /** After `stop` or `kill`: the same home, a new process. */
  restart(options?: Omit<StartOptions, 'home'>): Promise<Started>;
  /** Types an answer where the app was started (browser door). */
  type(line: string): void;
  /** The system around the stand-in: dialogs, menu, notifications … see test/support/electron-standin-module.mjs. */
  system(name: string, args?: unknown): Promise<unknown>;
  /** A second window on the same server (browser door only). */
  another(): Promise<Page>;
}

const DEFAULT_SIZE = { width: 1280, height: 800 };
const running = new Set<Started>();
const homes = new Set<string>();

export function makeHome(): Home {
  const path = mkdtempSync(join(tmpdir(), 'holdfast-e2e-'));
  homes.add(path);
  const state = join(path, '.local', 'state', 'holdfast');
  const files = join(path, 'Papers');
  mkdirSync(files, { recursive: true });
  return { path, runs: join(state, 'runs'), state, config: join(path, '.config', 'holdfast'), files };
}

/** Puts files of a folder of the project (or any other) into the person's own. */
export function copyFiles(home: Home, from: string): void {
  cpSync(from, home.files, { recursive: true });
}

function environment(home: Home, more: Record<string, string> = {}): Record<string, string> {
  const kept = ['PATH', 'LANG', 'DISPLAY', 'XAUTHORITY', 'TMPDIR'];
  const env = Object.fromEntries(
    kept.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
  );
  return {
    ...env,
    HOME: home.path,
    XDG_STATE_HOME: join(home.path, '.local', 'state'),
    XDG_CONFIG_HOME: join(home.path, '.config'),
    XDG_CACHE_HOME: join(home.path, '.cache'),
    HOLDFAST_CHROMIUM: chromiumPath(),
    // An answer still comes in pieces, only sooner.
    HOLDFAST_PRACTICE_DELAY: '1',
    // Most specs count their own runs; a newcomer's have the sample run too.
    HOLDFAST_SAMPLE: 'off',
    ...more,
  };
}

function chromiumPath(): string {
  const path = chromium();
  if (path === undefined) throw new Error('No Chromium here: install one, or name it in HOLDFAST_CHROMIUM.');
  return path;
}
function mainFile(name: string): string {
  const file = built(`main/${name}`);
  if (file === undefined) throw new Error('The app is not built: npm run build');
  return file;
}

/** Starts the app on a target. What a test leaves running ends with the test. */
export async function start(target: Target, options: StartOptions = {}): Promise<Started> {
  const home = options.home ?? makeHome();
  const started = await { 'browser door': onBrowserDoor, 'stand-in': onStandIn, 'real Electron': onElectron }[
    target
  ](home, options);
  running.add(started);
  return started;
}

/** `body` once for each target that is here; `start` starts the app there. */
export function onEveryDoor(
  name: string,
  body: (start: (options?: StartOptions) => Promise<Started>, target: Target) => void,
  targets: readonly Target[] = TARGETS,
): void {
  for (const target of targets) {
    describe(`${name} (${target})`, () => {
      afterEach(cleanUp);
      body((options) => start(target, options), target);
    });
  }
}

/** Ends everything that was started, and removes its files. */
export async function cleanUp(): Promise<void> {
  await Promise.all([...running].map((started) => started.kill()));
  running.clear();
  if (!inVitest) await closeShared();
  for (const path of homes) rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  homes.clear();
}

/** A process of the app's own, in a group of its own so that all of it can be killed. */
function launch(words: string[], env: Record<string, string>) {
  const child = spawn(process.execPath, words, {
    cwd: tmpdir(),
    env,
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
    detached: true,
  });
  let text = '';
  const heard: (() => void)[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (data: Buffer) => {
      text += data.toString();
      heard.forEach((listener) => listener());
    });
  }
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve()));
  return {
    child,
    gone,
    output: () => text,
    /** Resolves with what the app printed, once it fits. */
    async printed(pattern: RegExp): Promise<RegExpExecArray> {
      return new Promise((resolve, reject) => {
        const look = () => {
          const found = pattern.exec(text);
          if (found) resolve(found);
        };
        heard.push(look);
        look();
        void gone.then(() => reject(new Error(`The app ended before it printed ${pattern}:\n${text}`)));
      });
    },
    killAll: async () => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // Gone already.
      }
      await gone;
    },
    stop: async () => {
      child.kill('SIGTERM');
      await gone;
    },
  };
}

/** One Chromium for all windows of a file on the browser door; each has a context, and so a profile, of its own. */
let shared: Promise<Browser> | undefined;
const sharedBrowser = (): Promise<Browser> =>
  (shared ??= playwright.launch({ executablePath: chromiumPath(), args: CHROMIUM_FLAGS }));
const closeShared = async () => {
  await (await shared)?.close();
  shared = undefined;
};
// A bench has no files that end; it closes with all the rest.
const inVitest = process.env.VITEST !== undefined;
if (inVitest) afterAll(closeShared);

async function open(browser: Browser, options: StartOptions): Promise<Page> {
  const context = await browser.newContext({
    viewport: options.size ?? DEFAULT_SIZE,
    colorScheme: options.colorScheme ?? 'light',
    reducedMotion: options.reducedMotion ?? 'no-preference',
  });
  return context.newPage();
}

async function onBrowserDoor(home: Home, options: StartOptions): Promise<Started> {
  const app = launch([mainFile('serve.js'), ...(options.args ?? [])], environment(home, options.env));
  const [, link = ''] = await app.printed(/(http:\/\/127\.0\.0\.1:\d+\/\?token=\S+)/);
  const page = await open(await sharedBrowser(), options);
  await page.goto(link);
  const started: Started = {
    ...common('browser door', home, app.child, page, app.output),
    stop: async () => {
      await app.stop();
      await page.context().close();
      running.delete(started);
    },
    kill: async () => {
      await app.killAll();
      await page.context().close();
      running.delete(started);
    },
    type: (line) => void app.child.stdin?.write(`${line}\n`),
    another: async () => {
      const other = await page.context().newPage();
      await other.goto(new URL('/', page.url()).href);
      return other;
    },
  };
  return started;
}

async function onStandIn(home: Home, options: StartOptions): Promise<Started> {
  const register = join(project, 'test', 'support', 'electron-standin.mjs');
  const app = launch(
    ['--import', register, mainFile('index.js'), ...(options.args ?? [])],
    environment(home, options.env),
  );
  const { cdp } = await message<{ cdp: string }>(app, 'cdp');
  await message(app, 'shown');
  const browser = await playwright.connectOverCDP(cdp);
  const page = browser.contexts()[0]?.pages()[0];
  if (!page) throw new Error('The stand-in showed no page.');
  await page.setViewportSize(options.size ?? DEFAULT_SIZE);
  await page.emulateMedia({
    colorScheme: options.colorScheme ?? 'light',
    reducedMotion: options.reducedMotion ?? 'no-preference',
  });
  let next = 1;
  const started: Started = {
    ...common('stand-in', home, app.child, page, app.output),
    stop: async () => {
      await app.stop();
      await browser.close().catch(() => undefined);
      running.delete(started);
    },
    kill: async () => {
      await app.killAll();
      await browser.close().catch(() => undefined);
      running.delete(started);
    },
    system: (name, args) => {
      const rpc = next++;
      return new Promise((resolve, reject) => {
        const hear = (answer: { rpc?: number; value?: unknown; error?: string }) => {
          if (answer.rpc !== rpc) return;
          app.child.off('message', hear);
          if (answer.error === undefined) resolve(answer.value);
          else reject(new Error(answer.error));
        };
        app.child.on('message', hear);
        app.child.send({ rpc, name, args });
      });
    },
  };
  return started;
}

async function onElectron(home: Home, options: StartOptions): Promise<Started> {
  const app: ElectronApplication = await _electron.launch({
    executablePath: electron() ?? '',
    args: [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), project, ...(options.args ?? [])],
    env: environment(home, options.env),
    cwd: tmpdir(),
  });
  const page = await app.firstWindow();
  await page.setViewportSize(options.size ?? DEFAULT_SIZE);
  const child = app.process();
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const started: Started = {
    ...common('real Electron', home, child, page, () => ''),
    stop: async () => {
      child.kill('SIGTERM');
      await gone;
      running.delete(started);
    },
    kill: async () => {
      child.kill('SIGKILL');
      await gone;
      running.delete(started);
    },
  };
  return started;
}

function common(
  target: Target,
  home: Home,
  child: ChildProcess,
  page: Page,
  output: () => string,
): Omit<Started, 'stop' | 'kill'> {
  const absent = () => {
    throw new Error(`not on the ${target}`);
  };
  return {
    target,
    home,
    page,
    pid: child.pid ?? 0,
    output,
    restart: (options) => start(target, { ...options, home }),
    type: absent,
    system: absent,
    another: absent,
  };
}

function message<T>(app: ReturnType<typeof launch>, key: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const hear = (value: unknown) => {
      if (typeof value !== 'object' || value === null || !(key in value)) return;
      app.child.off('message', hear);
      resolve(value as T);
    };
    app.child.on('message', hear);
    void app.gone.then(() => reject(new Error(`The app ended before it told its ${key}:\n${app.output()}`)));
  });
}

/** Whether screenshots are taken: with HOLDFAST_PICTURES=1, for people to look at, and in the soak. */
export const PICTURES = Boolean(process.env['HOLDFAST_PICTURES'] ?? process.env['HOLDFAST_SOAK']);

/** Takes a screenshot into test-results/pictures, which is never committed. */
export async function picture(page: Page, name: string): Promise<void> {
  if (!PICTURES) return;
  const folder = join(project, 'test-results', 'pictures');
  if (!existsSync(folder)) mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' });
}
