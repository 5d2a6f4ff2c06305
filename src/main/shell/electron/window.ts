import { BrowserWindow, type WebPreferences } from 'electron';
import { MIN_SIZE, type Place } from './place';

/**
 * The preferences of every window. Isolation, sandbox and web security are Electron's defaults and stay so by not being
 * named; the spell checker is off because it would fetch dictionaries from the network.
 */
export const webPreferences = (preload: string): Readonly<WebPreferences> =>
  Object.freeze({ preload, spellcheck: false });

/** The only place that makes a window. It is shown when it has something to show. */
export function createWindow(preload: string, place: Place, dark: boolean): BrowserWindow {
  const { maximized, ...bounds } = place;
  const window = new BrowserWindow({
    ...bounds,
    minWidth: MIN_SIZE.width,
    minHeight: MIN_SIZE.height,
    title: 'Holdfast',
    show: false,
    backgroundColor: dark ? '#171614' : '#fbfaf8',
    webPreferences: webPreferences(preload),
  });
  if (maximized) window.maximize();
  window.once('ready-to-show', () => window.show());
  return window;
}
