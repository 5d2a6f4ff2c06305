import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import type { Bridge } from '../../src/shared/contract/text-port';
import type { Contents, Ipc, IpcEvent, SenderFrame } from '../../src/main/shell/electron/ipc-door';
import { project } from './prerequisites';

const ORIGIN = 'app://bundle';
export const ourFrame: SenderFrame = { url: `${ORIGIN}/index.html`, origin: ORIGIN, parent: null };

/** The contents of one window, and the pages that it shows one after another. */
export class FakeContents extends EventEmitter implements Contents {
  readonly id: number;
  destroyed = false;
  page: Page | undefined;
  private static next = 1;
  constructor(readonly ipc: FakeIpc) {
    super();
    this.id = FakeContents.next++;
  }
  isDestroyed = () => this.destroyed;
  /** As in Electron, what is sent reaches whatever page is there when it arrives. */
  send(channel: string, ...args: unknown[]): void {
    queueMicrotask(() =>
      this.page?.renderer.emit(channel, { sender: 'an event that no page may see' }, ...args),
    );
  }
  /** Shows a page: runs the preload's own source, with what Electron gives it. */
  load(): Page {
    this.page = new Page(this);
    return this.page;
  }
  destroy(): void {
    this.destroyed = true;
    this.page = undefined;
    this.emit('destroyed');
  }
}

/** The main process's side, and the way from a page to it. */
export class FakeIpc extends EventEmitter {
  readonly ours = this as unknown as Ipc;
  receive(channel: string, event: IpcEvent, ...args: unknown[]): void {
    this.emit(channel, event, ...args);
  }
}

/** What a page's world has after its preload ran. */
export class Page {
  readonly renderer = new EventEmitter();
  readonly exposed: Record<string, unknown> = {};
  /** The name that the page gave itself when it opened. */
  name = '';
  constructor(contents: FakeContents) {
    const source = readFileSync(join(project, 'src', 'preload', 'index.ts'), 'utf8');
    const { outputText } = ts.transpileModule(source, {
      compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
    });
    const electron = {
      contextBridge: { exposeInMainWorld: (name: string, api: unknown) => (this.exposed[name] = api) },
      ipcRenderer: {
        on: (channel: string, listener: (...args: unknown[]) => void) => this.renderer.on(channel, listener),
        send: (channel: string, ...args: unknown[]) => {
          this.name = String(args[0]);
          queueMicrotask(() => {
            if (contents.page === this)
              contents.ipc.receive(channel, { sender: contents, senderFrame: ourFrame }, ...args);
          });
        },
      },
    };
    contents.page = this;
    new Function('require', 'module', 'exports', outputText)(
      (name: string) => {
        if (name !== 'electron') throw new Error(`a sandboxed preload cannot require ${name}`);
        return electron;
      },
      { exports: {} },
      {},
    );
  }
  get bridge(): Bridge {
    return this.exposed.holdfast as Bridge;
  }
}
