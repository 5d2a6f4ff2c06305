/**
 * A Vitest reporter for scripts/test.mjs: one JSON line for each finished test, written at once to the file that
 * HOLDFAST_REPORT names, so that the counts survive a lane that hangs or dies.
 */
import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';

export default class LineReporter {
  #file = process.env.HOLDFAST_REPORT;

  #write(line) {
    if (this.#file) appendFileSync(this.#file, JSON.stringify(line) + '\n');
  }

  onTestCaseResult(test) {
    const result = test.result();
    this.#write({
      test: `${test.module.relativeModuleId} > ${test.fullName}`,
      state: result.state,
      note: result.state === 'skipped' ? (result.note ?? test.options?.mode ?? '') : undefined,
      again: test.diagnostic()?.flaky || undefined,
      figures: test.annotations().flatMap(({ type, message }) => (type === 'figures' ? [message] : [])),
    });
  }

  onTestRunEnd(modules, unhandledErrors) {
    // A file that cannot be loaded, or a failing hook around tests, has no test case of its own.
    for (const module of modules) {
      if (module.errors().length > 0) this.#write({ test: module.relativeModuleId, state: 'failed' });
      for (const suite of module.children.allSuites())
        if (suite.errors().length > 0)
          this.#write({ test: `${module.relativeModuleId} > ${suite.fullName}`, state: 'failed' });
    }
    for (const error of unhandledErrors) {
      const file = error.VITEST_TEST_PATH;
      const where = file ? ` (while ${relative(process.cwd(), file)} ran)` : '';
      this.#write({ test: `unhandled: ${error.message ?? 'error'}${where}`, state: 'failed' });
    }
    this.#write({ end: true });
  }
}
