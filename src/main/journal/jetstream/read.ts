import { AckPolicy, DeliverPolicy, ReplayPolicy, nanos } from 'nats';
import type { ConsumerConfig, Msg, MsgHdrs } from 'nats';
import { Failure } from '../../../shared/run/failure';
import { ERR, apiFailure, refusalOf, refusedAccess, unavailable } from './failures';
import type { Link } from './link';

/** A message as the stream holds it. */
export interface Stored {
  /** Place in the stream, over all subjects. */
  seq: number;
  subject: string;
  data: Uint8Array;
  headers: MsgHdrs | undefined;
  time: Date;
}

/** A stream on a connection: what all reading and writing happens to. */
export interface Place {
  link: Link;
  stream: string;
  /** Any replica may be asked for single messages. */
  direct: boolean;
  /** How long a read waits through an outage. ms. */
  readPatienceMs: number;
  /** The newest stream sequence that was seen from here. */
  seen: { seq: number };
}

export const seeing = (place: Place, seq: number): void => {
  if (seq > place.seen.seq) place.seen.seq = seq;
};

const ANSWER_MS = 5_000;
const STALL_MS = 4_000;
const SCAN_TRIES = 4;

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Runs a read again while the server is away, for as long as the place is patient. `long`: the read looks after itself
 * and may take any time, as long as something comes.
 *
 * @throws Failure `store_unavailable` then, and whatever else the read says at once
 */
export async function patiently<T>(
  place: Place,
  doing: string,
  read: () => Promise<T>,
  long = false,
): Promise<T> {
  const end = Date.now() + place.readPatienceMs;
  for (let wait = 50; ; wait = Math.min(wait * 2, 1_000)) {
    let trouble: unknown;
    try {
      if (place.link.state === 'connected')
        return await place.link.race(read(), long ? undefined : Math.max(1, end - Date.now()));
      trouble = new Error('the connection is lost');
    } catch (error) {
      if (error instanceof Failure) throw error;
      const access = refusedAccess(error);
      if (access !== undefined) throw access;
      const refusal = refusalOf(error);
      if (refusal !== undefined && refusal.code < 500) throw apiFailure(doing, error);
      trouble = error;
    }
    const left = end - Date.now();
    if (place.link.state === 'closed' || left <= 0) throw apiFailure(doing, trouble);
    if (place.link.state === 'reconnecting') await place.link.settled(left);
    else await pause(Math.min(wait, left));
  }
}

/** The last message on a subject (wildcards allowed) as the stream's leader has it, which is never behind. */
export function lastOf(place: Place, subject: string): Promise<Stored | undefined> {
  return patiently(place, 'read the stream', () => askLast(place, subject));
}

/** The same, asked once: rejects with the client's error. */
export const askLast = (place: Place, subject: string): Promise<Stored | undefined> =>
  ask(place, { last_by_subj: subject });

/** The first message on a subject that stands at `seq` in the stream or behind it, asked once of the leader. */
export const askNext = (place: Place, subject: string, seq: number): Promise<Stored | undefined> =>
  ask(place, { seq, next_by_subj: subject });

async function ask(
  place: Place,
  query: { last_by_subj: string } | { seq: number; next_by_subj: string },
): Promise<Stored | undefined> {
  try {
    const found = await place.link.manager.streams.getMessage(place.stream, query);
    seeing(place, found.seq);
    return {
      seq: found.seq,
      subject: found.subject,
      data: found.data,
      headers: found.header,
      time: found.time,
    };
  } catch (error) {
    if (refusalOf(error)?.err === ERR.noMessage) return undefined;
    throw error;
  }
}

/** The same from any replica, for lists: it may be a moment behind. */
export function glanceLast(place: Place, subject: string): Promise<Stored | undefined> {
  if (!place.direct) return lastOf(place, subject);
  const { connection, auth } = place.link;
  const api = auth.domain === undefined ? '$JS.API' : `$JS.${auth.domain}.API`;
  return patiently(place, 'read the stream', async () => {
    const reply = await connection.request(`${api}.DIRECT.GET.${place.stream}.${subject}`, '', {
      timeout: ANSWER_MS,
    });
    const { headers, data } = reply;
    if (headers === undefined || headers.code >= 400) {
      if (headers?.code === 404) return undefined;
      throw new Error(headers?.description || 'the answer is no message');
    }
    return {
      seq: Number(headers.get('Nats-Sequence')),
      subject: headers.get('Nats-Subject'),
      data,
      headers,
      time: new Date(headers.get('Nats-Time-Stamp')),
    };
  });
}

export interface ScanOptions {
  /** Give headers and no bodies. */
  headersOnly?: boolean;
}

/**
 * Every message on a subject (wildcards allowed), in the order of the stream: exactly as many as the server counted when
 * the scan began, or an error. Never a silent prefix.
 */
