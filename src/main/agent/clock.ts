/** Time as time-outs need it: a count that stands still while the machine sleeps, and the clock on the wall that does not. */
export interface Clock {
  /** Milliseconds; only ever grows. */
  monotonic(): number;
  /** Milliseconds since 1970; may jump. */
  wall(): number;
  /** Calls `run` about every `ms` milliseconds until the returned function is called. */
  every(ms: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  monotonic: () => performance.now(),
  wall: () => Date.now(),
  every(ms, run) {
    const timer = setInterval(run, ms);
    return () => clearInterval(timer);
  },
};

/** The two counts drift and are rounded; a sleep shorter than this makes no difference to a time-out. ms. */
const SLEPT_MS = 1_000;

/**
 * A time-out that also sees time that passed while the machine slept, when no timer runs and every connection dies.
 * `onExpire` is called at most once, with `sleep` when only the wall clock says so.
 */
export class Watch {
  private since: { monotonic: number; wall: number };
  private readonly cancel: () => void;

  constructor(
    private readonly clock: Clock,
    private readonly ms: number,
    onExpire: (why: 'time' | 'sleep') => void,
  ) {
    this.since = this.now();
    this.cancel = clock.every(Math.max(10, Math.min(1000, ms / 2)), () => {
      const now = this.now();
      const ran = now.monotonic - this.since.monotonic;
      const passed = now.wall - this.since.wall;
      const slept = passed >= this.ms && passed - ran >= SLEPT_MS;
      if (ran < this.ms && !slept) return;
      this.stop();
      onExpire(ran >= this.ms ? 'time' : 'sleep');
    });
  }

  /** Something new came: the time begins anew. */
  progress(): void {
    this.since = this.now();
  }

  stop(): void {
    this.cancel();
  }

  private now(): { monotonic: number; wall: number } {
    return { monotonic: this.clock.monotonic(), wall: this.clock.wall() };
  }
}
