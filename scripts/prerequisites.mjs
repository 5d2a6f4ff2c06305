/**
 * What the tests need from outside node_modules: a Chromium for the end-to-end lane and NATS servers of two kinds,
 * the one of this Debian release and the one of Debian testing. Found where they are, else fetched into .cache
 * (Chromium: installed, when we are root on Debian). What cannot be had is named with its reason, never guessed.
 *
 *   node scripts/prerequisites.mjs      prepares everything and says what was found
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';

export const project = join(import.meta.dirname, '..');
const cache = join(project, '.cache');
const natsIndex = join(cache, 'nats', 'index.json');

const isFile = (path) => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;

/** First of these programs on the search path. */
function onPath(...names) {
  for (const directory of (process.env.PATH ?? '').split(delimiter))
    for (const name of names) {
      const file = join(directory, process.platform === 'win32' ? `${name}.exe` : name);
      if (directory && isFile(file)) return file;
    }
  return undefined;
}

const isDebian = () =>
  process.platform === 'linux' && isFile('/etc/debian_version') && onPath('apt-get') !== undefined;
const isRoot = () => process.getuid?.() === 0;

/** Runs a program and keeps its words for the case that it fails. Throws with the last of them. */
function run(program, args, options = {}) {
  const done = spawnSync(program, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 600_000,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    ...options,
  });
  if (done.status === 0) return done.stdout;
  const words = `${done.stderr ?? ''}`.trim().split('\n').at(-1) || done.error?.message || 'no reason given';
  throw new Error(`${program} ${args.at(-1)}: ${words}`);
}

const CHROMIUM_NAMES = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
  'msedge',
];
const CHROMIUM_PLACES = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
];
/** Text in other scripts and emoji must not become boxes in the pictures that the tests keep. */
const FONTS = ['fonts-dejavu-core', 'fonts-noto-core', 'fonts-noto-color-emoji'];

function findChromium() {
  const named = process.env.HOLDFAST_CHROMIUM;
  if (named) return isFile(named) ? named : undefined;
  return onPath(...CHROMIUM_NAMES) ?? CHROMIUM_PLACES.find(isFile);
}

/** Path of a Chromium; installs Debian's when that is possible. Throws when there is none. */
export function chromium(say = () => {}) {
  const found = findChromium();
  if (found) return found;
  if (process.env.HOLDFAST_CHROMIUM) throw new Error('HOLDFAST_CHROMIUM names no file');
  if (!isDebian() || !isRoot())
    throw new Error('no Chromium here: install Chromium or Chrome, or name one in HOLDFAST_CHROMIUM');
  say('installing Chromium and fonts');
  run('apt-get', ['update']);
  run('apt-get', ['install', '-y', '--no-install-recommends', ...FONTS, 'chromium']);
  const installed = findChromium();
  if (!installed) throw new Error('Chromium was installed but is not on the search path');
  return installed;
}

/** The mirror that this machine itself uses, with the keys it trusts it by. */
export function aptMirror(root = '/etc/apt') {
  const files = [join(root, 'sources.list')];
  const more = join(root, 'sources.list.d');
  if (existsSync(more))
    files.push(
      ...readdirSync(more)
        .sort()
        .map((name) => join(more, name)),
    );
  for (const file of files.filter(isFile)) {
    const text = readFileSync(file, 'utf8');
    for (const source of file.endsWith('.sources') ? stanzas(text) : oneLiners(text))
      if (source.components.includes('main') && /(^|\/)debian\/?$/.test(source.uri)) return source;
  }
  throw new Error("no Debian mirror in this machine's apt sources");
}

function stanzas(text) {
  return text.split(/\n\s*\n/).flatMap((stanza) => {
    const field = (name) => new RegExp(`^${name}:\\s*(.+)$`, 'im').exec(stanza)?.[1]?.trim();
    if (!field('URIs') || /^no$/i.test(field('Enabled') ?? '')) return [];
    return field('URIs')
      .split(/\s+/)
      .map((uri) => ({
        uri,
        components: (field('Components') ?? '').split(/\s+/),
        signedBy: field('Signed-By'),
      }));
  });
}

function oneLiners(text) {
  return text.split('\n').flatMap((line) => {
    const parts = /^deb\s+(?:\[([^\]]*)\]\s+)?(\S+)\s+\S+\s+(.+)$/.exec(line.trim());
    if (!parts) return [];
    const signedBy = /signed-by=(\S+)/.exec(parts[1] ?? '')?.[1];
    return [{ uri: parts[2], components: parts[3].split(/\s+/), signedBy }];
  });
}

/**
 * Downloads `name` as one suite of Debian has it and unpacks it under `into`, touching neither the machine's own
 * package lists nor its installed packages; needs no root.
 */
