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
    const call = { toolUseId: tool.toolUseId, hash: tool.hash };
    if (/^r(un)?$/i.test(word)) return { ...call, decision: 'run' };
    if (/^s(kip)?$/i.test(word)) return { ...call, decision: 'skip' };
    if (word !== '') return { ...call, decision: 'happened', words: word };
  }
}

/** A call that came with a run from elsewhere, with the whole path that it would work on. */
export async function askForeign(tool: PendingTool, screen: Console): Promise<UnknownAnswer | undefined> {
  const call = { toolUseId: tool.toolUseId, hash: tool.hash };
  screen.err(
    `\nThis call came with the run from elsewhere${tool.startedAt ? `, where it was started at ${oneLine(tool.startedAt)}` : ''}:\n` +
      `    ${oneLine(tool.line)}\n${tool.path === undefined ? '' : `    on ${oneLine(tool.path)}\n`}    input: ${printable(tool.input)}\n`,
  );
  for (;;) {
    const answer = await screen.ask('Run it on this computer? y = run it, n = answer it as not run: ');
    if (answer === undefined) return undefined;
    if (/^y(es)?$/i.test(answer.trim())) return { ...call, decision: 'run' };
    if (/^no?$/i.test(answer.trim())) return { ...call, decision: 'skip' };
  }
}

/** Where a run from elsewhere is to go on, and with whom. */
export async function askOrigin(
  chosen: { profile: string; endpoint: string | undefined; folder: string | undefined },
  screen: Console,
): Promise<boolean> {
  const { profile, endpoint, folder } = chosen;
  screen.err(
    `\nOn this computer it would use the profile ${oneLine(profile)}` +
      `${endpoint === undefined ? '' : `, which sends all of it to ${oneLine(endpoint)}`}, and ` +
      `${folder === undefined ? 'no folder' : `the folder ${oneLine(folder)}`}.\n`,
  );
  for (;;) {
    const answer = await screen.ask('Use these? y or n: ');
    if (answer === undefined || /^no?$/i.test(answer.trim())) return false;
    if (/^y(es)?$/i.test(answer.trim())) return true;
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
