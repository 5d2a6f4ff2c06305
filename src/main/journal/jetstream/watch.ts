import type { StoreChange } from '../journal';
import { NOTED } from './aux';
import type { Ground } from './ground';
import { answerControl, askNext, isControl, pause, pushConfig, storedOf } from './read';
import type { Stored } from './read';
import { HEADER } from './subjects';

const GATHER_MS = 20;
const HEARTBEAT_MS = 5_000;
const SILENCE_MS = 12_000;
const RETRY_MS = 500;
const ANSWER_MS = 5_000;

/**
 * Tells what changes in the stream, whoever does it, until it is stopped. After an outage it goes on where it was, so
 * nothing is passed over. Reads headers only.
 */
export function watchStream(ground: Ground, onChange: (change: StoreChange) => void): () => void {
  const waiting = new Map<string, StoreChange>();
  let timer: NodeJS.Timeout | undefined;
  const tell = (change: StoreChange): void => {
    waiting.set(`${change.id} ${change.what}`, change);
    timer ??= setTimeout(() => {
      timer = undefined;
      const changes = [...waiting.values()];
      waiting.clear();
      for (const one of changes) {
        try {
          onChange(one);
        } catch {
          // A listener's trouble is its own.
        }
      }
    }, GATHER_MS);
  };
  const feed = new Feed(ground, (message) => {
    const change = changeOf(ground, message);
    if (change !== undefined) tell(change);
  });
  return () => {
    clearTimeout(timer);
    waiting.clear();
    feed.stop();
  };
}

function changeOf(ground: Ground, message: Pick<Stored, 'subject' | 'headers'>): StoreChange | undefined {
  const found = ground.subjects.parse(message.subject);
  if (found === undefined) return undefined;
  const { family, id, token } = found;
  if (family === 'run') return { id, what: ground.subjects.isMeta(token) ? 'added' : 'grown' };
  if (family === 'claim') return { id, what: 'writer' };
  const what = message.headers?.get(HEADER.change);
  if (family === 'aux' && what === NOTED) return { id, what: 'grown' };
  if (family !== 'cat') return undefined;
  return { id, what: what === 'added' || what === 'removed' ? what : 'catalogue' };
}

/** All messages of the stream from now on, in order: a consumer that is made anew whenever it is silent or lost. */
class Feed {
  #stopped = false;
  /** Stream sequence to go on from: what was seen from here when watching began, so that nothing after it is missed. */
  #next: number;
  /**
   * Place that the consumer came to with something left out before it. Mostly that is deleted, but an older server takes a
   * consumer past what it has not sent yet whenever something else is purged.
   */
  #gapEnd = 0;
  #wake = (): void => undefined;

  constructor(
    readonly ground: Ground,
    readonly onMessage: (message: Pick<Stored, 'subject' | 'headers'>) => void,
  ) {
    this.#next = ground.seen.seq + 1;
    void this.#run();
  }

  stop(): void {
    this.#stopped = true;
    this.#wake();
  }

  async #run(): Promise<void> {
    const { link } = this.ground;
    while (!this.#stopped && link.state !== 'closed') {
      try {
        if (link.state === 'connected') {
          await this.#catchUp();
          await this.#follow();
        } else await link.settled(1_000);
      } catch {
        await pause(RETRY_MS);
      }
    }
  }

  /** Reads one by one what the consumer has left out. */
  async #catchUp(): Promise<void> {
    const { ground } = this;
    while (!this.#stopped && this.#next <= this.#gapEnd) {
      const next = await ground.link.race(askNext(ground, ground.subjects.everything, this.#next), ANSWER_MS);
      if (next === undefined || next.seq > this.#gapEnd) {
        this.#next = this.#gapEnd + 1;
        return;
      }
      this.#next = next.seq + 1;
      this.onMessage(next);
    }
  }

  #isGap(at: number): boolean {
    if (at <= this.#gapEnd) return false;
    this.#gapEnd = at;
    return true;
  }

  /** Follows until the connection or the consumer is lost. */
  async #follow(): Promise<void> {
    const { link, stream, subjects } = this.ground;
    const { connection, manager } = link;
    const inbox = link.inbox();
    let nth = 0;
    let silence: NodeJS.Timeout | undefined;
    const over = new Promise<void>((resolve) => (this.#wake = resolve));
    const alive = (): void => {
      clearTimeout(silence);
      silence = setTimeout(() => this.#wake(), SILENCE_MS);
      silence.unref();
    };
    const subscription = connection.subscribe(inbox, {
      callback: (error, message) => {
        if (error !== null) return this.#wake();
        alive();
        if (isControl(message)) {
          answerControl(message, (to) => connection.publish(to));
          // A heartbeat tells how far the consumer is.
          const at = Number(message.headers?.get(HEADER.lastStream));
          if (at >= this.#next && this.#isGap(at)) this.#wake();
          return;
        }
        const stored = storedOf(message);
        if (stored === undefined || stored.nth !== nth + 1) return this.#wake();
        if (stored.seq > this.#next && this.#isGap(stored.seq)) return this.#wake();
        nth += 1;
        this.#next = stored.seq + 1;
        if (!this.#stopped) this.onMessage(stored);
      },
    });
    const stopState = link.onState(() => this.#wake());
    alive();
    let name: string | undefined;
    try {
      const config = pushConfig(inbox, subjects.everything, {
        headersOnly: true,
        from: this.#next,
        idle: HEARTBEAT_MS,
      });
      name = (await link.race(manager.consumers.add(stream, config))).name;
      if (!this.#stopped) await over;
    } finally {
      clearTimeout(silence);
      stopState();
      try {
        subscription.unsubscribe();
      } catch {
        // The connection went first.
      }
      if (name !== undefined && link.state === 'connected')
        void manager.consumers.delete(stream, name).catch(() => undefined);
    }
  }
}
