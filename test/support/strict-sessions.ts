import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resumeRun, startRun } from '../../src/main/agent/index';
import type { AgentParts, Outcome, Session } from '../../src/main/agent/session';
import { fileStore } from '../../src/main/journal/file/index';
import type { RunStore } from '../../src/main/journal/journal';
import { anthropicModel } from '../../src/main/model/anthropic/index';
import { openaiModel } from '../../src/main/model/openai/index';
import { isFailure } from '../../src/shared/run/failure';
import type { Profile } from '../../src/shared/run/profile';
import { witnessOf } from '../../src/main/settings/witness';
import { toolsFor } from '../../src/main/tool/registry';
import { anthropicStandIn } from './anthropic-standin';
import { testProfile } from './model-calls';
import { openaiStandIn } from './openai-standin';
import { Seeded } from './seeded';
import type { StandIn } from './standin';

export interface SessionReport {
  seed: number;
  requests: number;
  answered: number;
  rejected: string[];
  /** Files of the run's folder that hold the key. */
  leaks: string[];
  /** What was done to the run: say, resume, kill … */
  deeds: string[];
  /** Ways in which a turn ended. */
  outcomes: string[];
}

const KEY = 'test-key-0123456789';
const MOST_DEEDS = 14;
/** Milliseconds in which a session must come to rest: everything here answers at once. */
const PATIENCE = 60_000;

/**
 * One run, by chance but repeatable in its choices: a chat or a single task against a strict stand-in, with tools that
 * really work on files, stopped, paused, closed, killed (its folder is copied in the middle of things and taken up
 * from the copy), resumed and reset. Everything but the service is the product's own.
 */
export async function strictSession(seed: number, api: 'anthropic' | 'openai'): Promise<SessionReport> {
  const scene = await Scene.open(seed, api);
  try {
    await scene.play();
    const { requests, answered } = scene.service.counts;
    const { deeds, outcomes } = scene;
    const { rejected } = scene.service;
    return { seed, requests, answered, rejected, leaks: scene.leaks(), deeds, outcomes };
  } finally {
    await scene.close();
  }
}

class Scene {
  readonly deeds: string[] = [];
  readonly outcomes: string[] = [];
  private store: RunStore;
  private copies = 0;
  private resets = 0;
  private id = 'run';
  private readonly random: Seeded;
  private readonly parts: AgentParts;
  private readonly profile: Profile;
  private readonly chat: boolean;
  private readonly sessions: Session[] = [];
  /** Killed ones: what they still say comes from a process that is no more. */
  private readonly dead = new Set<Session>();

  private constructor(
    private readonly seed: number,
    private readonly root: string,
    readonly service: StandIn,
    api: 'anthropic' | 'openai',
  ) {
    this.random = new Seeded(seed + 7919);
    this.chat = this.random.chance(0.75);
    this.profile = testProfile({
      provider: api,
      model: 'strict-1',
      endpoint: service.origin,
      key_env: 'K',
      system_prompt: this.random.pick(['', 'Be brief.']),
      thinking: this.random.chance(0.5),
      tools: this.random.chance(0.9)
        ? ['list_files', 'read_file', 'search_text', 'file_stats', 'write_file', 'append_file']
        : [],
    });
    const options = { env: { K: KEY }, backoffMs: 1, graceMs: 200 };
    this.parts = {
      model: (profile) =>
        api === 'anthropic' ? anthropicModel(profile, options) : openaiModel(profile, options),
      tools: toolsFor,
      witness: witnessOf(Buffer.alloc(32, 7)),
      secrets: () => [KEY],
      now: () => new Date(),
      newId: () => `run-${++this.resets}`,
    };
    this.store = fileStore(this.runs());
  }

  static async open(seed: number, api: 'anthropic' | 'openai'): Promise<Scene> {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-strict-')));
    mkdirSync(join(root, 'work'));
    writeFileSync(join(root, 'work', 'notes.txt'), 'one\nhay\nthree\n');
    const open = api === 'anthropic' ? anthropicStandIn : openaiStandIn;
    return new Scene(seed, root, await open({ seed, key: KEY, troubles: true }), api);
  }

  leaks(): string[] {
    return readdirSync(this.root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => readFileSync(file).includes(KEY));
  }

  async close(): Promise<void> {
    for (const session of this.sessions) await session.close();
    await this.store.close();
    await this.service.stop();
    rmSync(this.root, { recursive: true, force: true });
  }

  async play(): Promise<void> {
    let session: Session | undefined = await this.begin();
    while (session !== undefined && this.deeds.length < MOST_DEEDS) session = await this.next(session);
  }

  private runs(): string {
    return join(this.root, `runs-${this.copies}`);
  }

