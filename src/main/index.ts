import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { app, safeStorage, shell } from 'electron';
import { composeApp } from './compose';
import { printable } from '../shared/run/transcript';
import { folders } from './settings/paths';
import { FileSecrets } from './settings/secrets/file-secrets';
import { Keyring } from './settings/secrets/keyring';
import { safeStorageSeal } from './shell/electron/safe-storage';
import { startElectron } from './shell/electron/start';

/** The root of the product: the core behind an Electron window. */
const built = new URL('./', import.meta.url);
// Not the file of the browser door and the command: what the keychain sealed is of no use to them.
const keysFile = join(folders().config, 'keys.sealed.json');
const seal = safeStorageSeal(safeStorage, process.platform);
const at = (path: string) => fileURLToPath(new URL(path, built));

startElectron({
  root: at('../renderer'),
  preload: at('../preload/index.cjs'),
  userData: join(folders().state, 'window'),
  // Only a development build knows of a development server.
  devServer: import.meta.env.DEV ? process.env.ELECTRON_RENDERER_URL : undefined,
  store: storeOf(process.argv),
  makeApp: (door, store) =>
    composeApp({
      door,
      store,
      roots: [],
      built,
      trashItem: (path) => shell.trashItem(path),
      secrets: { keyring: new Keyring(new FileSecrets(keysFile, seal)), file: keysFile },
      onBug: (error, command) => {
        if (!app.isPackaged) process.stderr.write(printable(`holdfast: ${command}: ${describe(error)}\n`));
      },
    }),
});

/** `--store URL`: another store than the usual one. */
function storeOf(argv: readonly string[]): string | undefined {
  const at = argv.findIndex((word) => word === '--store' || word.startsWith('--store='));
  return at < 0 ? undefined : (argv[at]?.split('=')[1] ?? argv[at + 1]);
}

const describe = (error: unknown) =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);
