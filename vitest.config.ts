import { defineConfig } from 'vitest/config';

/**
 * One runner for every lane. `unit` needs nothing outside node_modules; `faults` kills processes; `e2e` needs the
 * built app and Chromium; `nats` real servers. scripts/test.mjs prepares what a lane needs and counts what is skipped.
 */
const lane = (name: string, include: string[], options: Record<string, unknown> = {}) => ({
  test: {
    name,
    include,
    environment: 'node' as const,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    ...options,
  },
});

export default defineConfig({
  test: {
    projects: [
      lane('unit', ['test/{shared,main,renderer,repo}/**/*.test.{ts,tsx}']),
      lane('faults', ['test/faults/**/*.test.ts'], { testTimeout: 600_000, fileParallelism: false }),
      lane('nats', ['test/nats/**/*.test.ts'], { testTimeout: 300_000, fileParallelism: false }),
      lane('e2e', ['test/e2e/**/*.test.ts'], { testTimeout: 180_000, fileParallelism: false }),
    ],
  },
});
