import { headers } from 'nats';
import type { MsgHdrs } from 'nats';
import {
  ERR,
  apiFailure,
  refusalOf,
  refusedAccess,
  storeFull,
  tooLarge,
  tooLargeNow,
  unavailable,
} from './failures';
import type { Link } from './link';
import { askLast, pause, seeing } from './read';
import type { Place, Stored } from './read';
import { HEADER } from './subjects';

/** One message that is to be stored once. */
export interface Put {
  subject: string;
  body: Uint8Array;
  /** Unique to this message; how we know our own again. */
  id: string;
  /** Stream sequence that the last message over `over` must have, 0 for none. Absent only in tests of the fence. */
  last: number | undefined;
  /** Subjects of the fence. Absent: the message's own subject, the only fence that older servers have. */
  over?: string;
  headers?: Record<string, string>;
  /** Called before each try: throws what makes writing pointless. */
  before?: () => Promise<void>;
}

/** `adopted`: its acknowledgement was lost, and it was found in the stream. */
export interface Landed {
  seq: number;
  adopted: boolean;
}

/** The server's fence said no, and what stands on the subject is not ours. */
export class Refused extends Error {
  constructor(readonly occupant: Stored | undefined) {
    super('the stream holds something else');
  }
}

export interface PutOptions {
  /** How long an outage is waited through. ms. */
  patienceMs: number;
  /** How long one acknowledgement is waited for. ms. */
  ackMs: number;
  /** false only in the tests that show what reading back is for. */
  readBack: boolean;
}

/** Headers of a put. The plain expectation stands first: see HEADER.over. */
export function headersOf(put: Pick<Put, 'id' | 'last' | 'over' | 'headers'>): MsgHdrs {
  const lines = headers();
  lines.append(HEADER.id, put.id);
  if (put.last !== undefined) {
    lines.append(HEADER.expect, `${put.last}`);
    if (put.over !== undefined) lines.append(HEADER.over, put.over);
  }
  for (const [name, value] of Object.entries(put.headers ?? {})) lines.append(name, value);
  return lines;
}

/**
 * Stores a message exactly once, through lost acknowledgements and outages: the same subject and the same message id
 * again and again, and after each try whose outcome is unknown a look at what the stream's leader has there.
 *
 * @throws Refused when the fence bites; Failure `too_large`, `no_space`, or `store_unavailable` once patience is over:
 *   then nobody knows whether the message is in the stream
 */
export async function put(place: Place, options: PutOptions, message: Put): Promise<Landed> {
  const { link } = place;
  const end = Date.now() + options.patienceMs;
  const lines = headersOf(message);
  for (let wait = 25; ; wait = Math.min(wait * 2, 1_000)) {
    let trouble: unknown;
    let asked = false;
    if (link.state === 'connected') {
      try {
        await message.before?.();
        asked = true;
        const timeout = Math.max(1, Math.min(options.ackMs, end - Date.now()));
        const ack = await publish(link, message, lines, timeout);
        // A duplicate is what the server remembers, not what it still holds.
        if (!ack.duplicate || !options.readBack) {
          seeing(place, ack.seq);
          return { seq: ack.seq, adopted: false };
        }
        trouble = new Error('acknowledged as a duplicate, but not there');
      } catch (error) {
        trouble = error;
        const final = finalFailure(error, message, link.maxPayload);
        if (final !== undefined) throw final;
        if (isFenced(error) && !options.readBack) throw new Refused(undefined);
      }
    }
    if (asked && options.readBack) {
      const found = await readBack(place, message, end);
      if (found !== undefined) return found;
      if (isFenced(trouble)) throw new Refused(undefined);
    }
    const left = end - Date.now();
    if (left <= 0 || link.state === 'closed')
      throw unavailable(
        'NATS did not take the record in time',
        trouble ?? new Error('the connection is lost'),
      );
    if (link.state === 'reconnecting') await link.settled(left);
    else await pause(Math.min(wait, left));
  }
}

/** Ours if it is there, Refused if another is, undefined if nothing is. Asks until the leader answers. */
async function readBack(place: Place, message: Put, end: number): Promise<Landed | undefined> {
  const { link } = place;
  for (let wait = 25; ; wait = Math.min(wait * 2, 1_000)) {
    let trouble: unknown = new Error('the connection is lost');
    if (link.state === 'connected') {
      try {
        const occupant = await link.race(askLast(place, message.subject), Math.max(1, end - Date.now()));
        if (occupant === undefined) return undefined;
        const ours =
          occupant.headers?.get(HEADER.id) === message.id &&
          Buffer.compare(occupant.data, message.body) === 0;
        if (!ours) throw new Refused(occupant);
        return { seq: occupant.seq, adopted: true };
      } catch (error) {
        if (error instanceof Refused) throw error;
        const access = refusedAccess(error);
        if (access !== undefined) throw access;
        trouble = error;
      }
    }
    const left = end - Date.now();
    if (left <= 0 || link.state === 'closed')
      throw unavailable('NATS did not say whether it took the record', trouble);
    if (link.state === 'reconnecting') await link.settled(left);
    else await pause(Math.min(wait, left));
  }
}

interface Ack {
  seq: number;
  duplicate: boolean;
}

/** One try. Rejects as the client does: `api_error` for a refusal, anything else leaves the outcome open. */
async function publish(link: Link, message: Put, lines: MsgHdrs, ms: number): Promise<Ack> {
  const reply = await link.ask(message.subject, message.body, lines, ms);
  const answer = reply.json<{ error?: { code: number }; seq?: number; duplicate?: boolean }>();
  if (answer.error !== undefined) throw Object.assign(new Error('refused'), { api_error: answer.error });
  if (typeof answer.seq !== 'number') throw new Error('the answer is no acknowledgement');
  return { seq: answer.seq, duplicate: answer.duplicate === true };
}

function isFenced(error: unknown): boolean {
  const refusal = refusalOf(error);
  if (refusal === undefined) return false;
  return (
    refusal.err === ERR.wrongLastSequence ||
    (refusal.err === ERR.storeFailed && refusal.text.includes('per subject'))
  );
}

/** Refusals that say nothing of how it ends: a further try, or reading back, will tell. */
const OPEN = new Set<number>([ERR.inFlight, ERR.idInFlight, ERR.busy]);

/** What no further try can mend; undefined for everything else. */
function finalFailure(error: unknown, message: Put, maxPayload: number): Error | undefined {
  if (error instanceof Error && error.name === 'Failure') return error;
  if ((error as { code?: string }).code === 'MAX_PAYLOAD_EXCEEDED')
    return tooLarge(message.body.length, maxPayload);
  const access = refusedAccess(error);
  if (access !== undefined) return access;
  const refusal = refusalOf(error);
  if (refusal === undefined || isFenced(error) || OPEN.has(refusal.err)) return undefined;
  if (refusal.err === ERR.tooLarge) return tooLargeNow(message.body.length);
  if (refusal.err === ERR.noSpace || (refusal.err === ERR.storeFailed && /maximum/.test(refusal.text)))
    return storeFull(refusal.text);
  return refusal.code < 500 ? apiFailure('take the record', error) : undefined;
}
