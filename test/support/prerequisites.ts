import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { TestContext } from 'vitest';

/**
 * What lies outside node_modules, as scripts/test.mjs prepared it (or as it was left in .cache by an earlier run, so
 * that a single file can be run by hand). A test that lacks something says so with `need`: the run prints the reason
 * and counts it, and on CI every such skip but the one for the real Electron is a failure.
 */
export const project = join(import.meta.dirname, '..', '..');

/** `npm run soak`: long counts and long time-outs. */
export const soak = process.env.HOLDFAST_SOAK === '1';

/** Picks the count for this lane: the sample of `npm test`, or the long one of `npm run soak`. */
export const sampled = (sample: number, long: number): number => (soak ? long : sample);

/** Path of a Chromium, if there is one. */
export function chromium(): string | undefined {
  const named = process.env.HOLDFAST_CHROMIUM;
  if (named) return named;
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
  return (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap((directory) => names.map((name) => join(directory, name)))
    .find((path) => existsSync(path));
}

export interface NatsServerKind {
  /** `major.minor` */
  version: string;
  path: string;
}

/** Every NATS server that was prepared, oldest first. */
export function natsServers(): NatsServerKind[] {
  const named = process.env.HOLDFAST_NATS;
  const found = named === undefined ? cachedNats() : named.split(delimiter).filter(Boolean).map(parseNats);
  return found.sort((a, b) => a.version.localeCompare(b.version, 'en', { numeric: true }));
}

function parseNats(entry: string): NatsServerKind {
  const cut = entry.indexOf('=');
  return { version: entry.slice(0, cut), path: entry.slice(cut + 1) };
}

function cachedNats(): NatsServerKind[] {
  const home = join(project, '.cache', 'nats');
  if (!existsSync(join(home, 'index.json'))) return [];
  const versions = new Set(
    Object.values(JSON.parse(readFileSync(join(home, 'index.json'), 'utf8')) as Record<string, string>),
  );
  return readdirSync(home)
    .filter((name) => versions.has(name))
    .map((version) => ({ version, path: join(home, version, 'usr', 'sbin', 'nats-server') }))
    .filter(({ path }) => existsSync(path));
}

/** Path of the real Electron binary, if it could be had. */
export const electron = (): string | undefined => process.env.HOLDFAST_ELECTRON;

/** Path of a file that `npm run build` makes; `undefined` before it ran. */
export function built(file: string): string | undefined {
  // HOLDFAST_OUT: another build than the usual one, such as one that nobody rebuilds meanwhile.
  const path = join(process.env.HOLDFAST_OUT ?? join(project, 'out'), file);
  return existsSync(path) ? path : undefined;
}

/** `value`, or a skip of the running test that is counted and printed with its reason. */
export function need<T>(context: TestContext, value: T | undefined, what: string, why: string): T {
  if (value === undefined) context.skip(`${what}: ${why}`);
  return value as T;
}