export function scan(place: Place, subject: string, options: ScanOptions = {}): Promise<Stored[]> {
  return patiently(place, 'read the stream', () => scanToEnd(place, subject, options), true);
}

async function scanToEnd(place: Place, subject: string, options: ScanOptions): Promise<Stored[]> {
  let trouble: unknown;
  for (let n = 0; n < SCAN_TRIES; n++) {
    try {
      return await scanOnce(place, subject, options);
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
      trouble = error;
    }
  }
  throw unavailable('The stream could not be read to its end', trouble);
}

/** A scan that met a gap or silence: it is begun again. */
class Interrupted extends Error {}

async function scanOnce(place: Place, subject: string, options: ScanOptions): Promise<Stored[]> {
  const { connection, manager } = place.link;
  const inbox = place.link.inbox();
  const found: Stored[] = [];
  let expected: number | undefined;
  let [resolve, reject] = [(): void => undefined, (_error: Error): void => undefined];
  const complete = new Promise<void>((yes, no) => ([resolve, reject] = [yes, no]));
  complete.catch(() => undefined);
  let stalled: NodeJS.Timeout | undefined;
  const alive = (): void => {
    clearTimeout(stalled);
    stalled = setTimeout(() => reject(new Interrupted('no more messages came')), STALL_MS);
  };
  const subscription = connection.subscribe(inbox, {
    callback: (error, message) => {
      if (error !== null) return reject(error);
      if (isControl(message)) return answerControl(message, (to) => connection.publish(to));
      const stored = storedOf(message);
      if (stored === undefined || stored.nth !== found.length + 1)
        return reject(new Interrupted('a message was missed'));
      found.push(stored);
      if (found.length === expected) resolve();
      else if (found.length % 256 === 0) alive();
    },
  });
  let name: string | undefined;
  alive();
  try {
    const info = await manager.consumers.add(place.stream, pushConfig(inbox, subject, options));
    name = info.name;
    expected = info.delivered.consumer_seq + info.num_pending;
    if (found.length < expected) await complete;
    return found;
  } finally {
    clearTimeout(stalled);
    subscription.unsubscribe();
    if (name !== undefined) void manager.consumers.delete(place.stream, name).catch(() => undefined);
  }
}

/** A consumer that pushes in order and remembers nothing; it goes by itself when nobody listens. */
export const pushConfig = (
  inbox: string,
  subject: string,
  { headersOnly, from, idle }: ScanOptions & { from?: number | 'new'; idle?: number },
): Partial<ConsumerConfig> => ({
  deliver_subject: inbox,
  filter_subject: subject,
  ack_policy: AckPolicy.None,
  replay_policy: ReplayPolicy.Instant,
  max_deliver: 1,
  mem_storage: true,
  num_replicas: 1,
  flow_control: true,
  idle_heartbeat: nanos(idle ?? 2_000),
  inactive_threshold: nanos(10_000),
  ...(headersOnly === true && { headers_only: true }),
  ...(from === undefined
    ? { deliver_policy: DeliverPolicy.All }
    : from === 'new'
      ? { deliver_policy: DeliverPolicy.New }
      : { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: from }),
});

/** Heartbeats and flow control come between messages, without a body. */
export const isControl = (message: Msg): boolean =>
  message.data.length === 0 && message.headers?.code === 100;

/** The server stops sending until its flow control is answered. */
export function answerControl(message: Msg, publish: (subject: string) => void): void {
  const to = message.reply || message.headers?.get('Nats-Consumer-Stalled');
  if (to) publish(to);
}

/**
 * A pushed message, which says about itself in its reply subject where it stands in the stream and the how-manieth it is
 * of its consumer. Everything else is read when it is wanted: a run has ten thousand of them.
 */
class Pushed implements Stored {
  constructor(
    readonly message: Msg,
    readonly seq: number,
    readonly nth: number,
    readonly nanoseconds: string,
  ) {}

  get subject(): string {
    return this.message.subject;
  }

  get data(): Uint8Array {
    return this.message.data;
  }

  get headers(): MsgHdrs | undefined {
    return this.message.headers;
  }

  get time(): Date {
    return new Date(Number(this.nanoseconds) / 1e6);
  }
}

/** undefined for what no consumer pushed. */
export function storedOf(message: Msg): (Stored & { nth: number }) | undefined {
  const tokens = message.reply?.split('.') ?? [];
  if (tokens[0] !== '$JS' || tokens[1] !== 'ACK') return undefined;
  // Newer servers put a domain and an account before the stream.
  const at = tokens.length > 9 ? 5 : 3;
  const seq = Number(tokens[at + 2]);
  const nth = Number(tokens[at + 3]);
  if (!Number.isSafeInteger(seq) || !Number.isSafeInteger(nth)) return undefined;
  return new Pushed(message, seq, nth, tokens[at + 4] ?? '');
}
