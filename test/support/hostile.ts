import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright';
import { project } from './prerequisites';

export interface Payload {
  kind: string;
  name: string;
  text: string;
}

/** The corpus with the address of a listener in it, huge ones written out. */
export function hostileTexts(sink: string): Payload[] {
  const entries = JSON.parse(
    readFileSync(join(project, 'test', 'fixtures', 'hostile.json'), 'utf8'),
  ) as (Payload & {
    times?: number;
  })[];
  return entries.map(({ kind, name, text, times = 1 }) => ({
    kind,
    name,
    text: text.replaceAll('{{sink}}', sink).repeat(times),
  }));
}

/** What hostile text managed to do. All zero is what is claimed. */
export interface Damage {
  executed: string[];
  requests: string[];
  violations: string[];
  dialogs: string[];
  pages: string[];
  errors: string[];
}

const QUESTION = /^http:\/\/127\.0\.0\.1:\d+\/(?:ask\/[\w-]+(?:\?theme=\w+)?|question\.(?:css|js))$/;

/** Listens where payloads call home, and to everything that a page can be made to do. */
export class HostileWatch {
  readonly damage: Damage = {
    executed: [],
    requests: [],
    violations: [],
    dialogs: [],
    pages: [],
    errors: [],
  };
  private constructor(
    private readonly server: Server,
    readonly sink: string,
  ) {}

  static async open(): Promise<HostileWatch> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const watch = new HostileWatch(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.on('request', (request, response) => {
      watch.damage.requests.push(`sink ${request.url ?? ''}`);
      response.end();
    });
    server.on('connection', () => watch.damage.requests.push('sink connection'));
    return watch;
  }

  /** Must be called before the page is loaded. `home`: the origin that the page itself may ask. */
  async watch(context: BrowserContext, page: Page, home: () => string): Promise<void> {
    const { damage } = this;
    await page.exposeFunction('holdfastTestTold', (what: 'executed' | 'violations', detail: string) =>
      damage[what].push(detail),
    );
    await page.addInitScript(() => {
      const told = (what: string, detail: string) =>
        (window as unknown as { holdfastTestTold(what: string, detail: string): void }).holdfastTestTold(
          what,
          detail,
        );
      Object.defineProperty(window, '__pwned', {
        configurable: false,
        get: () => undefined,
        set: () => told('executed', new Error().stack ?? 'executed'),
      });
      document.addEventListener('securitypolicyviolation', (event) =>
        told('violations', `${event.violatedDirective} ${event.blockedURI} ${event.sample}`),
      );
    });
    page.on('request', (request) => {
      const url = request.url();
      // What is asked outside of the page is a page of our own, in a frame of its own.
      if (QUESTION.test(url) && request.frame() !== page.mainFrame()) return;
      if (!url.startsWith(home()) && !url.startsWith('data:') && !url.startsWith('blob:'))
        damage.requests.push(url);
    });
    page.on('dialog', (dialog) => {
      damage.dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    page.on('pageerror', (error) => damage.errors.push(error.message));
    context.on('page', (other) => damage.pages.push(other.url()));
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }
}
