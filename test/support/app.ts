import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp, type App, type AppOptions } from '../../src/main/app/app';
import type { Attention, Door, Question } from '../../src/main/app/door';
import type { OutsideLink } from '../../src/main/app/link';
import { InlineMover } from '../../src/main/app/moving/mover';
import { InlineReader } from '../../src/main/app/read/inline-reader';
import { toolWords } from '../../src/main/app/read/tool-words';
import type { AgentParts } from '../../src/main/agent/session';
import { fileStore } from '../../src/main/journal/file';
import type { RunStore } from '../../src/main/journal/journal';
import type { Model } from '../../src/main/model/model';
import { agentParts } from '../../src/main/parts';
import { FileSecrets, noSeal, type Seal } from '../../src/main/settings/secrets/file-secrets';
import { Keyring } from '../../src/main/settings/secrets/keyring';
import { Surroundings } from '../../src/main/settings/surroundings';
import { machineWitness } from '../../src/main/settings/witness';
import { Used } from '../../src/main/settings/used';
import { Versions } from '../../src/main/settings/versions';
import type { Witness } from '../../src/main/settings/witness';
import { builtInTools } from '../../src/main/tool/registry';
import { connect, type Client } from '../../src/shared/contract/connect';
import type { CommandName, CommandOutput } from '../../src/shared/contract/contract';
import { follow } from '../../src/shared/contract/follow';
import type { TranscriptItem } from '../../src/shared/contract/items';
import { memoryPair } from '../../src/shared/contract/memory-port';
import type { RunChange, RunHead } from '../../src/shared/contract/views';
import type { Failure } from '../../src/shared/run/failure';
import { inlineIndex } from './inline-index';
import { until } from './wait';

export interface Desk {
  app: App;
  store: RunStore;
  /** Where everything of this app is; `runs` holds the journals. */
  home: string;
  folder: string;
  /** A new window. */
  window(): Client;
  /** What the door was asked for. */
  asked: {
    questions: Question[];
    links: OutsideLink[];
    attention: Attention[];
    themes: string[];
    picks: number;
    /** Names that were suggested for files, and what was shown in the file manager. */
    saves: string[];
    shown: string[];
  };
  bugs: unknown[];
  close(): Promise<void>;
}

export interface DeskOptions {
  leaveMs?: number;
  graceMs?: number;
  home?: string;
  kind?: 'electron' | 'browser';
  model?: Model;
  store?: RunStore;
  /** What the person answers in the native dialog, and to questions. */
  picks?: string[];
  answers?: boolean[];
  roots?: string[];
  /** Folders are asked for like everything else; absent: the person allows each. */
  askFolders?: boolean;
  env?: NodeJS.ProcessEnv;
  /** How saved keys are sealed; absent: not at all. */
  seal?: Seal;
  version?: string;
  /** The machine; absent: one that is known by its home. */
  witness?: Witness;
  /** What there is on the disk of every store. */
  space?: (folder: string) => Promise<{ free: number; size: number } | undefined>;
  indexOf?: AppOptions['indexOf'];
  /** What reads and moves; absent: in this process. */
  processes?: (store: RunStore) => Pick<AppOptions, 'fatal' | 'reader' | 'makeMover'>;
}

export const makeHomeFolder = () => mkdtempSync(join(tmpdir(), 'holdfast-app-'));

