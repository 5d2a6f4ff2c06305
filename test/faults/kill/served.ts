import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { WebSocket } from 'ws';
import { connect, type Client } from '../../../src/shared/contract/connect';
import { LIVE_PATH } from '../../../src/shared/contract/paths';
import { socketPort } from '../../../src/shared/contract/text-port';
import { isFailure } from '../../../src/shared/run/failure';
import { storedQueue } from '../../../src/main/agent/queue';
import { fileStore } from '../../../src/main/journal/file';
import { Shown, startChat } from '../../support/app';
import { enter } from '../../support/door';
import { until } from '../../support/wait';
import { command } from './command';
import type { KillPoint } from './command';

/** The built product with a chat whose messages wait: the browser door takes them, the command resumes the run. */
export interface Built {
  serve: string;
  cli: string;
}

export interface QueueVerdict {
  accepted: string[];
  lost: string[];
  doubled: string[];
  unasked: string[];
  killed: boolean;
}

interface Plan {
  at?: number;
  point?: KillPoint;
  log?: string;
}

const LOADER = pathToFileURL(join(import.meta.dirname, 'loader.mjs')).href;
const SLOW = 'slowly long 30';

/** A home and what is in it. */
class Home {
  readonly path = mkdtempSync(join(tmpdir(), 'holdfast-queue-'));
  readonly runs = join(this.path, 'runs');
  readonly folder = join(this.path, 'folder');
  readonly env = {
    ...Object.fromEntries(
      ['XDG_STATE_HOME', 'XDG_CONFIG_HOME', 'XDG_CACHE_HOME'].map((name) => [name, join(this.path, name)]),
    ),
    HOLDFAST_PRACTICE_DELAY: '0',
    HOLDFAST_PRACTICE_SLOW: '40',
  };

  constructor() {
    mkdirSync(this.folder);
  }

  get id(): string | undefined {
    return this.#names()
      .find((name) => /^\w+\.json$/.test(name))
      ?.slice(0, -'.json'.length);
  }

  #names(): string[] {
    try {
      return readdirSync(this.runs);
    } catch {
      return [];
    }
  }

  /** Texts that the journal has as said by the person, and those that wait. */
  async words(id: string): Promise<{ sent: string[]; waits: string[] }> {
    const store = fileStore(this.runs);
    try {
      const { records } = await store.load(id);
      const { messages } = await storedQueue(store, id, () => 'x');
      return {
        sent: records.flatMap(
          ({ user }) => user?.message.content?.map((block) => block.text?.text ?? '') ?? [],
        ),
        waits: messages.map(({ text }) => text),
      };
    } finally {
      await store.close();
    }
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Starts the built browser door, gives a window's client to `work`, and ends it; whether it was killed meanwhile. */
async function served(
  { serve }: Built,
  home: Home,
  plan: Plan | undefined,
  work: (client: Client) => Promise<void>,
): Promise<boolean> {
  const words = [serve, '--store', `file:${home.runs}`, '--folder', home.folder];
  const child = spawn(process.execPath, [...(plan ? ['--import', LOADER] : []), ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      ...home.env,
      ...(plan && { HOLDFAST_KILL: JSON.stringify({ store: home.runs, ...plan }) }),
    },
  });
  const gone = once(child, 'exit').then(() => child.signalCode === 'SIGKILL');
  const lines = createInterface({ input: child.stdout });
  const opened = new Promise<string>((resolve) =>
    lines.on('line', (line) => {
      const link = /open at (\S+)/.exec(line)?.[1];
      if (link !== undefined) resolve(link);
    }),
  );
  let socket: WebSocket | undefined;
  const use = async (): Promise<void> => {
    const { host, cookie } = await enter(await opened);
    socket = new WebSocket(`ws://${host}${LIVE_PATH}`, { headers: { origin: `http://${host}`, cookie } });
    await once(socket, 'open');
    await work(connect(socketPort(socket)));
  };
  let over = false;
  // Calls that were under way when it was killed fail; that is no failure of the test.
  const used = use().catch((error: unknown) => {
    if (!over && !isFailure(error, 'disconnected')) throw error;
  });
  try {
    await Promise.race([used, gone]);
  } finally {
    over = true;
    socket?.terminate();
    child.kill('SIGTERM');
  }
  return gone;
}

const atRest = (shown: Shown): boolean =>
  shown.head !== undefined && (shown.head.mode !== 'live' || shown.head.phase === 'idle');

/** Says two messages while the agent works, waits until all three are answered, and says one more. */
async function chat(built: Built, home: Home, plan: Plan): Promise<{ accepted: string[]; killed: boolean }> {
  const accepted: string[] = [];
  const killed = await served(built, home, plan, async (client) => {
    const { id, shown } = await startChat(client, SLOW, { folder: home.folder });
    for (const text of ['first', 'second']) {
      const { done } = await client.call('run.say', { id, text: `say ${text}`, queue: true });
      if (done) accepted.push(`say ${text}`);
    }
    await until(() => shown.head?.queued.length === 0 && atRest(shown), 60_000);
  });
  return { accepted, killed };
}

/** One kill; the command resumes the run; then the person sends all that waits. */
export async function queueTrial(built: Built, plan: Plan): Promise<QueueVerdict> {
  const home = new Home();
  try {
    const { accepted, killed } = await chat(built, home, plan);
    const verdict: QueueVerdict = { accepted, killed, lost: [], doubled: [], unasked: [] };
    const { id } = home;
    if (id === undefined) return { ...verdict, lost: accepted };
    const before = await home.words(id).catch(() => undefined);
    if (!before) return { ...verdict, lost: accepted };
    verdict.lost.push(...accepted.filter((text) => ![...before.sent, ...before.waits].includes(text)));

    // A chat that is at rest has nothing to resume, and says so.
    await command(built.cli, ['resume', id, '--store', `file:${home.runs}`, '--folder', home.folder]);
    const resumed = await home.words(id);
    verdict.unasked.push(...resumed.sent.filter((text) => !before.sent.includes(text)));
    verdict.lost.push(...before.waits.filter((text) => !resumed.waits.includes(text)));

    if (resumed.waits.length > 0)
      await served(built, home, undefined, async (client) => {
        const shown = new Shown(client, id);
        await until(() => shown.head !== undefined && shown.head.queued.length === resumed.waits.length);
        while (shown.head!.queued.length > 0) {
          const [message] = shown.head!.queued;
          await client.call('run.send', { id, message: message!.id });
          await until(
            () => !shown.head!.queued.some((one) => one.id === message!.id) && atRest(shown),
            60_000,
          );
        }
      });
    const { sent, waits } = await home.words(id);
    for (const text of new Set([...accepted, ...before.waits])) {
      const times = [...sent, ...waits].filter((one) => one === text).length;
      if (times > 1) verdict.doubled.push(text);
      if (times === 0 && !verdict.lost.includes(text)) verdict.lost.push(text);
    }
    if (waits.length > 0) verdict.lost.push(...waits.map((text) => `${text} (cannot be sent)`));
    return verdict;
  } finally {
    home.remove();
  }
}

/** Names of all points of one undisturbed chat, in order. */
export async function queuePoints(built: Built): Promise<string[]> {
  const home = new Home();
  try {
    const log = join(home.path, 'points');
    const { accepted } = await chat(built, home, { log });
    if (accepted.length !== 2) throw new Error(`accepted ${accepted.length} of 2`);
    return readFileSync(log, 'utf8').split('\n').filter(Boolean);
  } finally {
    home.remove();
  }
}
