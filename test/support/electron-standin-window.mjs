import { spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright';
import { CHROMIUM_FLAGS } from './chromium-flags.mjs';

/** Chromium knows no `app:` scheme, so pages live at this address, and everything asked of it goes to the handler. */
const WEB = 'https://bundle.holdfast.test';
const toApp = (url) => (url.startsWith(`${WEB}/`) ? url.replace(WEB, 'app://bundle') : url);
const toWeb = (url) => url.replace(/^app:\/\/bundle/, WEB);

let browser;

/** Starts the Chromium that is the screen. Tests join it by the address that is sent to them. */
export async function openChromium() {
  // In the person's home, which its test removes.
  const profile = mkdtempSync(join(homedir(), '.standin-'));
  const child = spawn(
    process.env.HOLDFAST_CHROMIUM ?? 'chromium',
    [
      ...CHROMIUM_FLAGS,
      '--headless=new',
      '--remote-debugging-port=0',
      `--user-data-dir=${profile}`,
      'about:blank',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const address = await new Promise((resolve, reject) => {
    let text = '';
    child.stderr.on('data', (data) => {
      text += data;
      const found = /DevTools listening on (ws:\S+)/.exec(text);
      if (found) resolve(found[1]);
    });
    child.once('close', () => reject(new Error(`Chromium did not start: ${text.slice(-500)}`)));
    child.once('error', reject);
  });
  child.stderr.resume();
  browser = await chromium.connectOverCDP(address);
  const gone = new Promise((resolve) => child.once('close', resolve));
  process.send?.({ cdp: address, pid: child.pid });
  return {
    async close() {
      child.kill('SIGKILL');
      await gone;
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** What the preload sees as `electron`, and how it runs before the page. Only in the main frame, as in Electron. */
function preloadScript(source) {
  return `(() => {
    if (window.top !== window || !location.href.startsWith(${JSON.stringify(WEB)})) return;
    const call = window.holdfastStandinIpc;
    delete window.holdfastStandinIpc;
    const listeners = new Map();
    Object.defineProperty(window, Symbol.for('holdfast.standin'), {
      value: (batch) => { for (const [channel, args] of batch) for (const one of listeners.get(channel) ?? []) one({}, ...args); },
    });
    const ipcRenderer = {
      send: (channel, ...args) => { void call(channel, args); },
      on: (channel, listener) => { listeners.set(channel, [...(listeners.get(channel) ?? []), listener]); },
    };
    // Functions cross as proxies, objects as frozen copies: the page cannot reach what is behind them.
    const cross = (value) => typeof value === 'function'
      ? (...args) => value(...args)
      : value && typeof value === 'object'
        ? Object.freeze(Object.fromEntries(Object.entries(value).map(([key, one]) => [key, cross(one)])))
        : value;
    const contextBridge = {
      exposeInMainWorld: (name, api) => Object.defineProperty(window, name, { value: cross(api), enumerable: true }),
    };
    const require = (name) => {
      if (name !== 'electron') throw new Error('a sandboxed preload cannot require ' + name);
      return { contextBridge, ipcRenderer };
    };
    ((require, module, exports) => {\n${source}\n})(require, { exports: {} }, {});
  })()`;
}

let contentsId = 0;
class Contents extends EventEmitter {
  id = ++contentsId;
  #window;
  #queue = [];
  #sending = false;
  openHandler = () => ({ action: 'allow' });
  mainFrame;

  constructor(window) {
    super();
    this.#window = window;
  }
  isDestroyed = () => this.#window.isDestroyed();
  setWindowOpenHandler(handler) {
    this.openHandler = handler;
  }
  getURL = () => toApp(this.#window.page?.url() ?? '');
  getLastWebPreferences = () => this.#window.options.webPreferences;
  reload() {
    void this.#window.page?.reload().catch(() => undefined);
  }
  /** In order, several at once where they pile up. */
  send(channel, ...args) {
    this.#queue.push([channel, args]);
    if (!this.#sending) void this.#flush();
  }
  async #flush() {
    this.#sending = true;
    await undefined;
    while (this.#queue.length > 0) {
      const batch = this.#queue.splice(0);
      await this.#window.page
        ?.evaluate((all) => window[Symbol.for('holdfast.standin')]?.(all), batch)
        .catch(() => undefined);
    }
    this.#sending = false;
  }
}

export class PageWindow extends EventEmitter {
  page;
  pageName;
  webContents = new Contents(this);
  #world;
  #destroyed = false;
  #bounds;
  #state = { visible: false, focused: false, minimized: false, maximized: false };

  constructor(options, world) {
    super();
    this.options = options;
    this.#world = world;
    this.#bounds = { x: options.x ?? 10, y: options.y ?? 10, width: options.width, height: options.height };
  }

  async loadURL(url) {
    const { ipcMain, app } = this.#world;
    const context = browser.contexts()[0];
    this.page = context.pages().find((page) => page.url() === 'about:blank') ?? (await context.newPage());
    const page = this.page;
    await page.setViewportSize({ width: this.#bounds.width, height: this.#bounds.height });
    await page.exposeBinding('holdfastStandinIpc', ({ frame }, channel, args) => {
      const sender = {
        url: toApp(frame.url()),
        origin: new URL(toApp(frame.url())).protocol + '//' + new URL(toApp(frame.url())).host,
        parent: frame.parentFrame(),
        detached: false,
      };
      if (channel === 'holdfast:open') this.pageName = args[0];
      ipcMain.emit(channel, { sender: this.webContents, senderFrame: sender }, ...args);
    });
    await page.addInitScript(preloadScript(readFileSync(this.options.webPreferences.preload, 'utf8')));
    await page.route('**/*', (route) => this.#answer(route));
    page.on('popup', (popup) => {
      const { action } = this.webContents.openHandler({ url: popup.url() });
      if (action === 'deny') void popup.close().catch(() => undefined);
    });
    page.on('crash', () => this.webContents.emit('render-process-gone', {}, { reason: 'crashed' }));
    await page.goto(toWeb(url));
    this.emit('ready-to-show');
    app.emit('standin-shown');
    process.send?.({ shown: this.webContents.id });
  }

  async #answer(route) {
    const request = route.request();
    const url = toApp(request.url());
    if (request.isNavigationRequest()) {
      const current = this.webContents.getURL();
      // A load or reload that the main process asked for is not announced; the page's own attempts are.
      const own = current === 'about:blank' || url === current;
      const isMainFrame = request.frame() === this.page.mainFrame();
      if (!own || !isMainFrame) {
        const details = { url, isMainFrame };
        const stopped =
          this.#world.cancelled(this.webContents, 'will-frame-navigate', details) ||
          (isMainFrame && this.#world.cancelled(this.webContents, 'will-navigate', details));
        if (stopped) return route.abort('aborted').catch(() => undefined);
      }
    }
    const blocked = await new Promise((resolve) =>
      this.#world.session.beforeRequest({ url }, ({ cancel }) => resolve(cancel)),
    );
    const handler = this.#world.handlers.get('app');
    if (blocked || !url.startsWith('app:')) return route.abort('blockedbyclient').catch(() => undefined);
    const answer = await handler(new Request(url, { method: request.method() }));
    await route
      .fulfill({
        status: answer.status,
        headers: Object.fromEntries(answer.headers),
        body: Buffer.from(await answer.arrayBuffer()),
      })
      .catch(() => undefined);
  }

  isDestroyed = () => this.#destroyed;
  isVisible = () => this.#state.visible;
  isFocused = () => this.#state.focused;
  isMinimized = () => this.#state.minimized;
  isMaximized = () => this.#state.maximized;
  getNormalBounds = () => ({ ...this.#bounds });
  setBounds(bounds) {
    Object.assign(this.#bounds, bounds);
  }
  maximize() {
    this.#state.maximized = true;
  }
  minimize() {
    this.#state.minimized = true;
    this.look(false);
  }
  restore() {
    this.#state.minimized = false;
  }
  show() {
    this.#state.visible = true;
    this.focus();
  }
  focus() {
    this.#state.focused = true;
    this.emit('focus');
  }
  flashFrame() {}
  /** The person looks at something else, or hides the window. */
  look(focused, visible = this.#state.visible) {
    this.#state.visible = visible;
    this.#state.focused = focused;
    this.emit(focused ? 'focus' : 'blur');
  }
  crash() {
    this.webContents.emit('render-process-gone', {}, { reason: 'crashed' });
  }
  close() {
    if (this.#destroyed || this.#world.cancelled(this, 'close')) return;
    this.destroy();
  }
  destroy() {
    if (this.#destroyed) return;
    this.#destroyed = true;
    this.webContents.emit('destroyed');
    void this.page?.close().catch(() => undefined);
    this.emit('closed');
  }
}
