import { randomBytes } from 'node:crypto';
import type { StreamJudgement } from './config';
import type { KnownRows } from './known';
import type { Link } from './link';
import { put, Refused } from './put';
import type { Landed, Put, PutOptions } from './put';
import { lastOf } from './read';
import type { Place } from './read';
import { hasTailFence } from './server';
import type { Subjects } from './subjects';

/** Header lines that every record has, in bytes, rounded up. */
const HEADERS = 1_024;

/** The stream that a store is bound to, with all that reading and writing there needs to know. */
export interface Ground extends Place {
  link: Link;
  subjects: Subjects;
  judgement: StreamJudgement;
  put: PutOptions;
  known: KnownRows;
  /** Bytes that the stream takes for one message, headers included. */
  mostBytes(): number;
  /** Fence over all subjects below a filter: the server judges it (see server.ts). */
  tailFence(): boolean;
  /** The server that leads the stream turned out to judge no tail fence, whatever the one we are connected to says. */
  noTailFence(): void;
  /** Ask a holder before its claim is superseded; 0: don't, and never say `locked` for it. ms. */
  askMs: number;
  /** false only in the tests that show what the fence is for. */
  fence: boolean;
}

export function groundOf(
  parts: Omit<Ground, 'mostBytes' | 'tailFence' | 'noTailFence'> & { maxMessageBytes: number },
): Ground {
  const { maxMessageBytes, ...rest } = parts;
  let judged = true;
  return {
    ...rest,
    mostBytes: () => Math.min(rest.link.maxPayload, maxMessageBytes),
    tailFence: () => judged && hasTailFence(rest.link.version),
    noTailFence: () => void (judged = false),
  };
}

/** Largest body of one message. */
export const mostBody = (ground: Ground): number => ground.mostBytes() - HEADERS;

export const newNonce = (): string => randomBytes(16).toString('hex');

/** A message that may only follow what its writer saw last. */
export interface FencedPut extends Omit<Put, 'last' | 'over'> {
  /** Stream sequence of the last message below `filter`; 0: there is none. */
  last: number;
  filter: string;
}

/** Stores a message behind the fence: over `filter` where the server judges that, else on its own subject. See `put`. */
export async function putFenced(
  ground: Ground,
  message: FencedPut,
  patienceMs = ground.put.patienceMs,
): Promise<Landed> {
  const send = (): Promise<Landed> =>
    put(ground, { ...ground.put, patienceMs }, { ...message, ...fenceOf(ground, message) });
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof Refused) || error.occupant !== undefined || !ground.tailFence()) throw error;
    // Refused though nothing moved: in a cluster of several versions the leader may not know this fence.
    const tail = await lastOf(ground, message.filter);
    if ((tail?.seq ?? 0) !== message.last) throw error;
    ground.noTailFence();
    return send();
  }
}

function fenceOf(ground: Ground, { last, filter }: FencedPut): { last: number | undefined; over?: string } {
  if (!ground.fence) return { last: undefined };
  return ground.tailFence() ? { last, over: filter } : { last: 0 };
}
