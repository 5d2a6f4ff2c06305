import { runKey, splitKey } from '../../shared/contract/run-key';
import type { Peer } from '../../shared/contract/serve';
import type { RunView } from '../../shared/contract/follow';
import type { RunRow } from '../../shared/contract/views';
import { Failure } from '../../shared/run/failure';
import { resumeRun, startRun } from '../agent';
import { storedQueue, type Queue } from '../agent/queue';
import type { AgentParts, ResumeOptions, Session, SessionEvent, StartOptions } from '../agent/session';
import type { RunStore, StoreChange } from '../journal/journal';
import { Turns } from '../journal/turns';
import type { LiveRun } from '../library/rows';
import { promptTitle } from '../library/words';
import type { Attention } from './door';
import { Feed } from './feed';
import type { RunPlace } from './feed-options';
import type { Reader } from './read/reader';

export interface SessionsOptions {
  parts: AgentParts;
  /** The store of this name; empty: the usual one. */
  store(name: string): RunStore;
  /** Runs go by their keys here and in all that follows. */
  reader: Reader;
  row(id: string): Promise<RunRow>;
  /** What the list calls this run; undefined where it does not have it yet. */
  title(id: string): string | undefined;
  changes(tool: string): boolean;
  onTouched(id: string): void;
  /** The run is no longer written here; its row in the store counts. */
  onLeft(id: string): void;
  onAttention(event: Attention): void;
}

interface Live {
  session: Session;
  /** Name of its store; empty for the usual one and for private runs. */
  store: string;
  created: string;
  updated: string;
  place: RunPlace;
}

/** A run that would pause if the process ended now; a private one is gone then. */
export interface WorkingRun {
  id: string;
  title: string;
  private: boolean;
}

/** The runs that are written by this process, and those that somebody watches. */
export class Sessions {
  readonly #live = new Map<string, Live>();
  readonly #feeds = new Map<string, Feed>();
  /** Windows that private runs belong to. */
  readonly #windows = new Map<string, string>();
  /** Runs that are being taken up right now. */
  readonly #opening = new Set<string>();
  readonly #quiet = new Map<string, Turns>();
  #closed = false;

  constructor(private readonly options: SessionsOptions) {}

