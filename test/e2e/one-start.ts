import { afterAll, beforeAll, beforeEach, describe } from 'vitest';
import { cleanUp, start, TARGETS, type Started, type Target } from './harness';
import { ready } from './steps';

/**
 * `body` once for each target, with all of its tests on one start of the app, which costs more than most of them: for
 * tests that need no start of their own. Each finds the page loaded anew; what stays is what the app keeps.
 */
export function onOneStart(
  name: string,
  body: (app: () => Started, target: Target) => void,
  targets: readonly Target[] = TARGETS,
): void {
  for (const target of targets) {
    describe(`${name} (${target})`, () => {
      let app: Started | undefined;
      let used = false;
      const started = () => {
        if (!app) throw new Error('The app did not start.');
        return app;
      };
      beforeAll(async () => {
        app = await start(target);
      });
      beforeEach(async () => {
        const { page } = started();
        // Without its address a reload shows the first view, not the one that the test before ended with.
        if (used) await page.evaluate(() => history.replaceState(null, '', location.pathname));
        if (used) await page.reload();
        used = true;
        await ready(page);
      });
      afterAll(cleanUp);
      body(started, target);
    });
  }
}
