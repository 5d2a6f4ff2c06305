import type { RunHead } from '../../../shared/contract/views';
import { waysOf } from '../../../shared/contract/ways';

/** It stopped, and the pre-flight leads on. */
export const needsResume = (head: RunHead) => waysOf(head).look;

/** The run cannot be shown as a conversation. */
export const isDamaged = (head: RunHead) => head.row.status === 'damaged' || head.row.status === 'new';

/** The pane that a run opens with. */
export function firstPane(head: RunHead): 'chat' | 'resume' {
  return needsResume(head) && head.row.status !== 'failed' ? 'resume' : 'chat';
}
