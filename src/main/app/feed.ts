import type { RunChange, RunHead, RunRow } from '../../shared/contract/views';
import type { RunView } from '../../shared/contract/follow';
import type { Peer } from '../../shared/contract/serve';
import type { FailureInfo } from '../../shared/run/failure';
import type { SidecarEntry } from '../../shared/run/sidecar';
import type { Session, SessionEvent } from '../agent/session';
import { fedRecord, intentOf, marksOf } from './fed';
import { withOriginTitle, type FeedOptions, type RunPlace } from './feed-options';
import { PRIVATE, runHead } from './head';
import { Lane } from './lane';
import type { Fed, ItemChange, RunOverview } from './read/reader';
import { Streamed } from './streamed';
import { WholeReading } from './whole';

/** Milliseconds that streamed text is gathered for. */
const GATHER = 24;
const DAMAGED = new Set(['damaged', 'new']);

/**
 * One run that somebody watches or that is written here: turns what happens to it into changes for its watchers. All of
 * it goes through one lane, so a snapshot and the changes after it fit without a gap.
 */
export class Feed {
  readonly #lane = new Lane();
  readonly #peers = new Set<Peer>();
  #session: Session | undefined;
  #off: (() => void) | undefined;
  #place: RunPlace = {};
  #overview: RunOverview | undefined;
  #events: SessionEvent[] = [];
  #drain: NodeJS.Timeout | 'now' | undefined;
  #refresh = false;
  /** All of the run is being read, after its end was shown. `broken`: that went wrong; `missed`: it changed meanwhile. */
  #whole: WholeReading | undefined;
  #broken = false;
  #missed = false;
  #quietUntil = 0;
  #seq = 0;
  #items = 0;
  #bytes = 0;
  readonly #stream = new Streamed();
  #private = false;
  /** Why the last session could not record what came; nothing beside the run tells it. */
  #unsaved: FailureInfo | undefined;
  /** Of a private run that has ended it is nowhere else. */
  #row: RunRow | undefined;

  constructor(private readonly options: FeedOptions) {}

  get idle(): boolean {
    return this.#peers.size === 0 && this.#session === undefined;
  }
  /** Nothing of it is stored. */
  get private(): boolean {
    return this.#private;
  }

  /** Takes a session's run over; must be called at once when the session is there, so that no event is missed. */
  attach(session: Session, place: RunPlace): void {
    const { private: isPrivate } = session.snapshot();
    this.#session = session;
    this.#readNoMore();
    this.#private = isPrivate;
    this.#unsaved = undefined;
    this.#place = place;
    this.#off = session.on((event) => this.#hear(event));
    void this.#lane
      .run(async () => {
        const { reader, id } = this.options;
        if (isPrivate) await reader.begin(id);
        else this.#take(await reader.open(id, false, true));
        await this.#marks();
        // What was held before knows nothing of the resume; who watches asks again.
        this.#tellGap();
      })
      .catch(() => undefined);
    this.#soon('now');
  }

  /** The snapshot; from then on `peer` gets the changes. */
  watch(peer: Peer): Promise<RunView> {
    return this.#lane.run(async () => {
      const { reader, id } = this.options;
      if (!this.#session && (this.#peers.size === 0 || this.#broken)) {
        this.#readNoMore();
        // Of a run that the list knows to be damaged nothing is shown that might stand behind the damage.
        const quick = !this.#broken && !DAMAGED.has((await this.#freshRow()).status);
        this.#take(await reader.open(id, quick));
        this.#broken = false;
        if (this.#overview?.reading !== undefined) this.#readOn();
      }
      const head = await this.#head();
      this.#peers.add(peer);
      return { head, ...(this.#stream.now && { stream: this.#stream.now }) };
    });
  }

  unwatch(peer: Peer): void {
    this.#peers.delete(peer);
  }

  #readNoMore(): void {
    this.#whole?.stop();
    this.#whole = undefined;
  }

