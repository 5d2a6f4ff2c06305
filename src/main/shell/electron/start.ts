import { join } from 'node:path';
import {
  app,
  dialog,
  ipcMain,
  Menu,
  nativeTheme,
  Notification,
  powerMonitor,
  protocol,
  screen,
  session,
  shell,
  type BrowserWindow,
  type MessageBoxOptions,
} from 'electron';
import { asFailure } from '../../../shared/run/failure';
import type { App } from '../../app/app';
import type { Door } from '../../app/door';
import { readState, replaceFileNow } from '../../app/state-file';
import { Attentions } from './attention';
import { openIpcDoor, type Contents } from './ipc-door';
import { menuTemplate } from './menu';
import { makeOpener } from './opener';
import { fitPlace } from './place';
import { assetHandler, ORIGIN, PAGE, PRIVILEGES, SCHEME } from './protocol';
import { runOf } from '../named-run';
import { Quit, quitQuestion } from './quit';
import { lockContents, lockSession, samePage } from './security';
import { adoptSystemProxy } from './system-proxy';
import { createWindow } from './window';

export interface ElectronOptions {
  /** Folder of the built window, and the built preload. */
  root: string;
  preload: string;
  /** Where Electron keeps its own files, and where the window's place is remembered. */
  userData: string;
  /** Address of the development server; only in development builds. */
  devServer: string | undefined;
  /** Address of the store; undefined: the usual one. */
  store: string | undefined;
  /** Builds the core behind this door. */
  makeApp(door: Door, store: string | undefined): Promise<App>;
}

