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
    const small = await opening(page, 0);
    figures.push(...told(`${RECORDS.toLocaleString('en')} records (${megabytes(data)})`, small));
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
    figures.push(...(await longOne()));
  } finally {
    await cleanUp();
  }
  const empty = await emptyPage();
  figures.push({ label: 'the same for an empty React page', value: empty, unit: 'ms' });
  return { name: 'The window', figures };
}

const megabytes = ({ length }: { length: number }) => `${(length / 1e6).toFixed(0)} MB`;

const told = (what: string, { first, whole }: { first: number; whole: number }): Figure[] => [
  { label: `first rows of ${what}`, value: first, unit: 'ms' },
  { label: 'until all of it is read', value: whole, unit: 'ms' },
];

/** Opens a run of the list: milliseconds to its first rows, and until the window knows all of it. */
const opening = (page: Page, nth: number) =>
  page.evaluate(
    (at) =>
      new Promise<{ first: number; whole: number }>((resolve) => {
        const begun = performance.now();
        let first = 0;
        document.querySelectorAll<HTMLElement>('[data-run-row]')[at]?.click();
        const look = () => {
          const rows = document.querySelector('[data-row] [data-kind]');
          if (rows && first === 0) first = performance.now() - begun;
          if (rows && !document.querySelector('[role="status"] progress'))
            resolve({ first, whole: performance.now() - begun });
          else requestAnimationFrame(look);
        };
        look();
      }),
    nth,
  );

/** A journal of 120 MB: how soon it shows, what it costs to hold, and how it scrolls. */
async function longOne(): Promise<Figure[]> {
  const home = makeHome();
  mkdirSync(home.runs, { recursive: true, mode: 0o700 });
  const data = Buffer.concat(
    chatRecords('huge', RECORDS, 'words in a long sentence '.repeat(640)).map(encodeLine),
  );
  writeFileSync(join(home.runs, 'huge.json'), data, { mode: 0o600 });
  const { page, pid } = await start('browser door', { home });
  await page.addInitScript('globalThis.__name = (value) => value');
  await page.reload();
  await page.locator('[data-run-row]').waitFor();
  const before = await resident(page, pid);
  const times = await opening(page, 0);
  await page.waitForTimeout(1_000);
  const open = await resident(page, pid);
  const transcript = page.getByRole('group', { name: 'View' }).getByRole('button', { name: 'Transcript' });
  if (await transcript.isVisible()) await transcript.click();
  const frames = await page
    .getByRole('region', { name: /^(Transcript|Conversation)$/ })
    .evaluate(async (element) => {
      const gaps: number[] = [];
      let last = performance.now();
      for (let n = 0; n < 180; n++) {
        element.scrollBy(0, -60);
        const now = await new Promise<number>(requestAnimationFrame);
        gaps.push(now - last);
        last = now;
      }
      return gaps.slice(5).sort((a, b) => a - b);
    });
  const scrolled = await resident(page, pid);
  return [
    ...told(`${megabytes(data)} (${RECORDS.toLocaleString('en')} records)`, times),
    { label: 'main process before and with it open', value: before.main, unit: 'MB' },
    { label: '', value: Math.max(open.main, scrolled.main), unit: 'MB', aim: 'far below the journal' },
    { label: 'window before and with it open', value: before.window, unit: 'MB' },
    { label: '', value: Math.max(open.window, scrolled.window), unit: 'MB' },
    { label: 'frame while scrolling, median', value: frames[Math.floor(frames.length / 2)] ?? 0, unit: 'ms' },
    {
      label: 'frame while scrolling, 95 of 100',
      value: frames[Math.floor(frames.length * 0.95)] ?? 0,
      unit: 'ms',
      aim: '16.7',
    },
  ];
}

/** Memory that the processes hold, in MB; 0 where the system has no /proc. */
async function resident(page: Page, pid: number): Promise<{ main: number; window: number }> {
  const cdp = await page.context().browser()?.newBrowserCDPSession();
  const info = await cdp?.send('SystemInfo.getProcessInfo');
  const renderers = (info?.processInfo ?? []).filter(({ type }) => type === 'renderer');
  return { main: rss(pid), window: Math.max(0, ...renderers.map(({ id }) => rss(id))) };
}

function rss(pid: number): number {
  try {
    const found = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return Number(found?.[1] ?? 0) / 1_000;
  } catch {
    return 0;
  }
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
