import { defineConfig } from 'vitest/config';

const soak = process.env.HOLDFAST_SOAK === '1';
const MINUTE = 60_000;

/**
 * One runner for every lane. `unit` needs nothing outside node_modules; `faults` kills processes; `e2e` needs the
 * built app and Chromium; `nats` real servers. scripts/test.mjs prepares what a lane needs and counts what is skipped.
 */
const lane = (name: string, include: string[], minutes: number, oneAfterTheOther = true) => ({
  test: {
    name,
    include,
    environment: 'node' as const,
    testTimeout: minutes * MINUTE * (soak ? 20 : 1),
    hookTimeout: 2 * MINUTE,
    fileParallelism: !oneAfterTheOther,
  },
});

export default defineConfig({
  test: {
    // What a passing test prints is noise; what a failing one prints is a clue.
    silent: 'passed-only',
    projects: [
      lane('unit', ['test/{shared,main,renderer,repo}/**/*.test.{ts,tsx}'], 1, false),
      lane('faults', ['test/faults/**/*.test.ts'], 8),
      lane('nats', ['test/nats/**/*.test.ts'], 5),
      lane('e2e', ['test/e2e/**/*.test.ts'], 3),
    ],
  },
});
