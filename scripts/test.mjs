/**
 * `npm test`: everything that proves the product, in one command. It prepares what the lanes need, checks format, lint
 * and types, builds, runs every lane, says what was skipped and why, and ends with `N passed, N failed, N skipped`.
 *
 *   npm test                    all lanes, long tests sampled
 *   npm run soak                the same with the long counts
 *   npm test -- unit faults     only these lanes, without the checks
 *
 * With CI=true a skip is a failure, except for the one binary that a machine may be unable to have.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepare, project } from './prerequisites.mjs';

/**
 * What CI may lack: the Electron binary, and recordings of real services that are not part of this repository
 * (hand-written streams of every class they show are).
 */
const MAY_BE_MISSING = ['real Electron', 'recorded streams'];

/**
 * Folders of each lane, and the minutes after which it counts as hung. `beside`: a lane that mostly waits for servers
 * runs together with the one before it.
 */
const LANES = [
  { name: 'unit', folders: ['shared', 'main', 'renderer', 'repo'], minutes: 20 },
  { name: 'faults', folders: ['faults'], minutes: 20 },
  { name: 'nats', folders: ['nats'], minutes: 20, beside: true },
  { name: 'e2e', folders: ['e2e'], minutes: 20 },
];

const args = process.argv.slice(2);
const soak = args.includes('--soak');
const ci = process.env.CI === 'true';
const chosen = args.filter((arg) => !arg.startsWith('-'));
const unknown = chosen.filter((name) => !LANES.some((lane) => lane.name === name));
if (unknown.length > 0) {
  console.error(
    `no such lane: ${unknown.join(', ')} (there are: ${LANES.map(({ name }) => name).join(', ')})`,
  );
  process.exit(2);
}

const counts = { passed: 0, failed: 0, skipped: 0 };
const skips = [];
const figures = [];
const failures = [];
/** Tests that passed only when they were tried once more. */
const unsteady = [];
const took = [];
const started = Date.now();
const seconds = (since) => `${((Date.now() - since) / 1000).toFixed(1)} s`;
const title = (text) => console.log(`\n== ${text}`);

function fail(what) {
  counts.failed++;
  failures.push(what);
}
function skip(target, reason) {
  counts.skipped++;
  skips.push(reason ? `${target}: ${reason}` : target);
}

/**
 * Runs a step with its output shown, in a process group of its own, so that nothing of it outlives its time. `heading`:
 * it runs beside another, and what it says is shown below that once it is over.
 */
function step(name, command, minutes, { env = {}, heading } = {}) {
  const since = Date.now();
  return new Promise((resolve) => {
    const said = heading === undefined ? 'inherit' : 'pipe';
    const child = spawn(command[0], command.slice(1), {
      cwd: project,
      stdio: ['ignore', said, said],
      env: { ...process.env, ...env },
      detached: process.platform !== 'win32',
      shell: process.platform === 'win32',
    });
    const chunks = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => chunks.push(chunk));
    const stop = (signal) => {
      try {
        process.kill(process.platform === 'win32' ? child.pid : -child.pid, signal);
      } catch {
        // Gone already.
      }
    };
    const forward = () => stop('SIGKILL');
    process.once('exit', forward);
    let hung = false;
    const timer = setTimeout(() => {
      hung = true;
      stop('SIGKILL');
    }, minutes * 60_000);
    const done = (code, why) => {
      clearTimeout(timer);
      process.off('exit', forward);
      took.push(`${name} ${seconds(since)}`);
      if (heading !== undefined) later.push({ heading, text: Buffer.concat(chunks) });
      resolve({ ok: code === 0, why: hung ? `not done after ${minutes} minutes` : why });
    };
    child.once('error', (error) => done(1, error.message));
    child.once('close', (code, signal) =>
      done(code ?? 1, signal ? `ended by ${signal}` : `exit code ${code}`),
    );
  });
}

/** What steps said that ran beside another. */
const later = [];
function showLater() {
  for (const { heading, text } of later.splice(0)) {
    title(heading);
    process.stdout.write(text);
  }
}

