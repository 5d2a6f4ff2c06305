import { fileURLToPath } from 'node:url';
import { printable } from '../shared/run/transcript';
import { runServer } from './shell/browser/run';
import { composeApp, version } from './compose';

/** The root of the browser door: the core behind a loopback server. */
const built = new URL('./', import.meta.url);

process.exitCode = await runServer({
  argv: process.argv.slice(2),
  root: fileURLToPath(new URL('../renderer', built)),
  version: version(built),
  makeApp: (door, { store, roots }) =>
    composeApp({
      door,
      store,
      roots,
      built,
      onBug: (error, command) => {
        const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
        console.error(`holdfast: ${command}: ${printable(text)}`);
      },
    }),
});
// Sockets that models keep warm must not hold the shell's prompt back.
process.exit();
