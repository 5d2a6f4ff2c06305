import type { App, Session, WebContents } from 'electron';
import { originOf } from './origin';

/**
 * The page may ask for exactly this: to put text that the person copied on the clipboard. Everything else that a page
 * can ask for is denied, asked or not.
 */
const ALLOWED = new Set(['clipboard-sanitized-write']);

/** Denies permissions, devices, screens, other downloads than the page's own text and every request that leaves the machine. */
export function lockSession(session: Session, origin: string, mayLoad: (url: string) => boolean): void {
  const mayAsk = (permission: string, from: string) => ALLOWED.has(permission) && originOf(from) === origin;
  session.setPermissionRequestHandler((_contents, permission, done, details) =>
    done(mayAsk(permission, details.requestingUrl)),
  );
  session.setPermissionCheckHandler((_contents, permission, from) => mayAsk(permission, from));
  session.setDevicePermissionHandler(() => false);
  session.setDisplayMediaRequestHandler((_request, done) => done({}));
  session.on('will-download', (event, item) => {
    // A text that is too long for a message, saved by the person: the system asks where.
    const own = item.getURL().startsWith(`blob:${origin}/`) && /^text\/plain\b/.test(item.getMimeType());
    if (!own) event.preventDefault();
  });
  session.webRequest.onBeforeRequest((details, done) => done({ cancel: !mayLoad(details.url) }));
}

/** For all contents that are ever made: they stay where they are, open no windows and hold no guests. */
export function lockContents(app: App, mayShow: (url: string) => boolean): void {
  app.on('web-contents-created', (_event, contents: WebContents) => {
    contents.setWindowOpenHandler(() => ({ action: 'deny' }));
    contents.on('will-attach-webview', (event) => event.preventDefault());
    contents.on('will-navigate', (event) => {
      if (!mayShow(event.url)) event.preventDefault();
    });
    contents.on('will-redirect', (event) => event.preventDefault());
    contents.on('will-frame-navigate', (event) => {
      if (!event.isMainFrame || !mayShow(event.url)) event.preventDefault();
    });
  });
}

/** Whether a URL is exactly the page (a reload of it), by its parsed parts. */
export function samePage(url: string, page: string): boolean {
  try {
    const [a, b] = [new URL(url), new URL(page)];
    return (
      a.protocol === b.protocol && a.host === b.host && a.pathname === b.pathname && a.search === b.search
    );
  } catch {
    return false;
  }
}
