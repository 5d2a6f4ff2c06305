import type { RunHead } from '../../shared/contract/views';
import { Failure } from '../../shared/run/failure';
import { call, failureOf } from '../client';
import { giveBack, sendDraft } from './drafts';

/** What a person does with words: what is said, and what waits to be said. */

export const runDraft = (id: string) => `run:${id}`;

/** Failures of a message that the pre-flight can explain and settle. */
export const ASKS_PREFLIGHT: ReadonlySet<string> = new Set([
  'drift',
  'provider_changed',
  'endpoint_changed',
  'unknown_outcome',
  'from_elsewhere',
  'interactivity',
  'profile_unknown',
]);

const over = () =>
  new Failure({
    code: 'busy',
    message: 'This chat has ended.',
    kept: 'Your words are in the field.',
    todo: 'Start a new chat.',
  });

/** Sends what is in the field. Gives `preflight` where that must be looked at first: the message then waits there. */
export async function sayDraft(id: string, queue: boolean): Promise<'said' | 'preflight'> {
  let how: 'said' | 'preflight' = 'said';
  await sendDraft(runDraft(id), async (text) => {
    try {
      const { done } = await call('run.say', { id, text, queue });
      if (!done) throw over();
    } catch (error) {
      if (!ASKS_PREFLIGHT.has(failureOf(error).code)) throw error;
      await call('run.say', { id, text, queue: true });
      how = 'preflight';
    }
  });
  return how;
}

/** Refuses the call that waits, with the words in the field. They stay there where that question is no longer open. */
export const denyWithDraft = (id: string, hash: string): Promise<void> =>
  sendDraft(runDraft(id), async (words) => {
    const { done } = await call('run.approve', { id, hash, decision: 'deny', words });
    if (!done)
      throw new Failure({
        code: 'conflict',
        message: 'That question is no longer open, so nothing was answered.',
        kept: 'Your words are in the field.',
      });
  });

/** Takes a waiting message back into the field. It is kept there before it leaves the queue. */
export async function editWaiting(
  id: string,
  { id: message, text }: RunHead['queued'][number],
): Promise<void> {
  await giveBack(runDraft(id), text);
  await call('run.unqueue', { id, message });
}

export const dropWaiting = (id: string, message: string): Promise<unknown> =>
  call('run.unqueue', { id, message });