function unpack(name, suite, into) {
  const mirror = aptMirror();
  const keys = mirror.signedBy?.startsWith('/') ? `[signed-by=${mirror.signedBy}] ` : '';
  const work = mkdtempSync(join(tmpdir(), 'holdfast-apt-'));
  try {
    for (const directory of ['lists/partial', 'cache/archives/partial', 'deb'])
      mkdirSync(join(work, directory), { recursive: true });
    writeFileSync(join(work, 'one.list'), `deb ${keys}${mirror.uri} ${suite} main\n`);
    const own = {
      'Dir::Etc::SourceList': join(work, 'one.list'),
      'Dir::Etc::SourceParts': '/dev/null',
      'Dir::State::Lists': join(work, 'lists'),
      'Dir::Cache': join(work, 'cache'),
      'Acquire::Languages': 'none',
      ...(isRoot() && { 'APT::Sandbox::User': 'root' }),
    };
    const options = Object.entries(own).flatMap(([key, value]) => ['-o', `${key}=${value}`]);
    run('apt-get', [...options, 'update']);
    run('apt-get', [...options, 'download', name], { cwd: join(work, 'deb') });
    const file = readdirSync(join(work, 'deb')).find((entry) => entry.endsWith('.deb'));
    if (!file) throw new Error(`apt-get gave no ${name}`);
    run('dpkg-deb', ['-x', join(work, 'deb', file), into]);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function natsVersion(path) {
  const version = /v?(\d+\.\d+)\.\d+/.exec(execFileSync(path, ['--version'], { encoding: 'utf8' }))?.[1];
  if (!version) throw new Error(`${path} does not tell its version`);
  return version;
}

function readIndex() {
  try {
    return JSON.parse(readFileSync(natsIndex, 'utf8'));
  } catch {
    return {};
  }
}

function fetchNats(kind, suite) {
  const into = join(cache, 'nats', `${kind}.part`);
  rmSync(into, { recursive: true, force: true });
  mkdirSync(into, { recursive: true });
  unpack('nats-server', suite, into);
  const version = natsVersion(join(into, 'usr/sbin/nats-server'));
  const home = join(cache, 'nats', version);
  rmSync(home, { recursive: true, force: true });
  renameSync(into, home);
  writeFileSync(natsIndex, JSON.stringify({ ...readIndex(), [kind]: version }, undefined, 2) + '\n');
  return version;
}

/** NATS servers by `major.minor`: the release's and testing's. `missing` tells what could not be had. */
export function natsServers(say = () => {}) {
  const servers = new Map();
  const missing = [];
  const codename = /^VERSION_CODENAME=(\S+)$/m.exec(
    isFile('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '',
  )?.[1];
  const serverOf = (version) => join(cache, 'nats', version, 'usr/sbin/nats-server');
  for (const [kind, suite] of [
    ['release', codename],
    ['testing', 'testing'],
  ]) {
    try {
      const cached = readIndex()[kind];
      if (cached && isFile(serverOf(cached))) {
        servers.set(cached, serverOf(cached));
        continue;
      }
      if (!isDebian() || !suite)
        throw new Error('only fetched on Debian; a nats-server on the search path is used');
      say(`fetching the NATS server of Debian ${suite}`);
      const version = fetchNats(kind, suite);
      servers.set(version, serverOf(version));
    } catch (error) {
      missing.push({ what: `NATS server (${kind})`, why: error.message });
    }
  }
  const installed = onPath('nats-server');
  if (installed && servers.size < 2) {
    const version = natsVersion(installed);
    if (!servers.has(version)) servers.set(version, installed);
  }
  return { servers, missing };
}

/** The Electron binary, if it is here. Never downloads. */
export function electronBinary() {
  const home = join(project, 'node_modules', 'electron');
  const pathFile = join(home, 'path.txt');
  const name = isFile(pathFile) ? readFileSync(pathFile, 'utf8').trim() : 'electron';
  const binary = join(process.env.ELECTRON_OVERRIDE_DIST_PATH ?? join(home, 'dist'), name);
  return isFile(binary) ? binary : undefined;
}

/** Prepares all; returns the environment that tells the tests, and what is missing. */
export function prepare(say = () => {}) {
  const env = {};
  const missing = [];
  try {
    env.HOLDFAST_CHROMIUM = chromium(say);
  } catch (error) {
    missing.push({ what: 'Chromium', why: error.message });
  }
  const nats = natsServers(say);
  env.HOLDFAST_NATS = [...nats.servers].map(([version, path]) => `${version}=${path}`).join(delimiter);
  missing.push(...nats.missing);
  const electron = electronBinary();
  if (electron) env.HOLDFAST_ELECTRON = electron;
  else missing.push({ what: 'real Electron', why: 'binary not available here' });
  return { env, missing };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { env, missing } = prepare((line) => console.error(line));
  for (const [name, value] of Object.entries(env)) console.log(`${name}=${value}`);
  for (const { what, why } of missing) console.log(`missing: ${what}: ${why}`);
}
