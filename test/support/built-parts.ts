import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'vite';
import { afterAll } from 'vitest';
import { project } from './prerequisites';

const made = new Map<string, Promise<URL>>();
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Ends as V8 ends a process: no handler hears of it. On a run called `deadly`, or when it is asked for such words. */
const MORTAL = (part: string) => `
import './${part}.js';
const { send } = process;
let unread = false;
process.send = (message, ...rest) => {
  const sent = send.call(process, message, ...rest);
  if (message.at === 'deadly' || (message.progress?.now === 'deadly' && !unread)) process.abort();
  return sent;
};
process.on('message', ({ data, query, args }) => {
  unread ||= data?.task?.runs?.some((run) => run.unread) === true;
  if (query?.words === 'die') process.exit(7);
  if (args?.[0] === 'deadly') setImmediate(() => process.abort());
});
`;

/**
 * Parts that run in processes of their own, as they are shipped, their dependencies outside of them; beside each
 * `mortal-<part>.js`, which can be killed. Built once for a file of tests.
 */
export function builtParts(...parts: Part[]): Promise<URL> {
  const name = parts.join('-');
  let folder = made.get(name);
  if (!folder) made.set(name, (folder = buildParts(name, parts)));
  return folder;
}

type Part = 'reader' | 'search' | 'mover';

async function buildParts(name: string, parts: Part[]): Promise<URL> {
  // Inside the project, so that the dependencies are found.
  const out = join(project, '.cache', `parts-${process.pid}-${name}`);
  folders.push(out);
  await build({
    configFile: false,
    logLevel: 'error',
    root: project,
    build: {
      ssr: true,
      outDir: out,
      target: 'node20.19',
      emptyOutDir: true,
      rolldownOptions: {
        input: Object.fromEntries(parts.map((part) => [part, join(project, 'src/main', `${part}.ts`)])),
      },
    },
  });
  for (const part of parts) writeFileSync(join(out, `mortal-${part}.js`), MORTAL(part));
  return pathToFileURL(`${out}/`);
}
