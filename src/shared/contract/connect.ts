import { Failure, FAILURE_CODES, type FailureInfo } from '../run/failure';
import type { CommandInput, CommandName, CommandOutput, EventName, EventPayload } from './contract';
import type { Port } from './frame';
import { REPEATABLE } from './repeatable';

/**
 * `open`: calls travel. `lost`: they wait for a new connection. `refused`: this page is not let in until the person opens
 * Holdfast again; calls are rejected. `closed`: over for good; calls are rejected.
 */
export type ClientStatus = 'open' | 'lost' | 'refused' | 'closed';

/**
 * The window's end of the contract.
 *
 * Promises: each call settles exactly once, with the output or with a Failure (`disconnected` when the connection went
 * while its answer was open, so nobody knows whether it was done); listeners get events in order.
 */
export interface Client {
  readonly status: ClientStatus;
  call<N extends CommandName>(name: N, input: CommandInput<N>): Promise<CommandOutput<N>>;
  on<N extends EventName>(name: N, listener: (payload: EventPayload<N>) => void): () => void;
  onStatus(listener: (status: ClientStatus) => void): () => void;
  /**
   * Events may have been missed (a new connection, or a gap in their numbers): whatever is shown must be asked for again.
   */
  onResync(listener: () => void): () => void;
  close(): void;
}

interface Waiting {
  name: CommandName;
  input: unknown;
  resolve: (output: never) => void;
  reject: (failure: Failure) => void;
}

/** Listeners by name; one that throws never keeps the others from hearing. */
function listeners<T>() {
  const all = new Set<(value: T) => void>();
  return {
    add(listener: (value: T) => void) {
      all.add(listener);
      return () => void all.delete(listener);
    },
    tell(value: T) {
      for (const listener of [...all]) {
        try {
          listener(value);
        } catch (error) {
          // Thrown again where the runtime reports errors, outside the delivery of frames.
          void Promise.reject(error);
        }
      }
    },
  };
}

const disconnected = () =>
  new Failure({
    code: 'disconnected',
    message: 'The connection to Holdfast was lost before the answer came.',
    kept: 'Whatever was recorded is kept.',
    todo: 'Look at the run before you try again: it may have been done.',
  });

/** State that outlives a connection: listeners, and calls that wait for one. */
class Core implements Client {
  status: ClientStatus = 'lost';
  private port: Port | undefined;
  private next = 1;
  private seen = 0;
  private readonly pending = new Map<number, Waiting>();
  private readonly queue: Waiting[] = [];
  private readonly events = new Map<string, ReturnType<typeof listeners<unknown>>>();
  private readonly statuses = listeners<ClientStatus>();
  private readonly resyncs = listeners<undefined>();
  private connected = 0;

  constructor(private readonly lost: () => void) {}

  attach(port: Port): void {
    if (this.status === 'closed') {
      port.close();
      return;
    }
    this.port = port;
    this.seen = 0;
    port.onFrame((frame) => {
      if (this.port === port) this.take(frame);
    });
    port.onClose(() => {
      if (this.port === port) this.drop();
    });
    if (this.port !== port) return;
    this.connected += 1;
    this.setStatus('open');
    for (const waiting of this.queue.splice(0)) this.send(waiting);
    if (this.connected > 1) this.resyncs.tell(undefined);
  }

