/**
 * `node --import ./test/support/electron-standin.mjs out/main/index.js` runs the built main process without the Electron
 * binary: whoever imports `electron` gets the stand-in, whose windows are pages of a Chromium.
 */
import { register } from 'node:module';

register('./electron-standin-hooks.mjs', import.meta.url);
