import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const soak = process.env.HOLDFAST_SOAK === '1';
const MINUTE = 60_000;

/**
 * One runner for every lane. `unit` needs nothing outside node_modules; `faults` kills processes; `e2e` needs the
 * built app and Chromium; `nats` real servers. scripts/test.mjs prepares what a lane needs and counts what is skipped.
 * `atOnce`: files that run side by side. `again`: how often a test that failed may try once more; each that needed it is
 * named with the result. Only for windows on a busy machine, never where something could be lost.
 */
const LANES: Record<string, { include: string[]; minutes: number; atOnce: number; again?: number }> = {
  unit: {
    include: ['test/{shared,main,renderer,repo}/**/*.test.{ts,tsx}'],
    minutes: 1,
    atOnce: availableParallelism(),
  },
  // Measures how soon a run opens after a kill, so nothing of it runs beside another.
  faults: { include: ['test/faults/**/*.test.ts'], minutes: 8, atOnce: 1 },
  // Waits for servers most of the time.
  nats: { include: ['test/nats/**/*.test.ts'], minutes: 5, atOnce: 3 },
  e2e: { include: ['test/e2e/**/*.test.ts'], minutes: 3, atOnce: 2, again: soak ? 0 : 1 },
};

const projects = Object.entries(LANES).map(([name, { include, minutes, atOnce, again = 0 }], groupOrder) => ({
  test: {
    name,
    include,
    environment: 'node' as const,
    setupFiles: ['test/support/home.ts'],
    testTimeout: minutes * MINUTE * (soak ? 20 : 1),
    hookTimeout: 2 * MINUTE,
    maxWorkers: atOnce,
    retry: again,
    sequence: { groupOrder },
  },
}));

/** What takes longest begins first, so that files which run side by side end together. Elsewhere size tells well enough. */
const LONGEST = ['hostile', 'window', 'library', 'resume', 'search', 'doors', 'stand-in'];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const at = LONGEST.findIndex((name) => moduleId.endsWith(`/e2e/${name}.test.ts`));
      return at < 0 ? LONGEST.length : at;
    };
    return (await super.sort(files)).sort((a, b) => place(a) - place(b));
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    // What a passing test prints is noise; what a failing one prints is a clue.
    silent: 'passed-only',
    projects,
  },
});
