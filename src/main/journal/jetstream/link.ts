import { connect, createInbox } from 'nats';
import type { ConnectionOptions, JetStreamManager, Msg, MsgHdrs, NatsConnection } from 'nats';
import type { NatsAuth } from './address';
import { Asks } from './asks';
import { absurdServer } from './failures';
import { RECORD_LIMIT } from '../../../shared/run/read';

/** `reconnecting`: the server is away and is looked for, for ever. */
export type LinkState = 'connected' | 'reconnecting' | 'closed';

const REBUILD_MS = 1_000;
const CLOSE_MS = 1_000;

interface Subscription {
  subject: string;
  onMessage: (message: Msg) => void;
  current?: { unsubscribe(): void };
}

/**
 * One connection to a NATS server (or cluster) that never ends by itself: it reconnects for ever, and is built anew
 * should the client give up all the same. Stores with the same address and credentials share one.
 */
export class Link {
  /** Counts connections: a higher number than last time means that the server may be another one now. */
  epoch = 1;
  state: LinkState = 'connected';
  #connection: NatsConnection;
  #manager: JetStreamManager;
  readonly #listeners = new Set<(state: LinkState) => void>();
  readonly #subscriptions = new Set<Subscription>();
  readonly #asks = new Asks(this);

  private constructor(
    readonly options: () => ConnectionOptions,
    readonly auth: NatsAuth,
    connection: NatsConnection,
    manager: JetStreamManager,
  ) {
    this.#connection = connection;
    this.#manager = manager;
    this.#follow(connection);
  }

  static async open(options: () => ConnectionOptions, auth: NatsAuth): Promise<Link> {
    const connection = await connect(options());
    const absurd = absurdServer(connection.info?.max_payload);
    if (absurd) {
      void connection.close().catch(() => undefined);
      throw absurd;
    }
    return new Link(options, auth, connection, await managerOf(connection, auth.domain));
  }

  get connection(): NatsConnection {
    return this.#connection;
  }

  get manager(): JetStreamManager {
    return this.#manager;
  }

  /** Version of the server that this connection is on, as it names itself. */
  get version(): string {
    return this.#connection.info?.version ?? '';
  }

  /** Largest message in bytes, headers included. */
  get maxPayload(): number {
    // NATS lets a server take more than a record may have.
    return Math.min(this.#connection.info?.max_payload ?? 1024 * 1024, RECORD_LIMIT);
  }

  /** A fresh subject for answers to this connection. */
  inbox(): string {
    return createInbox(this.auth.inboxPrefix);
  }

  onState(listener: (state: LinkState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves with the state once it is not `reconnecting`, or after `ms` with what it is then. */
  async settled(ms: number): Promise<LinkState> {
    if (this.state !== 'reconnecting') return this.state;
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        stop();
        resolve(this.state);
      };
      const timer = setTimeout(done, ms);
      const stop = this.onState((state) => {
        if (state !== 'reconnecting') done();
      });
    });
  }

  /**
   * Rejects as soon as the connection is lost, so that nobody waits out a time-out for an answer that cannot come, and
   * after `ms` at the latest.
   */
  async race<T>(answer: Promise<T>, ms?: number): Promise<T> {
    let stop = (): void => undefined;
    let timer: NodeJS.Timeout | undefined;
    const lost = new Promise<never>((_resolve, reject) => {
      stop = this.onState((state) => {
        if (state !== 'connected') reject(new Error('the connection is lost'));
      });
      if (ms !== undefined) timer = setTimeout(() => reject(new Error('no answer came in time')), ms);
    });
    answer.catch(() => undefined);
    try {
      return await Promise.race([answer, lost]);
    } finally {
      stop();
      clearTimeout(timer);
    }
  }

  /** Sends a message and gives the answer to it. Rejects as `race` does, and as the client does. */
  ask(subject: string, body: Uint8Array, headers: MsgHdrs, ms: number): Promise<Msg> {
    return this.#asks.ask(subject, body, headers, ms);
  }

  /** Survives reconnects and rebuilt connections. What is published while disconnected is missed. */
  subscribe(subject: string, onMessage: (message: Msg) => void): () => void {
    const subscription: Subscription = { subject, onMessage };
    this.#subscriptions.add(subscription);
    this.#attach(subscription);
    return () => {
      this.#subscriptions.delete(subscription);
      try {
        subscription.current?.unsubscribe();
      } catch {
        // The connection went first.
      }
    };
  }

  /** Never rejects, and never waits long: what is in flight counts as lost. */
  async close(): Promise<void> {
    this.#set('closed');
    this.#listeners.clear();
    this.#subscriptions.clear();
    await Promise.race([this.#connection.close().catch(() => undefined), pause(CLOSE_MS)]);
  }

  #attach(subscription: Subscription): void {
    try {
      subscription.current = this.#connection.subscribe(subscription.subject, {
        callback: (error, message) => {
          if (error === null) subscription.onMessage(message);
        },
      });
    } catch {
      // Closed just now: attached again once the connection is rebuilt.
    }
  }

  #set(state: LinkState): void {
    if (this.state === state || this.state === 'closed') return;
    this.state = state;
    if (state !== 'connected') this.#asks.lose();
    for (const listener of [...this.#listeners]) {
      try {
        listener(state);
      } catch {
        // A listener's trouble is its own.
      }
    }
  }

  #follow(connection: NatsConnection): void {
    void (async () => {
      for await (const { type, permissionContext } of connection.status()) {
        if (connection !== this.#connection) return;
        if (permissionContext !== undefined) this.#asks.forbid(permissionContext);
        if (type === 'disconnect') this.#set('reconnecting');
        else if (type === 'reconnect' && absurdServer(connection.info?.max_payload)) {
          // Another one has its place: looked for again from the beginning.
          void connection.close().catch(() => undefined);
        } else if (type === 'reconnect') {
          this.epoch += 1;
          this.#set('connected');
        }
      }
    })();
    void connection.closed().then(() => this.#rebuild(connection));
  }

  async #rebuild(old: NatsConnection): Promise<void> {
    if (this.state === 'closed' || old !== this.#connection) return;
    this.#set('reconnecting');
    while (this.state === 'reconnecting') {
      try {
        const connection = await connect(this.options());
        if (this.isClosed) return void connection.close().catch(() => undefined);
        if (absurdServer(connection.info?.max_payload)) {
          // Another one has its place; it is left, and looked for again.
          void connection.close().catch(() => undefined);
          await pause(REBUILD_MS);
          continue;
        }
        this.#connection = connection;
        this.#manager = await managerOf(connection, this.auth.domain);
        this.epoch += 1;
        this.#follow(connection);
        for (const subscription of this.#subscriptions) this.#attach(subscription);
        this.#set('connected');
      } catch {
        await pause(REBUILD_MS);
      }
    }
  }

  private get isClosed(): boolean {
    return this.state === 'closed';
  }
}

const managerOf = (connection: NatsConnection, domain: string | undefined): Promise<JetStreamManager> =>
  connection.jetstreamManager({ checkAPI: false, ...(domain !== undefined && { domain }) });

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
