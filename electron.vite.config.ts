import { chmodSync, existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { defineConfig } from 'electron-vite';
import react from '@vitejs/plugin-react';

const at = (path: string) => resolve(import.meta.dirname, path);

/** Only the entries whose source is there, so that each room can be built before its neighbours are. */
const entries = (files: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(files)
      .map(([name, file]) => [name, at(file)] as const)
      .filter(([, file]) => existsSync(file)),
  );

/** `holdfast` is started by its own name, so the file keeps its first line and may be executed. */
const executable = (name: string) => ({
  name: 'holdfast:executable',
  writeBundle(options: { dir?: string }) {
    const file = resolve(options.dir ?? '.', name);
    if (existsSync(file)) chmodSync(file, 0o755);
  },
});

// The bundles run in Electron's Node and in the plain Node that package.json asks for: the older one decides.
const target = 'node20.19';

const main = entries({
  index: 'src/main/index.ts',
  serve: 'src/main/serve.ts',
  cli: 'src/main/cli.ts',
  // The process that reads runs for the window.
  reader: 'src/main/reader.ts',
  // The process that searches them.
  search: 'src/main/search.ts',
  // The process of one export, import, fork or repair.
  mover: 'src/main/mover.ts',
});
const preload = entries({ index: 'src/preload/index.ts' });
const renderer = entries({ index: 'src/renderer/index.html' });
const some = (inputs: Record<string, string>) => Object.keys(inputs).length > 0;

export default defineConfig({
  ...(some(main) && {
    main: {
      plugins: [executable('cli.js')],
      build: {
        target,
        // Dependencies stay in node_modules; only our own code is bundled.
        externalizeDeps: true,
        rolldownOptions: { input: main, output: { format: 'es' as const } },
      },
    },
  }),
  ...(some(preload) && {
    preload: {
      build: {
        target,
        // A sandboxed preload must be one CommonJS file that requires nothing but electron.
        externalizeDeps: false,
        rolldownOptions: {
          input: preload,
          output: { format: 'cjs' as const, entryFileNames: '[name].cjs', codeSplitting: false },
        },
      },
    },
  }),
  ...(some(renderer) && {
    renderer: {
      root: at('src/renderer'),
      plugins: [react()],
      resolve: {
        alias: {
          // Its browser build decodes `&amp;` through innerHTML, which the page's policy refuses: the table does without.
          'decode-named-character-reference': at('node_modules/decode-named-character-reference/index.js'),
        },
      },
      build: {
        target: 'chrome120',
        // The page's policy allows scripts and styles from files only: nothing may be written into the page.
        modulePreload: { polyfill: false },
        assetsInlineLimit: 0,
        minify: true,
        // Grammars of the highlighter and its like: loaded one by one, when they are needed.
        chunkSizeWarningLimit: 1_000,
        rolldownOptions: { input: renderer },
      },
    },
  }),
});
