import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { resumeRun } from '../../src/main/agent';
import { storedQueue } from '../../src/main/agent/queue';
import { fileStore } from '../../src/main/journal/file';
import type { RunStore } from '../../src/main/journal/journal';
import { testParts, testProfile } from '../support/agent';
import { built, need, project, sampled, soak } from '../support/prerequisites';
import { scriptedModel } from '../support/scripted-model';
import { queuePoints, queueTrial } from './kill/served';
import type { QueueVerdict } from './kill/served';

/** A chat with messages that wait, killed at every point where it touches its store; then resumed, then sent by hand. */
const LOADER = pathToFileURL(join(import.meta.dirname, 'kill', 'loader.mjs')).href;

interface Plan {
  at?: number;
  log?: string;
  forgets?: boolean;
}

/** Runs the chat until it ends or is killed; gives what it accepted. */
function chat(store: string, { forgets = false, ...plan }: Plan): Promise<string[]> {
  const child = spawn(
    process.execPath,
    [
      '--import',
      'tsx',
      '--import',
      LOADER,
      join(project, 'test/support/queue-child.ts'),
      JSON.stringify({ store, forgets }),
    ],
    {
      cwd: project,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, HOLDFAST_KILL: JSON.stringify({ store, ...plan }) },
    },
  );
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () =>
      resolve(
        out
          .split('\n')
          .slice(0, -1)
          .map((line) => JSON.parse(line) as string),
      ),
    );
  });
}

const sentIn = async (store: RunStore): Promise<string[]> =>
  (await store.load('run')).records.flatMap(
    ({ user }) => user?.message.content?.map((block) => block.text?.text ?? '') ?? [],
  );
const parts = () => testParts(scriptedModel([{ text: 'later' }], { repeat: true }));

/** One kill, a resume, and everything that waits sent by hand. */
async function trial(
  plan: Plan,
): Promise<{ lost: string[]; doubled: string[]; unasked: string[]; accepted: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-queue-'));
  try {
    const accepted = await chat(folder, plan);
    const store = fileStore(folder);
    const verdict = {
      lost: [] as string[],
      doubled: [] as string[],
      unasked: [] as string[],
      accepted: accepted.length,
    };
    const there = await store.load('run').catch(() => undefined);
    if (!there) return { ...verdict, lost: accepted };
    const before = await sentIn(store);
    const waits = (await storedQueue(store, 'run', () => 'x')).messages.map(({ text }) => text);
    for (const text of accepted) if (![...before, ...waits].includes(text)) verdict.lost.push(text);

    const options = { store, id: 'run', profile: testProfile(), approvals: 'ask' as const };
    const resumed = await resumeRun(parts(), options);
    await resumed.settled();
    await resumed.close();
    for (const text of await sentIn(store)) if (!before.includes(text)) verdict.unasked.push(text);

    for (const { id } of (await storedQueue(store, 'run', () => 'x')).messages) {
      const session = await resumeRun(parts(), { ...options, send: id, instead: true });
      await session.settled();
      await session.close();
    }
    const all = await sentIn(store);
    for (const text of new Set(all))
      if (all.filter((one) => one === text).length > 1) verdict.doubled.push(text);
    for (const text of [...accepted, ...waits])
      if (!all.includes(text) && !verdict.lost.includes(text)) verdict.lost.push(text);
    await store.close();
    return verdict;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function pointsOf(): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-queue-'));
  try {
    const log = join(folder, 'points');
    expect(await chat(join(folder, 'runs'), { log })).toEqual(['first', 'second', 'third']);
    return readFileSync(log, 'utf8').split('\n').filter(Boolean);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe('messages that wait, in a chat that is killed,', () => {
  it('are lost 0 times, doubled 0 times and sent unasked 0 times', async (context) => {
    const points = await pointsOf();
    expect(points.length).toBeGreaterThan(40);
    const step = sampled(Math.ceil(points.length / 4), 1);
    const total = {
      lost: [] as string[],
      doubled: [] as string[],
      unasked: [] as string[],
      accepted: 0,
      kills: 0,
    };
    for (let at = Math.floor(step / 2); at < points.length; at += step) {
      const { lost, doubled, unasked, accepted } = await trial({ at });
      const named = (text: string) => `${text} at ${at} (${points[at] ?? ''})`;
      total.lost.push(...lost.map(named));
      total.doubled.push(...doubled.map(named));
      total.unasked.push(...unasked.map(named));
      total.accepted += accepted;
      total.kills++;
    }
    await context.annotate(
      `queue kills: ${total.kills} kills, ${total.accepted} messages accepted; lost ${total.lost.length}, ` +
        `doubled ${total.doubled.length}, sent unasked ${total.unasked.length}`,
      'figures',
    );
    expect(total).toMatchObject({ lost: [], doubled: [], unasked: [] });
    expect(total.accepted).toBeGreaterThan(0);
  }, 600_000);

  it('of a build that has its queue in memory only, are seen to be lost', async () => {
    const points = await pointsOf();
    const user = points.findIndex((name) => name === 'before write user');
    const { lost } = await trial({
      at: points.slice(0, user).findLastIndex((name) => name.startsWith('before write assistant')),
      forgets: true,
    });
    expect(lost.length).toBeGreaterThan(0);
  }, 120_000);
});

describe('messages that wait, in the built product that is killed,', () => {
  it('are lost 0 times, doubled 0 times and sent unasked 0 times, by the window’s door and by the command', async (context) => {
    const product = {
      serve: need(context, built('main/serve.js'), 'queue kills', 'run `npm run build` first'),
      cli: need(context, built('main/cli.js'), 'queue kills', 'run `npm run build` first'),
    };
    // A message is put beside the run, and one is sent; in the long lane every point there is.
    const moments = soak
      ? (await queuePoints(product)).map((name, at) => ({ name, plan: { at } }))
      : [
          { name: 'after write .queue.tmp', nth: 2 },
          { name: 'before write user', nth: 1 },
        ].map((point) => ({ name: point.name, plan: { point } }));
    const verdicts: (QueueVerdict & { name: string })[] = [];
    const left = [...moments];
    const worker = async (): Promise<void> => {
      for (let one = left.shift(); one; one = left.shift())
        verdicts.push({ ...(await queueTrial(product, one.plan)), name: one.name });
    };
    await Promise.all([worker(), worker()]);
    const all = (pick: (verdict: QueueVerdict) => string[]): string[] =>
      verdicts.flatMap((verdict) => pick(verdict).map((text) => `${text} at ${verdict.name}`));
    const [kills, accepted] = [
      verdicts.filter(({ killed }) => killed).length,
      verdicts.flatMap((verdict) => verdict.accepted).length,
    ];
    await context.annotate(
      `queue kills of the built product: ${kills} kills, ${accepted} messages accepted`,
      'figures',
    );
    expect(all(({ lost }) => lost)).toEqual([]);
    expect(all(({ doubled }) => doubled)).toEqual([]);
    expect(all(({ unasked }) => unasked)).toEqual([]);
    expect(kills).toBeGreaterThanOrEqual(moments.length / 2);
    expect(accepted).toBeGreaterThan(0);
  }, 3_600_000);
});
