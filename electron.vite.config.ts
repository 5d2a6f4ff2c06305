import { defineConfig } from 'electron-vite';
import react from '@vitejs/plugin-react';
import { resolve } from 'node:path';

const at = (path: string) => resolve(import.meta.dirname, path);

export default defineConfig({
  main: {
    build: {
      // Dependencies stay in node_modules; only our own code is bundled.
      externalizeDeps: true,
      rollupOptions: {
        input: {
          index: at('src/main/index.ts'),
          serve: at('src/main/serve.ts'),
          cli: at('src/main/cli.ts'),
        },
        output: { format: 'es' },
      },
    },
  },
  preload: {
    build: {
      rollupOptions: {
        input: { index: at('src/preload/index.ts') },
        // A sandboxed preload must be one CommonJS file.
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: at('src/renderer'),
    plugins: [react()],
    build: { rollupOptions: { input: { index: at('src/renderer/index.html') } } },
  },
});
