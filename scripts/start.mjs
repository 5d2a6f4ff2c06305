/**
 * `npm start`: builds when that is needed and opens Holdfast: the Electron window where its binary can be had, else
 * the same window in a browser. Works without a network.
 *
 *   npm start                   as above
 *   npm start -- --browser      the browser at once
 *   npm start -- --electron     try again to get the Electron binary
 *
 * Other words are handed on to Holdfast.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { electronBinary, project } from './prerequisites.mjs';

const OWN = ['--browser', '--electron'];
const args = process.argv.slice(2);
const rest = args.filter((arg) => !OWN.includes(arg));
const at = (...parts) => join(project, ...parts);

/** HOLDFAST_OUT: a build that is used as it is, however old. */
const out = process.env.HOLDFAST_OUT ?? at('out');
const OUTPUTS = ['main/index.js', 'main/serve.js', 'main/cli.js', 'preload/index.cjs', 'renderer/index.html'];

/** Newest change below `path`, in milliseconds. Folders count too: they tell of files that went away. */
function newest(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}

function buildIsOld() {
  const made = OUTPUTS.map((file) => statSync(join(out, file), { throwIfNoEntry: false })?.mtimeMs);
  if (made.some((time) => time === undefined)) return true;
  const sources = ['src', 'package.json', 'package-lock.json', 'electron.vite.config.ts'];
  return Math.max(...sources.map((name) => newest(at(name)))) > Math.min(...made);
}

function build() {
  console.log('Building Holdfast …');
  const vite = at('node_modules', 'electron-vite', 'bin', 'electron-vite.js');
  const done = spawnSync(process.execPath, [vite, 'build', '--logLevel', 'warn'], {
    cwd: project,
    stdio: 'inherit',
  });
  if (done.status !== 0) process.exit(done.status ?? 1);
}

const DAY = 24 * 3600_000;
const DOWNLOAD_LIMIT = 5 * 60_000;
const unavailable = at('.cache', 'electron-unavailable');

/** The binary is not in the package; the package's own script downloads it, which a machine may be unable to do. */
function fetchElectron() {
  const version = JSON.parse(readFileSync(at('node_modules', 'electron', 'package.json'), 'utf8')).version;
  const asked = args.includes('--electron');
  const failed = statSync(unavailable, { throwIfNoEntry: false });
  const lately =
    failed && Date.now() - failed.mtimeMs < DAY && readFileSync(unavailable, 'utf8').startsWith(version);
  if (!asked && (lately || !process.stdout.isTTY || process.env.CI)) return undefined;
  console.log('Getting the Electron binary, once (about 110 MB) …');
  spawnSync(process.execPath, [at('node_modules', 'electron', 'install.js')], {
    stdio: ['ignore', 'inherit', 'ignore'],
    timeout: DOWNLOAD_LIMIT,
  });
  const binary = electronBinary();
  if (!binary) {
    mkdirSync(dirname(unavailable), { recursive: true });
    writeFileSync(unavailable, `${version}\n`);
  }
  return binary;
}

/** Why no Electron window can be opened here; `undefined` when it can. */
function whyNoWindow() {
  if (args.includes('--browser')) return '';
  if (process.platform === 'linux' && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY)
    return 'There is no display for an Electron window here';
  if (process.platform === 'linux' && process.getuid?.() === 0)
    return 'Electron keeps its sandbox only for an ordinary user, not for root';
  return undefined;
}

/** Runs a program to its end with our terminal, and passes a stop signal on. Resolves to its exit code. */
function hand(program, words) {
  return new Promise((resolve) => {
    const env = { ...process.env };
    delete env.ELECTRON_RUN_AS_NODE;
    const child = spawn(program, words, { cwd: process.cwd(), stdio: 'inherit', env });
    const pass = (signal) => child.kill(signal);
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
    for (const signal of signals) process.on(signal, pass);
    child.once('error', (error) => {
      console.error(`${program}: ${error.message}`);
      resolve(127);
    });
    child.once('close', (code, signal) => {
      for (const name of signals) process.off(name, pass);
      resolve(code ?? (signal === 'SIGINT' ? 130 : 1));
    });
  });
}

async function browser(reason) {
  if (reason) console.log(`${reason}; opening Holdfast in the browser instead.`);
  process.exitCode = await hand(process.execPath, [join(out, 'main', 'serve.js'), '--open', ...rest]);
}

if (!existsSync(at('node_modules', 'electron-vite'))) {
  console.error('Run `npm ci` first: the packages are not here yet.');
  process.exit(1);
}
if (!process.env.HOLDFAST_OUT && buildIsOld()) build();

const reason = whyNoWindow();
const binary = reason === undefined ? (electronBinary() ?? fetchElectron()) : undefined;
if (reason !== undefined) await browser(reason);
else if (!binary) await browser('The Electron binary cannot be had here');
else {
  const since = Date.now();
  const code = await hand(binary, [
    process.env.HOLDFAST_OUT ? join(out, 'main', 'index.js') : project,
    ...rest,
  ]);
  // A window that never came up (a missing system library, say) must not leave a person with nothing.
  if (code !== 0 && Date.now() - since < 5_000) await browser(`Electron ended at once with code ${code}`);
  else process.exitCode = code;
}
