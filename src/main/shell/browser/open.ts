import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../settings/make-folder';
import { redirectPage } from './redirect';

/** Milliseconds that a browser has to read the file. */
const PATIENCE = 60_000;

export interface Opening {
  /** The file that was handed over. */
  readonly file: string;
  /** Removes it, also after its time. */
  end(): void;
}

/**
 * Hands the browser a one-time link by a file of mode 0600 that goes there: the words of a program are open to every user
 * of the machine, and the link in them would be, too. `base`: folder of the person's own state.
 */
export function openInBrowser(
  link: string,
  base: string,
  start: (program: string, words: readonly string[]) => Promise<void>,
  { platform = process.platform, home = '', snap = existsSync('/snap/bin') } = {},
): Opening {
  // A browser from a snap sees no hidden folder of the person's, where the state is.
  const inside = platform === 'linux' && snap && home !== '' ? home : base;
  makeFolder(inside);
  const folder = mkdtempSync(join(inside, 'holdfast-open-'));
  const file = join(folder, 'holdfast.html');
  writeFileSync(file, redirectPage(link), { mode: 0o600, flag: 'wx' });
  const [program, ...words] =
    platform === 'darwin'
      ? ['open', file]
      : platform === 'win32'
        ? ['rundll32', 'url.dll,FileProtocolHandler', file]
        : ['xdg-open', file];
  const end = () => {
    clearTimeout(timer);
    rmSync(folder, { recursive: true, force: true });
  };
  const timer = setTimeout(end, PATIENCE);
  timer.unref();
  void start(program, words).catch(() => undefined);
  return { file, end };
}