/** Runs Holdfast in Electron until it quits. */
export function startElectron(options: ElectronOptions): void {
  app.enableSandbox();
  app.setPath('userData', options.userData);
  app.setAppUserModelId('app.holdfast');
  if (!app.requestSingleInstanceLock()) {
    app.exit(0);
    return;
  }
  protocol.registerSchemesAsPrivileged([PRIVILEGES]);

  const page = options.devServer ?? PAGE;
  const origin = options.devServer === undefined ? ORIGIN : new URL(options.devServer).origin;
  const mayShow = (url: string) => samePage(url, page);
  const placeFile = join(options.userData, 'window.json');
  let window: BrowserWindow | undefined;
  let holdfast: App | undefined;
  lockContents(app, mayShow);

  const front = (id: string) => {
    if (!window) show();
    if (!window) return;
    if (window.isMinimized()) window.restore();
    window.show();
    window.focus();
    holdfast?.focus(id);
  };
  const attentions = new Attentions({
    watched: () => window !== undefined && window.isVisible() && !window.isMinimized() && window.isFocused(),
    badge: (count) => {
      app.setBadgeCount(count);
      if (process.platform === 'win32') window?.flashFrame(count > 0);
    },
    notify: (title, body, onClick) => {
      if (!Notification.isSupported()) return;
      const notification = new Notification({ title, body });
      notification.on('click', onClick);
      notification.show();
    },
    open: front,
  });
  const remember = () => {
    if (!window || window.isDestroyed()) return;
    const place = { ...window.getNormalBounds(), maximized: window.isMaximized() };
    try {
      replaceFileNow(placeFile, JSON.stringify(place));
    } catch {
      // Where the window was is a comfort; a full disk must not keep anybody from quitting.
    }
  };
  const quit = new Quit({
    live: () => holdfast?.live() ?? [],
    ask: async (runs) => {
      const question: MessageBoxOptions = {
        type: 'question',
        ...quitQuestion(runs),
        buttons: ['Keep working', runs.every((run) => run.private) ? 'Quit' : 'Pause and quit'],
        defaultId: 0,
        cancelId: 0,
        noLink: true,
      };
      const { response } = await (window
        ? dialog.showMessageBox(window, question)
        : dialog.showMessageBox(question));
      return response === 1;
    },
    close: async () => {
      remember();
      await holdfast?.close();
    },
    exit: () => app.exit(0),
  });

  app.on('second-instance', (_event, argv) => front(runOf(argv)));
  app.on('before-quit', (event) => {
    if (!quit.request()) event.preventDefault();
  });
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit();
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void quit.now());

  const show = () => {
    window = createWindow(
      options.preload,
      fitPlace(
        readState(placeFile),
        screen.getAllDisplays().map((display) => display.workArea),
      ),
      nativeTheme.shouldUseDarkColors,
    );
    const mine = window;
    mine.on('focus', () => attentions.seen());
    mine.on('close', (event) => {
      remember();
      // On macOS an app lives on without a window; elsewhere its last window is the app.
      if (process.platform !== 'darwin' && !quit.request()) event.preventDefault();
    });
    mine.on('closed', () => {
      if (window === mine) window = undefined;
    });
    // Everything that counts is in this process: a page that died is simply loaded again.
    mine.webContents.on('render-process-gone', () => {
      if (!mine.isDestroyed()) mine.webContents.reload();
    });
    void mine.loadURL(page);
  };

  void app.whenReady().then(async () => {
    lockSession(session.defaultSession, origin, (url) => isOwn(url, options.devServer));
    protocol.handle(SCHEME, assetHandler(options.root));
    // A proxy script may take its time; a model call reads the setting when it is made.
    void adoptSystemProxy((url) => session.defaultSession.resolveProxy(url), process.env);
    const door: Door = {
      kind: 'electron',
      pickFolder: async () => {
        if (!window) return '';
        const picked = await dialog.showOpenDialog(window, {
          properties: ['openDirectory', 'createDirectory'],
        });
        return picked.canceled ? '' : (picked.filePaths[0] ?? '');
      },
      saveTo: async (name) => {
        if (!window) return '';
        const saved = await dialog.showSaveDialog(window, {
          defaultPath: join(app.getPath('downloads'), name),
          properties: ['createDirectory', 'showOverwriteConfirmation'],
        });
        return saved.canceled ? '' : saved.filePath;
      },
      show: (path) => shell.showItemInFolder(path),
      confirm: async ({ message, detail, yes }) => {
        if (!window) return false;
        const { response } = await dialog.showMessageBox(window, {
          type: 'warning',
          message,
          detail,
          buttons: ['Cancel', yes],
          defaultId: 0,
          cancelId: 0,
          noLink: true,
        });
        return response === 1;
      },
      openOutside: makeOpener(() => window),
      theme: (theme) => (nativeTheme.themeSource = theme),
      attention: (event) => attentions.tell(event),
    };
    let core: App;
    try {
      core = await options.makeApp(door, options.store);
    } catch (error) {
      const { message, todo } = asFailure(error);
      dialog.showErrorBox('Holdfast cannot open its runs', [message, todo].filter(Boolean).join('\n\n'));
      app.exit(1);
      return;
    }
    holdfast = core;
    openIpcDoor({
      ipc: { on: (channel, listener) => ipcMain.on(channel, listener as never) },
      origin,
      isOurs: (contents: Contents) => window !== undefined && contents === (window.webContents as Contents),
      onConnect: (port) => core.connect(port),
    });
    Menu.setApplicationMenu(
      Menu.buildFromTemplate(menuTemplate(process.platform === 'darwin', (action) => core.menu(action))),
    );
    powerMonitor.on('shutdown', () => void quit.now());
    show();
    core.focus(runOf(process.argv));
    app.on('activate', () => {
      if (!window) show();
    });
  });
}

/** What the page may load: its own scheme, what it made itself, and the developer's tools. */
function isOwn(url: string, devServer: string | undefined): boolean {
  if (/^(app:\/\/bundle\/|data:|blob:app:\/\/bundle\/|devtools:)/.test(url)) return true;
  return devServer !== undefined && new URL(url).host === new URL(devServer).host;
}