  /** A fresh look at all of them; private ones too. */
  live(): Map<string, LiveRun> {
    return new Map(
      [...this.#live].map(([key, { session, created, updated }]) => [
        key,
        { snapshot: { ...session.snapshot(), id: key }, created, updated },
      ]),
    );
  }

  get(id: string): Session | undefined {
    return this.#live.get(id)?.session;
  }
  isPrivate(id: string): boolean {
    return this.#live.get(id)?.session.snapshot().private ?? false;
  }
  place(id: string): RunPlace {
    return this.#live.get(id)?.place ?? {};
  }

  /**
   * Starts a run in the store of this name, which `options` has too; gives its key. `window`: the one that a private run
   * ends with.
   */
  async start(options: StartOptions, store: string, window?: string): Promise<string> {
    this.#mayBegin();
    const session = await startRun(this.options.parts, options);
    if (window !== undefined) this.#windows.set(runKey(store, session.id), window);
    return this.#adopt(session, store, placeOf(this.options.parts, options));
  }

  async resume(options: ResumeOptions, store: string): Promise<void> {
    this.#mayBegin();
    const key = runKey(store, options.id);
    if (this.#opening.has(key)) throw alreadyHere();
    const held = this.#live.get(key);
    if (held && held.session.snapshot().phase !== 'idle') throw alreadyHere();
    this.#opening.add(key);
    let said: Promise<boolean>;
    try {
      // A chat at rest holds nothing; the resume looks at everything anew.
      if (held) await this.#let(key, held.session);
      const session = await this.#turns(key).run(() => resumeRun(this.options.parts, options));
      this.#adopt(session, store, placeOf(this.options.parts, options));
      said = session.said;
    } finally {
      this.#opening.delete(key);
    }
    // Words that were said are not done with before they are durable.
    await said;
  }

  /** Does something with what waits in a run that nobody works on here. */
  async queued<T>(id: string, task: (queue: Queue) => Promise<T>): Promise<T> {
    const { store, id: run } = splitKey(id);
    const result = await this.#turns(id).run(async () => {
      const queue = await storedQueue(this.options.store(store), run, this.options.parts.newId);
      return task(queue);
    });
    this.#feeds.get(id)?.headChanged();
    return result;
  }

  /** A resume and a change of what waits never meet. */
  #turns(id: string): Turns {
    const turns = this.#quiet.get(id) ?? new Turns();
    this.#quiet.set(id, turns);
    return turns;
  }

  watch(id: string, peer: Peer): Promise<RunView> {
    const feed = this.#feed(id);
    peer.onClose(() => this.unwatch(id, peer));
    return feed.watch(peer).catch((error: unknown) => {
      this.#tidy(id);
      throw error;
    });
  }

  unwatch(id: string, peer: Peer): void {
    this.#feeds.get(id)?.unwatch(peer);
    this.#tidy(id);
  }

  storeChanged(change: StoreChange): void {
    const feed = this.#feeds.get(change.id);
    if (change.what === 'catalogue') feed?.headChanged();
    else feed?.storeChanged();
  }

  /** A store was away or its runs may have changed unseen: what is watched of it is read again. */
  storeBack(name: string): void {
    for (const [key, feed] of this.#feeds) if (splitKey(key).store === name) feed.storeChanged();
  }

  /** Whether a run of this store is at work here. */
  worksIn(name: string): boolean {
    return this.working().some(({ id }) => splitKey(id).store === name);
  }

  /** Lets go what is at rest of a store. */
  async leaveStore(name: string): Promise<void> {
    const mine = [...this.#live].filter(([, live]) => live.store === name);
    await Promise.allSettled(mine.map(([key, { session }]) => this.#let(key, session)));
  }

  /** A chat at rest is let go, so that its run can be moved; a run that works is not. Throws `busy`. */
  async release(id: string): Promise<void> {
    const held = this.#live.get(id);
    if (!held) return;
    const { phase } = held.session.snapshot();
    if (phase !== 'idle' && phase !== 'ended') {
      throw new Failure({
        code: 'busy',
        message: 'This run is working.',
        kept: 'Nothing was changed.',
        todo: 'Pause it first.',
      });
    }
    await this.#let(id, held.session);
  }

  /** A window is closed: nothing of its private runs can be asked for any more, whoever still shows them. */
  windowGone(window: string): void {
    for (const [key, owner] of [...this.#windows]) {
      if (owner !== window) continue;
      this.#windows.delete(key);
      const session = this.#live.get(key)?.session;
      this.#live.delete(key);
      void this.#feeds.get(key)?.forget();
      this.#feeds.delete(key);
      session?.cancel();
      void session?.close();
      this.options.onTouched(key);
    }
  }

  /** Runs that would pause if the process ended now. */
  working(): WorkingRun[] {
    return [...this.#live].flatMap(([id, { session }]) => {
      const { phase, private: hidden } = session.snapshot();
      return phase === 'idle' || phase === 'ended'
        ? []
        : [{ id, title: this.#title(id, session), private: hidden }];
    });
  }

  #title(id: string, session: Session): string {
    return this.options.title(id) ?? promptTitle(session.snapshot().state.prompt);
  }

  /** Suspends and frees everything, and begins nothing more. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled([...this.#live.values()].map(({ session }) => session.close()));
    await Promise.allSettled([...this.#feeds.values()].map((feed) => feed.settled()));
  }

  #mayBegin(): void {
    if (this.#closed)
      throw new Failure({ code: 'busy', message: 'Holdfast is closing.', todo: 'Start it again.' });
  }

  /** Must follow the session's making at once, so that no event is missed. */
  #adopt(session: Session, store: string, place: RunPlace): string {
    const now = this.options.parts.now().toISOString();
    const key = runKey(store, session.id);
    this.#live.set(key, { session, store, created: now, updated: now, place });
    session.on((event) => this.#hear(session, store, event));
    this.#feed(key).attach(session, place);
    this.options.onTouched(key);
    return key;
  }

  #hear(session: Session, store: string, event: SessionEvent): void {
    if (event.type === 'rotated') {
      // The feed of the old run hears this too and hands its session on, see #rotated.
      return;
    }
    const key = runKey(store, session.id);
    const live = this.#live.get(key);
    if (live && event.type === 'record') live.updated = event.at;
    if (event.type === 'phase') this.#attend(key, session, event);
  }

  #rotated(from: string, to: string, session: Session): void {
    const before = this.#live.get(from);
    this.#live.delete(from);
    const window = this.#windows.get(from);
    if (window !== undefined) this.#windows.set(to, window);
    const now = this.options.parts.now().toISOString();
    const place = before?.place ?? {};
    this.#live.set(to, { session, store: splitKey(to).store, created: now, updated: now, place });
    this.#feed(to).attach(session, place);
    this.options.onLeft(from);
    this.options.onTouched(to);
  }

  #attend(id: string, session: Session, event: Extract<SessionEvent, { type: 'phase' }>): void {
    const { outcome, approval, private: hidden } = session.snapshot();
    // Systems keep what they were told to show, so words of a private chat are never among it.
    const tell = (what: Attention['what'], detail: string) =>
      this.options.onAttention({
        id,
        title: hidden ? 'A private chat' : this.#title(id, session),
        what,
        detail: hidden ? '' : detail,
      });
    if (event.phase === 'waiting') tell('waiting', approval ? `${approval.tool} asks to run` : '');
    if (event.phase !== 'idle' && event.phase !== 'ended') return;
    const reason = outcome?.reason;
    if (reason === 'your_turn' || reason === 'completed') tell('finished', '');
    else if (reason !== undefined && reason !== 'suspended') tell('failed', outcome?.message ?? '');
  }

  async #let(id: string, session: Session): Promise<void> {
    await session.close();
    await this.#feeds.get(id)?.settled();
    this.#ended(id, session);
  }

  #ended(id: string, session: Session): void {
    if (this.#live.get(id)?.session !== session) return;
    this.#live.delete(id);
    this.options.onLeft(id);
    this.#tidy(id);
  }

  #feed(id: string): Feed {
    const known = this.#feeds.get(id);
    if (known) return known;
    const { store } = splitKey(id);
    const feed = new Feed({
      id,
      reader: this.options.reader,
      store: () => this.options.store(store),
      keyOf: (other) => runKey(store, other),
      row: (run) => this.options.row(run),
      queued: async () => {
        const run = splitKey(id).id;
        const held = storedQueue(this.options.store(store), run, this.options.parts.newId);
        return held.then(({ messages }) => messages).catch(() => []);
      },
      changes: (tool) => this.options.changes(tool),
      titleOf: (other) => this.options.title(other),
      onRotated: (to, session) => this.#rotated(id, to, session),
      onEnded: () => {
        const session = this.#live.get(id)?.session;
        if (session?.snapshot().phase === 'ended') this.#ended(id, session);
        else this.#tidy(id);
      },
      onTouched: () => this.options.onTouched(id),
    });
    this.#feeds.set(id, feed);
    return feed;
  }

  #tidy(id: string): void {
    const feed = this.#feeds.get(id);
    if (!feed?.idle) return;
    this.#feeds.delete(id);
    if (!feed.private) return;
    this.#windows.delete(id);
    void this.options.reader.drop(id);
  }
}

function placeOf(parts: AgentParts, { profile, folder }: Pick<StartOptions, 'profile' | 'folder'>): RunPlace {
  const endpoint = parts.model(profile).endpoint;
  return {
    profile: profile.name,
    ...(folder !== undefined && { folder }),
    ...(endpoint !== undefined && { endpoint }),
  };
}

const alreadyHere = () =>
  new Failure({
    code: 'busy',
    message: 'This run is at work here already.',
    kept: 'Nothing was changed.',
    todo: 'Look at it, or pause it first.',
  });
