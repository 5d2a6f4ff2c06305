import type { UnknownAnswer, ApprovalDecision, ApprovalRequest, PendingTool } from '../agent/session';
import type { Console } from './console';
import { oneLine, printable } from './text';

/**
 * Questions at a terminal. Plain Enter answers none of them, so that nothing is allowed by a finger that rests on a key.
 */

/** The end of the input, or a stop of the run, is a refusal; `undefined` when `signal` fired. */
export async function askApproval(
  request: ApprovalRequest,
  screen: Console,
  signal: AbortSignal,
): Promise<ApprovalDecision | undefined> {
  screen.err(
    `\nThis changes something outside the conversation:\n    ${oneLine(request.line)}\n` +
      `    input: ${printable(request.input)}\n`,
  );
  for (;;) {
    const answer = await screen.ask(
      'Allow it? y = once, a = for this run, n = no; or tell the agent why not: ',
      signal,
    );
    if (signal.aborted) return undefined;
    if (answer === undefined) return { decision: 'deny' };
    const word = answer.trim();
    if (/^y(es)?$/i.test(word)) return { decision: 'once' };
    if (/^a(ll|lways)?$/i.test(word)) return { decision: 'run' };
    if (/^no?$/i.test(word)) return { decision: 'deny' };
    if (word !== '') return { decision: 'deny', words: word };
  }
}

/** What became of a tool that started and never answered. `undefined`: the person does not say, so nothing may go on. */
export async function askUnknown(tool: PendingTool, screen: Console): Promise<UnknownAnswer | undefined> {
  const since = tool.startedAt ? ` at ${tool.startedAt}` : '';
  screen.err(
    `\nThis was started${since} and never answered; nobody knows whether it took effect:\n    ${oneLine(tool.line)}\n`,
  );
  for (;;) {
    const answer = await screen.ask(
      'r = run it again, s = skip it and tell the agent; or tell what happened: ',
    );
    if (answer === undefined) return undefined;
    const word = answer.trim();
    if (/^r(un)?$/i.test(word)) return { toolUseId: tool.toolUseId, decision: 'run' };
    if (/^s(kip)?$/i.test(word)) return { toolUseId: tool.toolUseId, decision: 'skip' };
    if (word !== '') return { toolUseId: tool.toolUseId, decision: 'happened', words: word };
  }
}

export async function askEndpoint(from: string, to: string, screen: Console): Promise<boolean> {
  screen.err(
    `\nThis conversation went to ${oneLine(from)} so far; from now on all of it would be sent to ${oneLine(to)}.\n`,
  );
  for (;;) {
    const answer = await screen.ask('Send it there? y or n: ');
    if (answer === undefined || /^no?$/i.test(answer.trim())) return false;
    if (/^y(es)?$/i.test(answer.trim())) return true;
  }
}