  private async begin(): Promise<Session> {
    this.deeds.push('start');
    const session = await startRun(this.parts, {
      store: this.store,
      id: this.id,
      prompt: this.random.pick(['Look around.', '  ', 'Grüße <b>!']),
      chat: this.chat,
      profile: this.profile,
      folder: join(this.root, 'work'),
      approvals: 'ask',
      ...(this.random.chance(0.5) && { allow: ['append_file', 'write_file'] }),
    });
    return this.watch(session);
  }

  /** Follows a session to where it rests, disturbing it on the way; then does the next thing. */
  private async next(session: Session): Promise<Session | undefined> {
    const ended = await this.rest(session);
    if (ended === 'killed') return this.resume();
    this.outcomes.push(ended.failure ? `${ended.reason} ${ended.failure.code}` : ended.reason);
    const { phase } = session.snapshot();
    if (phase === 'idle') {
      const deed = this.random.next();
      if (deed < 0.65 && this.chat) {
        session.say(`Say more, ${this.deeds.length}.`).catch(() => undefined);
        this.deeds.push('say');
        return session;
      }
      if (deed < 0.72 && session.reset('Begin anew.')) {
        this.deeds.push('reset');
        return session;
      }
      this.deeds.push('close');
      await session.close();
      return this.resume();
    }
    await session.close();
    return ended.reason === 'completed' || ended.reason === 'budget' ? undefined : this.resume();
  }

  private async resume(): Promise<Session | undefined> {
    this.deeds.push('resume');
    const { random } = this;
    const common = {
      store: this.store,
      id: this.id,
      profile: this.profile,
      folder: join(this.root, 'work'),
      approvals: random.pick(['ask', 'auto-deny'] as const),
      unknownDefault: random.pick(['run', 'skip'] as const),
    };
    const say = this.chat && random.chance(0.6) ? { say: 'And now?' } : {};
    const session = await resumeRun(this.parts, { ...common, ...say }).catch((error: unknown) => {
      if (isFailure(error, 'already_completed')) return undefined;
      throw error;
    });
    if (session === undefined) return undefined;
    if (session.snapshot().phase === 'ended') return undefined;
    return this.watch(session);
  }

  private watch(session: Session): Session {
    this.sessions.push(session);
    session.on((event) => {
      if (event.type === 'approval') setImmediate(() => this.decide(session, event.request.hash));
      if (event.type === 'rotated' && !this.dead.has(session)) this.id = event.to;
    });
    return session;
  }

  private decide(session: Session, hash: string): void {
    const choice = this.random.below(6);
    if (choice < 2) session.answer(hash, { decision: 'once' });
    else if (choice === 2) session.answer(hash, { decision: 'run' });
    else if (choice === 3) session.answer(hash, { decision: 'deny' });
    else if (choice === 4) session.answer(hash, { decision: 'deny', words: 'No, do something else.' });
    else session.answer(hash, { decision: 'deny', words: 'Not that one.' });
  }

  /** Until the session rests, or was killed. Once in a while something happens at one of its events. */
  private rest(session: Session): Promise<Outcome | 'killed'> {
    const { random } = this;
    const deed = random.chance(0.45)
      ? random.pick(['pause', 'cancel', 'close', 'kill', 'kill', 'say'] as const)
      : undefined;
    let countdown = 1 + random.below(random.pick([4, 12, 40]));
    return new Promise((resolve, reject) => {
      const finish = (end: () => void): void => {
        off();
        clearTimeout(patience);
        end();
      };
      const off = session.on(() => {
        if (deed === undefined || --countdown !== 0) return;
        this.deeds.push(deed);
        if (deed === 'pause') session.pause();
        else if (deed === 'cancel') session.cancel();
        else if (deed === 'close') void session.close();
        else if (deed === 'say') session.say('One more thing.').catch(() => undefined);
        else finish(() => resolve(this.kill(session)));
      });
      const patience = setTimeout(() => {
        const { state: _state, ...seen } = session.snapshot();
        const story = `${this.deeds.join(' ')} (${deed ?? 'nothing'} planned)`;
        finish(() => reject(new Error(`seed ${this.seed} is stuck after ${story}: ${JSON.stringify(seen)}`)));
      }, PATIENCE);
      void session.settled().then((outcome) => finish(() => resolve(outcome)));
    });
  }

  /** As a crash leaves it: what is on disk at this instant, and nobody to tidy up. */
  private kill(session: Session): 'killed' {
    this.dead.add(session);
    const before = this.runs();
    this.copies++;
    cpSync(before, this.runs(), { recursive: true });
    const dead = this.store;
    this.store = fileStore(this.runs());
    void session.close().then(() => dead.close());
    return 'killed';
  }
}