const hasTests = (lane) =>
  lane.folders
    .map((folder) => join(project, 'test', folder))
    .filter(existsSync)
    .some((folder) =>
      readdirSync(folder, { recursive: true }).some((file) => /\.test\.tsx?$/.test(`${file}`)),
    );

async function runLane(lane, env, heading) {
  const work = mkdtempSync(join(tmpdir(), 'holdfast-report-'));
  const report = join(work, 'lines');
  const vitest = join(project, 'node_modules', 'vitest', 'vitest.mjs');
  try {
    const { ok, why } = await step(
      lane.name,
      [
        process.execPath,
        vitest,
        'run',
        '--project',
        lane.name,
        '--reporter=default',
        `--reporter=${join(project, 'scripts', 'reporter.mjs')}`,
      ],
      lane.minutes * (soak ? 12 : 1),
      { env: { ...env, HOLDFAST_REPORT: report, ...(soak && { HOLDFAST_SOAK: '1' }) }, heading },
    );
    const lines = existsSync(report)
      ? readFileSync(report, 'utf8').split('\n').filter(Boolean).map(JSON.parse)
      : [];
    for (const line of lines) {
      if (line.state === 'passed') counts.passed++;
      else if (line.state === 'failed') fail(line.test);
      else if (line.state === 'skipped')
        skip(line.note || line.test, line.note ? '' : 'skipped without a reason');
      if (line.again) unsteady.push(line.test);
      figures.push(...(line.figures ?? []));
    }
    if (!lines.some((line) => line.end)) fail(`${lane.name}: the runner did not finish (${why})`);
    else if (!ok && !lines.some((line) => line.state === 'failed')) fail(`${lane.name}: ${why}`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function main() {
  title('prepare');
  const { env, missing } = prepare((line) => console.log(line));
  for (const { what, why } of missing) console.log(`missing: ${what}: ${why}`);

  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  if (chosen.length === 0) {
    const parts = ['check:format', 'check:lint', 'check:types'];
    await Promise.all(
      parts.map(async (part) => {
        const { ok, why } = await step(part, [npm, 'run', '--silent', part], 10, { heading: part });
        if (!ok) fail(`${part}: ${why}`);
      }),
    );
    showLater();
  }

  title('build');
  const build = await step('build', [npm, 'run', '--silent', 'build', '--', '--logLevel', 'warn'], 5);
  if (!build.ok) fail(`build: ${build.why}`);

  const lanes = LANES.filter((lane) => (chosen.length === 0 || chosen.includes(lane.name)) && hasTests(lane));
  while (lanes.length > 0) {
    const [lane, next] = lanes;
    const together = next?.beside ? lanes.splice(0, 2) : lanes.splice(0, 1);
    title(`tests: ${together.map(({ name }) => name).join(' and ')}`);
    await Promise.all(
      together.map((one) => runLane(one, env, one === lane ? undefined : `tests: ${one.name}`)),
    );
    showLater();
  }

  // What no test could even try. A lane that met the same gap has told it already.
  for (const { what, why } of missing) if (!skips.some((text) => text.startsWith(what))) skip(what, why);

  const forbidden = ci ? skips.filter((text) => !MAY_BE_MISSING.some((what) => text.startsWith(what))) : [];
  for (const text of forbidden) fail(`skipped, which CI does not allow: ${text}`);
  if (counts.passed === 0) fail('no test ran');

  title('result');
  console.log(`${took.join(', ')}; ${seconds(started)} in all`);
  for (const text of figures) console.log(`figures: ${text}`);
  for (const text of count(skips)) console.log(`skipped: ${text}`);
  for (const text of unsteady) console.log(`passed at the second try: ${text}`);
  for (const text of failures) console.log(`failed: ${text}`);
  console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  process.exitCode = counts.failed > 0 ? 1 : 0;
}

/** Equal lines once, with how often they came. */
function count(texts) {
  const times = new Map();
  for (const text of texts) times.set(text, (times.get(text) ?? 0) + 1);
  return [...times].map(([text, n]) => (n > 1 ? `${text} (${n} times)` : text));
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(130));
await main();
