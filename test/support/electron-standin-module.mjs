/**
 * A stand-in for the `electron` module, as far as Holdfast uses it. Windows are pages of a real Chromium, the preload
 * runs in them before the page does, IPC and the `app:` scheme end in the main process's own handlers. What the system
 * would show or do (dialogs, notifications, badge, menu, opening links) is recorded and answered by the test.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { createConnection, createServer } from 'node:net';
import { join } from 'node:path';
import { openChromium, PageWindow } from './electron-standin-window.mjs';

const records = [];
const record = (what, ...args) => {
  records.push({ what, args });
  process.send?.({ record: { what, args } });
};
const answers = { messageBox: [], openDialog: [], saveDialog: [] };

/** This process is the second start of a test. */
const SECOND = process.env.HOLDFAST_STANDIN_SECOND === '1';

class App extends EventEmitter {
  isPackaged = false;
  #paths = new Map();
  // A second start ends before it would be ready, so it needs no screen.
  #ready = (SECOND ? new Promise(() => undefined) : openChromium()).then((browser) => {
    this.browser = browser;
    queueMicrotask(() => this.emit('ready'));
  });
  sandboxed = false;
  #ended = false;

  whenReady = () => this.#ready;
  enableSandbox() {
    this.sandboxed = true;
  }
  getVersion = () => '0.0.0-standin';
  getName = () => 'Holdfast';
  setPath(name, path) {
    this.#paths.set(name, path);
  }
  getPath = (name) => this.#paths.get(name) ?? '/nowhere';
  setAppUserModelId() {}
  setBadgeCount(count) {
    record('badge', count);
    return true;
  }

  /** As in Electron, by the folder of user data: the second process hands over its words and gets false. */
  requestSingleInstanceLock() {
    const folder = this.getPath('userData');
    mkdirSync(folder, { recursive: true });
    const place = join(folder, 'standin.sock');
    // Synchronous in Electron; here the place is taken, and whether someone is there is found out before `ready`.
    if (existsSync(place) && SECOND) {
      const line = createConnection(place);
      line.on('error', () => undefined);
      line.end(JSON.stringify(process.argv));
      line.on('close', () => process.exit(0));
      return false;
    }
    rmSync(place, { force: true });
    const server = createServer((line) => {
      let text = '';
      line.on('data', (data) => (text += data));
      line.on('end', () => this.emit('second-instance', {}, JSON.parse(text), process.cwd()));
    });
    server.listen(place);
    server.unref();
    return true;
  }

  quit() {
    if (this.#ended || cancelled(this, 'before-quit')) return;
    for (const window of BrowserWindow.getAllWindows()) window.close();
    if (BrowserWindow.getAllWindows().length === 0) this.exit(0);
  }
  exit(code = 0) {
    if (this.#ended || (SECOND && !this.browser)) return;
    this.#ended = true;
    this.emit('will-quit', event());
    void this.#ready.then(() => this.browser.close()).finally(() => process.exit(code));
  }
}

const event = () => ({
  defaultPrevented: false,
  preventDefault() {
    this.defaultPrevented = true;
  },
});
function cancelled(emitter, name, more = {}, ...rest) {
  const one = Object.assign(event(), more);
  emitter.emit(name, one, ...rest);
  return one.defaultPrevented;
}

export const app = new App();
export const ipcMain = new EventEmitter();
export const powerMonitor = new EventEmitter();

let privileged = [];
const handlers = new Map();
export const protocol = {
  registerSchemesAsPrivileged(list) {
    privileged = list;
  },
  handle: (scheme, handler) => void handlers.set(scheme, handler),
};

class Session extends EventEmitter {
  /** The system of this world has no proxy. */
  async resolveProxy() {
    return 'DIRECT';
  }
  setPermissionRequestHandler(handler) {
    this.permissionRequest = handler;
  }
  setPermissionCheckHandler(handler) {
    this.permissionCheck = handler;
  }
  setDevicePermissionHandler(handler) {
    this.device = handler;
  }
  setDisplayMediaRequestHandler(handler) {
    this.displayMedia = handler;
  }
  webRequest = {
    onBeforeRequest: (handler) => {
      this.beforeRequest = handler;
    },
  };
}
export const session = { defaultSession: new Session() };

const windows = new Set();
export class BrowserWindow extends PageWindow {
  static getAllWindows = () => [...windows];
  constructor(options) {
    super(options, { app, ipcMain, handlers, session: session.defaultSession, cancelled });
    windows.add(this);
    this.on('closed', () => {
      windows.delete(this);
      if (windows.size === 0) app.emit('window-all-closed');
    });
    const { webPreferences: preferences, x, y, width, height } = options;
    record('window', { preferences, x, y, width, height });
    app.emit('web-contents-created', {}, this.webContents);
  }
}

const options = (args) => args.at(-1);
export const dialog = {
  showMessageBox: async (...args) => {
    const asked = options(args);
    record('messageBox', asked);
    return { response: (await next(answers.messageBox)) ?? asked.cancelId ?? 0, checkboxChecked: false };
  },
  showOpenDialog: async (...args) => {
    record('openDialog', options(args));
    const folder = await next(answers.openDialog);
    return { canceled: !folder, filePaths: folder ? [folder] : [] };
  },
};
dialog.showSaveDialog = async (...args) => {
  record('saveDialog', options(args));
  const filePath = await next(answers.saveDialog);
  return { canceled: !filePath, filePath: filePath ?? '' };
};
/** A queued answer; the word `hold` leaves the dialog open until the next answer is queued. */
async function next(queue) {
  while (queue[0] === 'hold') await new Promise((resolve) => setTimeout(resolve, 10));
  return queue.shift();
}

export const shell = {
  openExternal: async (url) => record('openExternal', url),
  showItemInFolder: (path) => record('showItemInFolder', path),
};
/** As on a desktop with an unlocked keyring; a test changes what the system does. */
const keychain = { available: true, prefix: 'v11', locked: false };
const vault = createHash('sha256').update('the keychain of this world').digest();
export const safeStorage = {
  isAsyncEncryptionAvailable: async () => keychain.available,
  async encryptStringAsync(text) {
    if (keychain.locked) throw new Error('The user denied access.');
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', vault, iv);
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([Buffer.from(keychain.prefix), iv, cipher.getAuthTag(), body]);
  },
  async decryptStringAsync(sealed) {
    if (keychain.locked) throw new Error('The user denied access.');
    const decipher = createDecipheriv('aes-256-gcm', vault, sealed.subarray(3, 15));
    decipher.setAuthTag(sealed.subarray(15, 31));
    const text = Buffer.concat([decipher.update(sealed.subarray(31)), decipher.final()]).toString('utf8');
    return { result: text, shouldReEncrypt: false };
  },
};
export const nativeTheme = { themeSource: 'system', shouldUseDarkColors: false };
export const screen = {
  getAllDisplays: () => [{ workArea: { x: 0, y: 0, width: 1920, height: 1080 } }],
};

const notifications = [];
export class Notification extends EventEmitter {
  static isSupported = () => true;
  constructor(what) {
    super();
    this.what = what;
  }
  show() {
    notifications.push(this);
    record('notification', this.what);
  }
}

let menu = [];
export const Menu = {
  buildFromTemplate: (template) => template,
  setApplicationMenu: (template) => void (menu = template),
};

/** What a test may ask of the system around the app. */
const controls = {
  records: () => records,
  answer: ({ kind, value }) => void answers[kind].push(...[value].flat()),
  settle: ({ kind, value }) => void answers[kind].splice(0, 1, value),
  menu: ({ label }) => {
    const find = (items) => {
      for (const item of items ?? []) {
        const found = item.label === label || item.role === label ? item : find(item.submenu);
        if (found) return found;
      }
    };
    const item = find(menu);
    if (item?.role === 'quit') app.quit();
    else item?.click?.();
    return item !== undefined;
  },
  menuShape: () =>
    menu.map((item) => ({
      label: item.label,
      role: item.role,
      entries: item.submenu?.map((one) => one.label ?? one.role ?? one.type),
    })),
  closeWindow: () => BrowserWindow.getAllWindows()[0]?.close(),
  quit: () => app.quit(),
  look: ({ focused, visible }) => BrowserWindow.getAllWindows()[0]?.look(focused, visible),
  minimize: () => BrowserWindow.getAllWindows()[0]?.minimize(),
  looked: () => {
    const [window] = BrowserWindow.getAllWindows();
    return { visible: window.isVisible(), focused: window.isFocused(), minimized: window.isMinimized() };
  },
  bounds: (bounds) => BrowserWindow.getAllWindows()[0]?.setBounds(bounds),
  clickNotification: ({ index }) => notifications.at(index)?.emit('click'),
  windows: () => windows.size,
  preferences: () => BrowserWindow.getAllWindows()[0]?.options.webPreferences,
  privileged: () => privileged,
  sandboxed: () => app.sandboxed,
  theme: () => nativeTheme.themeSource,
  keychain: (change) => Object.assign(keychain, change),
  /** What the page that is shown called itself. */
  pageName: () => BrowserWindow.getAllWindows()[0]?.pageName,
  ipcChannels: () => ipcMain.eventNames(),
  /** Delivers a message with a sender that a test makes up. */
  ipc: ({ channel, args, frame, foreignWindow }) => {
    const sender = foreignWindow
      ? { id: 99, isDestroyed: () => false, send: () => record('sentToForeign'), on: () => undefined }
      : BrowserWindow.getAllWindows()[0].webContents;
    ipcMain.emit(channel, { sender, senderFrame: frame }, ...args);
  },
  permissions: async ({ names, url }) => {
    const { permissionRequest, permissionCheck } = session.defaultSession;
    return Promise.all(
      names.map(async (name) => ({
        name,
        request: await new Promise((resolve) => permissionRequest({}, name, resolve, { requestingUrl: url })),
        check: permissionCheck({}, name, url, {}),
      })),
    );
  },
  devices: () => session.defaultSession.device({ deviceType: 'usb', origin: 'app://bundle' }),
  displayMedia: () => new Promise((resolve) => session.defaultSession.displayMedia({}, resolve)),
  download: ({ url = 'https://example.com/a.txt', type = 'text/plain' } = {}) =>
    cancelled(session.defaultSession, 'will-download', {}, { getURL: () => url, getMimeType: () => type }),
  webview: () => cancelled(BrowserWindow.getAllWindows()[0].webContents, 'will-attach-webview'),
  mayLoad: ({ urls }) =>
    Promise.all(
      urls.map(
        (url) =>
          new Promise((resolve) => session.defaultSession.beforeRequest({ url }, (r) => resolve(!r.cancel))),
      ),
    ),
  fetch: async ({ url, method = 'GET' }) => {
    const answer = await handlers.get('app')({ url, method });
    return { status: answer.status, headers: Object.fromEntries(answer.headers), text: await answer.text() };
  },
  crash: () => BrowserWindow.getAllWindows()[0].crash(),
  shutdown: () => cancelled(powerMonitor, 'shutdown'),
};
process.on('message', async ({ rpc, name, args }) => {
  try {
    process.send({ rpc, value: (await controls[name](args ?? {})) ?? null });
  } catch (error) {
    process.send({ rpc, error: String(error) });
  }
});
// The test that started us is gone: so are we, and the browser with us.
process.on('disconnect', () => app.exit(1));