  /** All of the run is read while its end is shown; then the watchers are told where that end begins. */
  #readOn(): void {
    const over = (tell: () => Promise<void>) =>
      void this.#lane
        .run(async () => {
          if (this.#whole !== whole) return;
          this.#whole = undefined;
          await tell();
          if (this.#missed) this.storeChanged();
        })
        .catch(() => undefined);
    const whole = new WholeReading(this.options.reader, this.options.id, {
      part: (reading) => {
        if (this.#overview) this.#overview = { ...this.#overview, reading };
        this.headChanged();
      },
      done: (overview, before) =>
        over(async () => {
          this.#take(overview);
          if (before === undefined) this.#tellGap();
          else this.#tell(this.#seq, { type: 'whole', before, total: overview.items });
          await this.#tellHead();
        }),
      // Who watches asks again, reads all of it, and is told why that cannot be done.
      failed: () =>
        over(async () => {
          this.#broken = true;
          this.#tellGap();
        }),
    });
    this.#whole = whole;
  }

  /** Another process (or this one, at rest) changed the run in its store. */
  storeChanged(): void {
    this.#missed = this.#whole !== undefined;
    if (this.#missed) return;
    const busy = this.#session && this.#session.snapshot().phase !== 'idle';
    if (busy || this.#peers.size === 0 || this.#refresh) return;
    this.#refresh = true;
    const wait = Math.max(0, this.#quietUntil - Date.now());
    setTimeout(() => {
      this.#refresh = false;
      void this.#lane.run(() => this.#reread()).catch(() => undefined);
    }, wait);
  }

  /** Head as it is now, for the watchers. */
  headChanged(): void {
    void this.#lane.run(() => this.#tellHead()).catch(() => undefined);
  }

  /** Nothing of it may be shown any more: watchers ask again, and find nothing. */
  async forget(): Promise<void> {
    this.#off?.();
    this.#session = this.#row = undefined;
    this.#readNoMore();
    this.#events = [];
    this.#tellGap();
    this.#peers.clear();
    await this.#lane.run(() => this.options.reader.drop(this.options.id)).catch(() => undefined);
  }

  /** Resolves when everything that happened so far was told. */
  async settled(): Promise<void> {
    await this.#lane.idle();
  }

  async #reread(): Promise<void> {
    const begun = Date.now();
    const { overview, change } = await this.options.reader.refresh(this.options.id);
    if (overview.lastSeq > this.#seq) this.#unsaved = undefined;
    // A long run is not read again and again while another process writes it.
    this.#quietUntil = Date.now() + (Date.now() - begun) * 3;
    this.#overview = overview;
    this.#bytes = overview.bytes;
    this.#tellItems(change);
    await this.#tellHead();
  }

  #take(overview: RunOverview): void {
    this.#overview = overview;
    this.#seq = overview.lastSeq;
    this.#items = overview.items;
    this.#bytes = overview.bytes;
  }

  #hear(event: SessionEvent): void {
    if (event.type === 'rotated') {
      // What comes now belongs to the new run: it listens from here on.
      const session = this.#session;
      this.#off?.();
      this.#session = undefined;
      this.#events.push(event);
      this.#soon('now');
      if (session) this.options.onRotated(this.options.keyOf(event.to), session);
      return;
    }
    this.#events.push(event);
    this.#soon(event.type === 'text' || event.type === 'thinking' ? 'gathered' : 'now');
  }

  #soon(when: 'now' | 'gathered'): void {
    if (this.#drain === 'now') return;
    if (when === 'gathered') {
      this.#drain ??= setTimeout(() => this.#go(), GATHER);
      return;
    }
    if (this.#drain !== undefined) clearTimeout(this.#drain);
    this.#drain = 'now';
    queueMicrotask(() => this.#go());
  }

  #go(): void {
    this.#drain = undefined;
    void this.#lane.run(() => this.#work()).catch(() => undefined);
  }

  async #work(): Promise<void> {
    const events = this.#events.splice(0);
    if (events.length === 0) return;
    const records: Fed[] = [];
    const notes: SidecarEntry[] = [];
    let ended: number | undefined;
    let head = false;
    const flush = async () => {
      if (records.length > 0 || notes.length > 0) {
        this.#tellItems(await this.options.reader.feed(this.options.id, records.splice(0), notes.splice(0)));
      }
      if (ended !== undefined) this.#tell(this.#seq, this.#stream.end(ended));
      ended = undefined;
    };
    for (const event of events) {
      head ||= event.type !== 'text' && event.type !== 'thinking' && event.type !== 'tool_input';
      switch (event.type) {
        case 'text':
        case 'thinking':
          if (records.length > 0) await flush();
          this.#tell(this.#seq, this.#stream.add(event.type, event.iteration, event.text));
          break;
        case 'record':
          records.push(fedRecord(event));
          if (event.place) this.#bytes = Math.max(this.#bytes, event.place.offset + event.place.bytes + 1);
          if (event.record.assistant) ended = event.record.assistant.iteration;
          break;
        case 'tool_started':
          notes.push(intentOf(event, this.options.changes(event.tool)));
          break;
        case 'cut':
          await flush();
          this.#tell(this.#seq, this.#stream.end(event.entry.iteration));
          notes.push(event.entry);
          break;
        case 'stream_reset':
          await flush();
          this.#tell(this.#seq, this.#stream.end(event.iteration, event.reason));
          break;
        case 'warning':
          await flush();
          this.#tell(this.#seq, { type: 'notice', code: event.code, text: event.text });
          break;
        case 'rotated':
          await flush();
          this.#tell(this.#seq, { type: 'rotated', to: this.options.keyOf(event.to) });
          break;
        case 'ended':
          this.#off?.();
          this.#session = undefined;
          if (event.outcome.failure?.code === 'journaling') this.#unsaved = event.outcome.failure;
          break;
      }
    }
    await flush();
    await this.#marks();
    if (events.some((event) => event.type === 'ended' || event.type === 'rotated')) await this.#settle();
    if (head) {
      this.options.onTouched();
      await this.#tellHead();
    }
  }

  /** The session is over or elsewhere: what is stored is what counts now. */
  async #settle(): Promise<void> {
    this.#stream.now = undefined;
    this.options.onEnded();
    if (this.#private) return;
    this.#place = {};
    const { overview, change } = await this.options.reader.refresh(this.options.id);
    this.#overview = overview;
    this.#tellItems(change);
  }

  async #marks(): Promise<void> {
    this.#tellItems(await this.options.reader.mark(this.options.id, marksOf(this.#session?.snapshot())));
  }

  #tellItems(change: ItemChange): void {
    const after = this.#seq;
    this.#seq = Math.max(this.#seq, change.lastSeq);
    this.#items = change.total;
    if (change.again) return this.#tellGap();
    if (change.items.length === 0 && this.#seq === after) return;
    this.#tell(after, { type: 'items', seq: this.#seq, items: change.items, total: change.total });
  }

  async #tellHead(): Promise<void> {
    if (this.#peers.size === 0) return;
    this.#tell(this.#seq, { type: 'head', head: await this.#head() });
  }

  /** A change that builds on what nobody has: watchers ask for everything again. */
  #tellGap(): void {
    this.#tell(this.#seq + 1, { type: 'notice', code: 'again', text: '' });
  }

  #tell(after: number, change: RunChange): void {
    for (const peer of this.#peers) peer.emit('run.change', { id: this.options.id, after, change });
  }

  async #head(): Promise<RunHead> {
    const live = this.#session?.snapshot();
    const gone = this.#private && !live && this.#row;
    const row = gone ? { ...gone, status: 'finished' as const } : await this.#freshRow();
    const store = this.options.store();
    return runHead({
      row,
      overview: withOriginTitle(this.#overview, this.options),
      live,
      unsaved: this.#unsaved,
      queued: live?.queued ?? (this.#private ? [] : await this.options.queued()),
      place: this.#place,
      lastSeq: this.#seq,
      items: this.#items,
      bytes: this.#bytes,
      durability: store.durability,
      caution: this.#private ? PRIVATE : store.caution,
    });
  }

  async #freshRow(): Promise<RunRow> {
    this.#row = await this.options.row(this.options.id);
    return this.#row;
  }
}
