import { chromium as playwright, type CDPSession } from 'playwright';
import { longText } from '../../src/main/model/practice/words';
import { CHROMIUM_FLAGS } from '../support/chromium-flags.mjs';
import { fakeApp } from '../support/fake-app';
import { built, chromium } from '../support/prerequisites';
import { head, makeScene, row } from '../support/scenes';

/** Lines that are streamed in front of each measurement, and within it. */
const PLACES = [100, 1_000, 3_000];
const WINDOW = 100;

/** One line of a streaming answer a frame: what a frame costs, near its beginning and far behind it. */
export async function bench() {
  const scene = makeScene();
  const run = row('long', 'A long answer', 'running', '', 1);
  scene.rows = [run];
  scene.runs.set('long', {
    items: [{ kind: 'prompt', key: '1.0', seq: 1, text: 'long' }],
    head: head(run, { mode: 'live', phase: 'calling', items: 1, lastSeq: 1 }),
  });
  const app = await fakeApp(built('renderer') ?? '', scene);
  const browser = await playwright.launch({ executablePath: chromium() ?? '', args: CHROMIUM_FLAGS });
  const figures: { label: string; value: number; unit: string; aim?: string }[] = [];
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    // The runner names inner functions with a helper that pages do not have.
    await page.addInitScript('globalThis.__name = (value) => value');
    await page.goto(app.link());
    await page.locator('[data-run-row]').click();
    await page.locator('[data-tail]').waitFor();
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('Performance.enable');
    const lines = longText((PLACES.at(-1) ?? 0) + 2 * WINDOW).split('\n');
    let sent = 0;
    let at = 0;
    const send = (count: number) => {
      const text = `${lines.slice(at, at + count).join('\n')}\n`;
      app.change('long', 1, { type: 'stream', part: 'text', iteration: 1, from: sent, text });
      sent += text.length;
      at += count;
    };
    const frame = () =>
      page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => resolve(undefined))));
    const cost: number[] = [];
    for (const place of PLACES) {
      while (at < place - WINDOW / 2) {
        send(Math.min(20, place - WINDOW / 2 - at));
        await frame();
      }
      // What is still to be parsed and coloured from before does not belong to this place.
      await page.waitForTimeout(1_500);
      const before = await metrics(cdp);
      const started = at;
      const gaps = page.evaluate(
        () =>
          new Promise<number[]>((resolve) => {
            const all: number[] = [];
            let last = performance.now();
            const step = (now: number) => {
              all.push(now - last);
              last = now;
              if (all.length < 100) requestAnimationFrame(step);
              else resolve(all.sort((a, b) => a - b));
            };
            requestAnimationFrame(step);
          }),
      );
      while (at < started + WINDOW) {
        send(1);
        await frame();
      }
      const after = await metrics(cdp);
      const sorted = await gaps;
      const ms = ((after.busy - before.busy) * 1_000) / WINDOW;
      cost.push(ms);
      figures.push({ label: `work for a line at line ${place}`, value: ms, unit: 'ms' });
      figures.push({ label: `frame at line ${place}, 95 of 100`, value: sorted[94] ?? 0, unit: 'ms' });
      figures.push({ label: `nodes at line ${place}`, value: after.nodes, unit: '' });
    }
    figures.push({
      label: `line ${PLACES.at(-1)} against line ${PLACES[0]}`,
      value: (cost.at(-1) ?? 0) / (cost[0] ?? 1),
      unit: 'x',
      aim: 'about 1',
    });
  } finally {
    await browser.close();
    await app.close();
  }
  return { name: 'A streaming answer', figures };
}

async function metrics(cdp: CDPSession): Promise<{ busy: number; nodes: number }> {
  const { metrics } = await cdp.send('Performance.getMetrics');
  const of = (name: string) => metrics.find((one) => one.name === name)?.value ?? 0;
  return { busy: of('TaskDuration'), nodes: of('Nodes') };
}
