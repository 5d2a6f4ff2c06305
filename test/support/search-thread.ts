import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'vite';
import { onTestFinished } from 'vitest';
import { project } from './prerequisites';

let threads = 0;

/** The thread as it is shipped, its dependencies outside of it; beside it `mortal.js`, which can be killed. */
export async function builtSearchThread(): Promise<URL> {
  // Inside the project, so that the dependencies are found.
  const out = join(project, '.cache', `search-${process.pid}-${++threads}`);
  onTestFinished(() => rmSync(out, { recursive: true, force: true }));
  await build({
    configFile: false,
    logLevel: 'error',
    root: project,
    build: { ssr: 'src/main/search.ts', outDir: out, target: 'node20.19', emptyOutDir: true },
  });
  // The same thread, which dies when it is asked for these words.
  writeFileSync(
    join(out, 'mortal.js'),
    "import './search.js';\n" +
      "import { parentPort } from 'node:worker_threads';\n" +
      "parentPort.on('message', ({ query }) => query?.words === 'die' && process.exit(7));\n",
  );
  return pathToFileURL(join(out, 'search.js'));
}
