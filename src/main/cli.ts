#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { processConsole } from './cli/console';
import { holdfast } from './cli/program';

/** The root of the `holdfast` command: what it is built from, loaded when a command needs it. */

function version(): string {
  // cli.ts and the built cli.js lie equally deep below package.json.
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

const exit = await holdfast(process.argv.slice(2), {
  screen: processConsole(),
  version: version(),
  parts: async () => (await import('./parts')).agentParts(),
  store: async (word) => (await import('./journal/named')).openNamed(word),
  profile: async (name) => (await import('./settings/profiles')).profileNamed(name),
});

// Sockets that models keep warm, or a watcher, must not hold the shell's prompt back.
process.exit(exit);