/** The whole core behind a door that a test plays; journals are real files. */
export function makeDesk(options: DeskOptions = {}): Desk {
  const home = options.home ?? makeHomeFolder();
  const folder = join(home, 'papers');
  mkdirSync(folder, { recursive: true });
  const store = options.store ?? fileStore(join(home, 'runs'));
  const asked: Desk['asked'] = {
    questions: [],
    links: [],
    attention: [],
    themes: [],
    picks: 0,
    saves: [],
    shown: [],
  };
  const picks = [...(options.picks ?? [])];
  const answers = [...(options.answers ?? [])];
  const bugs: unknown[] = [];
  const door: Door = {
    kind: options.kind ?? 'browser',
    confirm: async (question) => {
      // Most tests are about something else than the folder that they work in.
      if (options.askFolders !== true && question.message.startsWith('Let runs work in')) return true;
      asked.questions.push(question);
      return answers.shift() ?? false;
    },
    attention: (event) => asked.attention.push(event),
    theme: (theme) => asked.themes.push(theme),
    ...(options.kind === 'electron' && {
      pickFolder: async () => {
        asked.picks++;
        return picks.shift() ?? '';
      },
      saveTo: async (name: string) => {
        asked.saves.push(name);
        return picks.shift() ?? '';
      },
      show: (path: string) => void asked.shown.push(path),
      openOutside: async (link: OutsideLink) => {
        asked.links.push(link);
        return answers.shift() ?? false;
      },
    }),
  };
  const { model } = options;
  const keysFile = join(home, 'config', 'keys.json');
  const keyring = new Keyring(new FileSecrets(keysFile, options.seal ?? noSeal));
  const versions = new Versions(join(home, 'config', 'versions'));
  const used = new Used(join(home, 'state', 'profiles-used.json'));
  const real = agentParts(options.env ?? {}, keyring, {
    witness: options.witness ?? machineWitness(join(home, 'state'), join(home, 'runs')),
    versions,
    used,
    around: new Surroundings(options.env ?? {}, {
      profiles: join(home, 'config', 'profiles.yaml'),
      stores: join(home, 'config', 'stores.yaml'),
    }),
  });
  const parts: AgentParts = model ? { ...real, model: () => model } : real;
  const app = createApp({
    parts,
    store,
    reader: new InlineReader(store, toolWords(builtInTools('practice'))),
    storesPath: join(home, 'config', 'stores.yaml'),
    readerOf: (_entry, other) => new InlineReader(other, toolWords(builtInTools('practice'))),
    indexOf:
      options.indexOf ?? ((_entry, other, onProgress) => inlineIndex(other, join(home, 'cache'), onProgress)),
    makeMover: (opened) =>
      new InlineMover((name) => opened(name).store, { newId: parts.newId, now: parts.now }),
    door,
    version: options.version ?? '0.0.0-test',
    label: 'Test',
    state: join(home, 'state'),
    home,
    samples: join(home, 'state'),
    roots: options.roots ?? [],
    profilesPath: join(home, 'config', 'profiles.yaml'),
    keyring,
    keysFile,
    versions,
    used,
    env: options.env ?? {},
    ...options.processes?.(store),
    ...(options.space && { space: options.space }),
    ...(options.leaveMs !== undefined && { leaveMs: options.leaveMs }),
    ...(options.graceMs !== undefined && { graceMs: options.graceMs }),
    onBug: (error) => bugs.push(error),
  });
  const clients: Client[] = [];
  return {
    app,
    store,
    home,
    folder,
    asked,
    bugs,
    window() {
      const [main, page] = memoryPair();
      app.connect(main);
      const client = connect(page);
      clients.push(client);
      return client;
    },
    async close() {
      for (const client of clients) client.close();
      await app.close();
      // A short `leaveMs` waits for nothing.
      await versions.idle();
      await used.idle();
      if (!options.home) rmSync(home, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** A window that shows one run, as the real one would hold it. */
export class Shown {
  head: RunHead | undefined;
  readonly items = new Map<string, TranscriptItem>();
  order: string[] = [];
  stream = { text: '', thinking: '' };
  readonly notices: string[] = [];
  readonly changes: RunChange[] = [];
  rotated: string | undefined;
  snapshots = 0;
  failure: Failure | undefined;
  readonly stop: () => void;
  #loading = Promise.resolve();

  constructor(
    private readonly client: Client,
    private readonly id: string,
  ) {
    this.stop = follow(client, id, {
      snapshot: (view) => {
        this.snapshots++;
        this.items.clear();
        this.order = [];
        this.head = view.head;
        this.stream = { text: view.stream?.text ?? '', thinking: view.stream?.thinking ?? '' };
        this.#loading = this.#load();
        // Told to who waits for it in `status`.
        this.#loading.catch(() => undefined);
      },
      change: (change) => {
        this.changes.push(change);
        this.#take(change);
      },
      failed: (failure) => (this.failure = failure),
    });
  }

  list(): TranscriptItem[] {
    return this.order.flatMap((key) => this.items.get(key) ?? []);
  }
  texts(): string[] {
    return this.list().flatMap((item) => ('text' in item ? [item.text] : []));
  }
  call(tool?: string): Extract<TranscriptItem, { kind: 'call' }> | undefined {
    return this.list().find(
      (item): item is Extract<TranscriptItem, { kind: 'call' }> =>
        item.kind === 'call' && (tool === undefined || item.tool === tool),
    );
  }
  async status(status: RunHead['row']['status'], limit?: number): Promise<this> {
    await until(() => this.head?.row.status === status, limit);
    await this.#loading;
    return this;
  }

  /** Resolves when the items of the last snapshot are here. */
  async loaded(): Promise<void> {
    await this.#loading.catch(() => undefined);
  }

  async #load(): Promise<void> {
    const all: TranscriptItem[] = [];
    for (;;) {
      const page = await this.client.call('run.items', { id: this.id, from: all.length, limit: 200 });
      all.push(...page.items);
      if (all.length >= page.total || page.items.length === 0) break;
    }
    for (const item of all) {
      // What changes brought meanwhile is newer.
      if (!this.items.has(item.key)) this.items.set(item.key, item);
    }
    this.order = [...new Set([...all.map((item) => item.key), ...this.order])];
  }

  #take(change: RunChange): void {
    if (change.type === 'head') this.head = change.head;
    if (change.type === 'notice') this.notices.push(change.code);
    if (change.type === 'rotated') this.rotated = change.to;
    if (change.type === 'stream') {
      const held = this.stream[change.part];
      this.stream[change.part] = held.slice(0, change.from) + change.text;
    }
    if (change.type === 'stream_end') this.stream = { text: '', thinking: '' };
    if (change.type !== 'items') return;
    for (const item of change.items) {
      if (!this.order.includes(item.key)) this.order.push(item.key);
      this.items.set(item.key, item);
    }
  }
}

/** Starts a run as a window does. */
export async function startChat(
  client: Client,
  prompt: string,
  more: { chat?: boolean; private?: boolean; folder?: string; profile?: string } = {},
): Promise<{ id: string; shown: Shown }> {
  const { id } = await client.call('run.start', {
    prompt,
    chat: more.chat ?? true,
    private: more.private ?? false,
    profile: more.profile ?? 'Practice',
    ...(more.folder !== undefined && { folder: more.folder }),
  });
  return { id, shown: new Shown(client, id) };
}

export type Output<N extends CommandName> = CommandOutput<N>;
