import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium as playwright, type Page } from 'playwright';
import { build } from 'vite';
import { encodeLine } from '../../src/shared/run/codec';
import { cleanUp, makeHome, start } from '../e2e/harness';
import { CHROMIUM_FLAGS } from '../support/chromium-flags.mjs';
import { chatRecords } from '../support/journal-records';
import { chromium } from '../support/prerequisites';

const RECORDS = 10_000;
const STARTS = 5;
/** Seconds of doing nothing. */
const IDLE = 10;

interface Figure {
  label: string;
  value: number;
  unit: string;
  aim?: string;
}

/** Opening a run of ten thousand records, doing nothing, and starting, in the real app. */
export async function bench() {
  const figures: Figure[] = [];
  try {
    const home = makeHome();
    mkdirSync(home.runs, { recursive: true, mode: 0o700 });
    const text = 'some words in a sentence, and `code`, and **more**. '.repeat(30);
    const data = Buffer.concat(chatRecords('long', RECORDS, text).map(encodeLine));
    writeFileSync(join(home.runs, 'long.json'), data, { mode: 0o600 });
    const started = await start('browser door', { home });
    const { page, pid } = started;
    // The runner names inner functions with a helper that pages do not have.
    await page.addInitScript('globalThis.__name = (value) => value');
    await page.reload();
    await page.locator('[data-run-row]').waitFor();
    const opened = await page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          const begun = performance.now();
          document.querySelector<HTMLElement>('[data-run-row]')?.click();
          const look = () => {
            if (document.querySelector('[data-row] [data-kind]')) resolve(performance.now() - begun);
            else requestAnimationFrame(look);
          };
          look();
        }),
    );
    const megabytes = data.length / 1e6;
    figures.push({
      label: `first rows of ${RECORDS.toLocaleString('en')} records (${megabytes.toFixed(0)} MB)`,
      value: opened,
      unit: 'ms',
    });
    const transcript = page.getByRole('group', { name: 'View' }).getByRole('button', { name: 'Transcript' });
    if (await transcript.isVisible()) await transcript.click();
    const scroller = page.getByRole('region', { name: /^(Transcript|Conversation)$/ });
    const nodes = () => page.evaluate(() => document.querySelectorAll('*').length);
    let most = await nodes();
    const gaps: number[] = [];
    for (let at = 0; at <= 20; at++) {
      gaps.push(
        await scroller.evaluate(async (element, share) => {
          const begun = performance.now();
          element.scrollTo(0, (element.scrollHeight - element.clientHeight) * share);
          await new Promise(requestAnimationFrame);
          await new Promise(requestAnimationFrame);
          return performance.now() - begun;
        }, at / 20),
      );
      await page.locator('[data-row] [data-kind]').first().waitFor();
      most = Math.max(most, await nodes());
    }
    figures.push({
      label: 'most elements in the page while scrolling through',
      value: most,
      unit: '',
      aim: 'bounded',
    });
    figures.push({ label: 'a jump to another place, median', value: median(gaps), unit: 'ms' });

    await page.waitForTimeout(1_500);
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('Performance.enable');
    const busy = async () =>
      (await cdp.send('Performance.getMetrics')).metrics.find((one) => one.name === 'TaskDuration')?.value ??
      0;
    const before = { page: await busy(), main: cpuSeconds(pid) };
    await page.waitForTimeout(IDLE * 1_000);
    figures.push({
      label: 'the window at rest',
      value: (((await busy()) - before.page) / IDLE) * 100,
      unit: '% of a core',
      aim: 'near 0',
    });
    figures.push({
      label: 'the main process at rest',
      value: ((cpuSeconds(pid) - before.main) / IDLE) * 100,
      unit: '% of a core',
      aim: 'near 0',
    });
    const url = page.url();
    const own: number[] = [];
    for (let n = 0; n < STARTS; n++) {
      await page.goto(url);
      await page.locator('[data-composer], main header h1').first().waitFor();
      own.push(await interactive(page));
    }
    figures.push({ label: 'load to interactive, median', value: median(own), unit: 'ms' });
  } finally {
    await cleanUp();
  }
  const empty = await emptyPage();
  figures.push({ label: 'the same for an empty React page', value: empty, unit: 'ms' });
  return { name: 'The window', figures };
}

/** Milliseconds from the beginning of the load to the first frame in which something can be used. */
const interactive = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        requestAnimationFrame(() => setTimeout(() => resolve(performance.now()), 0));
      }),
  );

async function emptyPage(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-empty-'));
  const modules = join(import.meta.dirname, '..', '..', 'node_modules');
  writeFileSync(
    join(folder, 'index.html'),
    '<div id="root"></div><script type="module" src="./main.js"></script>',
  );
  writeFileSync(
    join(folder, 'main.js'),
    `import { createElement } from ${JSON.stringify(join(modules, 'react/index.js'))};
import { createRoot } from ${JSON.stringify(join(modules, 'react-dom/client.js'))};
createRoot(document.getElementById('root')).render(createElement('textarea', { 'data-composer': true }));`,
  );
  await build({
    root: folder,
    logLevel: 'silent',
    build: { outDir: join(folder, 'out') },
    configFile: false,
  });
  const server = createServer((request, response) => {
    const path = join(folder, 'out', request.url === '/' ? 'index.html' : (request.url ?? ''));
    try {
      response.setHeader('content-type', path.endsWith('.js') ? 'text/javascript' : 'text/html');
      response.end(readFileSync(path));
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const browser = await playwright.launch({ executablePath: chromium() ?? '', args: CHROMIUM_FLAGS });
  try {
    const page = await browser.newPage();
    await page.addInitScript('globalThis.__name = (value) => value');
    const times: number[] = [];
    for (let n = 0; n <= STARTS; n++) {
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      await page.locator('[data-composer]').waitFor();
      times.push(await interactive(page));
    }
    return median(times.slice(1));
  } finally {
    await browser.close();
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const median = (values: number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Processor time of a process so far; 0 where the system has no /proc. */
function cpuSeconds(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return 0;
  }
}