  call<N extends CommandName>(name: N, input: CommandInput<N>): Promise<CommandOutput<N>> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { name, input, resolve, reject };
      if (this.status === 'open') this.send(waiting);
      else if (this.status === 'lost') this.queue.push(waiting);
      else reject(disconnected());
    });
  }

  on<N extends EventName>(name: N, listener: (payload: EventPayload<N>) => void): () => void {
    let set = this.events.get(name);
    if (!set) this.events.set(name, (set = listeners<unknown>()));
    return set.add(listener as (payload: unknown) => void);
  }
  onStatus(listener: (status: ClientStatus) => void): () => void {
    return this.statuses.add(listener);
  }
  onResync(listener: () => void): () => void {
    return this.resyncs.add(listener);
  }

  close(): void {
    if (this.status === 'closed') return;
    const port = this.port;
    this.port = undefined;
    this.setStatus('closed');
    for (const waiting of [...this.pending.values(), ...this.queue.splice(0)]) waiting.reject(disconnected());
    this.pending.clear();
    port?.close();
  }

  /** Not let in any more, for now: what waits is told. */
  refuse(): void {
    if (this.status === 'closed') return;
    this.setStatus('refused');
    for (const waiting of [...this.pending.values(), ...this.queue.splice(0)]) waiting.reject(disconnected());
    this.pending.clear();
  }

  private send(waiting: Waiting): void {
    const call = this.next++;
    this.pending.set(call, waiting);
    const { name, input } = waiting;
    if (this.port?.send({ kind: 'call', call, name, input }) !== false || this.status !== 'open') return;
    this.pending.delete(call);
    waiting.reject(
      new Failure({
        code: 'too_large',
        message: 'This is too large to be sent in one piece.',
        kept: 'Nothing was sent.',
        todo: 'Make it shorter.',
      }),
    );
  }

  private take(frame: unknown): void {
    if (typeof frame !== 'object' || frame === null) return;
    const { kind, call, ok, output, failure, n, name, payload } = frame as Record<string, unknown>;
    if (kind === 'reply' && typeof call === 'number') {
      const waiting = this.pending.get(call);
      if (!waiting) return;
      this.pending.delete(call);
      if (ok === true) waiting.resolve(output as never);
      else waiting.reject(toFailure(failure));
    } else if (kind === 'event' && typeof name === 'string' && typeof n === 'number') {
      if (n <= this.seen) return;
      const gap = n !== this.seen + 1;
      this.seen = n;
      this.events.get(name)?.tell(payload);
      if (gap) this.resyncs.tell(undefined);
    }
  }

  /** The connection went: what can be asked again waits for the next one, the rest is told. */
  private drop(): void {
    this.port = undefined;
    const open = [...this.pending.values()];
    this.pending.clear();
    for (const waiting of open) {
      if (REPEATABLE.has(waiting.name)) this.queue.push(waiting);
      else waiting.reject(disconnected());
    }
    this.setStatus('lost');
    this.lost();
  }

  private setStatus(status: ClientStatus): void {
    if (this.status === status) return;
    this.status = status;
    this.statuses.tell(status);
  }
}

const codes: ReadonlySet<unknown> = new Set(FAILURE_CODES);
function toFailure(info: unknown): Failure {
  if (typeof info === 'object' && info !== null && 'code' in info && codes.has(info.code)) {
    return new Failure(info as FailureInfo);
  }
  return new Failure({ code: 'internal', message: 'Holdfast gave an answer that cannot be read.' });
}

/** A client over one connection; when that is gone, so is the client. */
export function connect(port: Port): Client {
  const core: Core = new Core(() => core.close());
  core.attach(port);
  return core;
}

/** Milliseconds after which a connection counts as made. */
const STEADY = 2_000;

export interface ReconnectOptions {
  /** Runs `run` after `ms` milliseconds unless the returned function is called: the runtime's timer. */
  schedule(ms: number, run: () => void): () => void;
  /** Waits between tries, in milliseconds; the last one repeats. */
  delays?: readonly number[];
  /** Runs `again` once the page is let in after it was refused. Absent: a refusal is the end. */
  readmitted?(again: () => void): void;
}

/**
 * A client that outlives its connections. `open` makes one; after a `forbidden` Failure from it nothing is tried until the
 * page is let in again, anything else is tried again. While there is none, calls wait.
 */
export function reconnecting(open: () => Promise<Port>, options: ReconnectOptions): Client {
  const delays = options.delays ?? [0, 200, 500, 1_000, 2_000, 4_000];
  let tries = 0;
  let since = 0;
  let cancel: (() => void) | undefined;
  const core: Core = new Core(() => {
    // A connection that ends as soon as it is made is one more failed try.
    if (Date.now() - since > STEADY) tries = 0;
    if (core.status !== 'closed') retry();
  });
  const attempt = () => {
    cancel = undefined;
    open().then(
      (port) => {
        since = Date.now();
        core.attach(port);
      },
      (error: unknown) => {
        if (error instanceof Failure && error.code === 'forbidden' && options.readmitted) {
          core.refuse();
          options.readmitted(() => core.status === 'refused' && attempt());
        } else if (error instanceof Failure && error.code === 'forbidden') core.close();
        else if (core.status !== 'closed') retry();
      },
    );
  };
  const retry = () => {
    const ms = delays[Math.min(tries, delays.length - 1)] ?? 1_000;
    tries += 1;
    cancel = options.schedule(ms, attempt);
  };
  core.onStatus((status) => {
    if (status === 'closed') cancel?.();
  });
  attempt();
  return core;
}
