import { wellFormed } from '../../shared/run/json';
import type { Message, ToolUseBlock } from '../../shared/run/record';
import type { RunState } from '../../shared/run/state';
import { startOf } from '../../shared/run/slices';

/** Characters of the whole prompt: some 6,000 tokens, so that any model has room left to work. */
const MAX_CHARS = 24_000;
/** Below this no excerpt says anything. */
const FEWEST_CHARS = 2_000;

export interface ContinuationOptions {
  /** Default: 24,000; at least 2,000. */
  maxChars?: number;
  /** It goes on with another kind of service, not because it became too long. */
  crossing?: boolean;
  /** The person chose another model for it. */
  chosen?: boolean;
}

/**
 * The first prompt of a run that goes on where another one became too long for its model: the task, what the person
 * asked later, what the tools did and the last words, newest first in importance. It is an excerpt of what is recorded,
 * and says so: nothing is invented, and whatever is left out is counted. Pure; never longer than asked for.
 */
export function continuationPrompt(state: RunState, options: ContinuationOptions = {}): string {
  const max = Math.max(FEWEST_CHARS, options.maxChars ?? MAX_CHARS);
  const said = saidIn(state);
  const intro = [
    options.crossing
      ? 'This goes on from an earlier conversation with another model service, whose own records cannot be handed over.'
      : options.chosen
        ? 'This goes on from an earlier conversation with another model.'
        : 'This goes on from an earlier conversation that had become too long to be read in one piece.',
    `What follows is an excerpt of its ${count(said.messages, 'message')} and ${count(said.calls.length, 'tool call')}, chosen by the program and not summarised by anyone.`,
    'Files and other things may have changed since: look again before you rely on them.',
  ].join(' ');
  const outro = 'Go on from here.';
  const room = max - intro.length - outro.length - 200;
  const sections = [
    section('The task', [clip(said.task, share(room, 0.25))]),
    section('What was asked later', newest(said.later, share(room, 0.2), 'earlier request')),
    section('What the tools did', newest(said.calls, share(room, 0.2), 'earlier call')),
    section('The last words', newest(said.spoken, share(room, 0.3), 'earlier message')),
    section('Not finished', newest(said.open, share(room, 0.05), 'more')),
  ];
  return [intro, ...sections.filter((text) => text !== ''), outro].join('\n\n');
}

interface Said {
  task: string;
  /** The person's messages after the first, one each. */
  later: string[];
  /** One line for each tool call and what became of it. */
  calls: string[];
  /** What both sides said, in order, without the tools. */
  spoken: string[];
  /** Calls of the last turn that have no answer. */
  open: string[];
  messages: number;
}

function saidIn(state: RunState): Said {
  const said: Said = { task: state.prompt, later: [], calls: [], spoken: [], open: [], messages: 0 };
  const answers = new Map<string, string>();
  const pending = state.pending;
  const messages: Message[] = [...state.messages, ...(pending ? [pending.assistant] : [])];
  for (const message of messages)
    for (const { tool_result: result } of message.content ?? [])
      if (result) answers.set(result.tool_use_id, outcome(result));
  for (const result of pending?.results ?? []) answers.set(result.tool_use_id, outcome(result));

  let first = true;
  for (const message of messages) {
    said.messages++;
    const words = textOf(message);
    for (const { tool_use: call } of message.content ?? []) {
      if (!call) continue;
      const answer = answers.get(call.id);
      said.calls.push(`- ${line(call)}: ${answer ?? 'no answer'}`);
      if (answer === undefined) said.open.push(`- ${line(call)} was asked for, but has no recorded result.`);
    }
    if (words === '') continue;
    if (message.role === 'user' && !first) said.later.push(`- ${words}`);
    if (message.role === 'user' && first) first = false;
    else said.spoken.push(`${message.role === 'user' ? 'Person' : 'You'}: ${words}`);
  }
  return said;
}

const textOf = (message: Message): string =>
  (message.content ?? [])
    .flatMap((block) => block.text?.text.trim() ?? [])
    .filter((text) => text !== '')
    .join('\n\n');

const line = (call: ToolUseBlock): string => `${call.name} ${clip(call.input, 200)}`;

const outcome = (result: { content: string; is_error?: boolean }): string =>
  `${result.is_error ? 'failed: ' : ''}${clip(startOf(result.content, 2_000).replace(/\s+/g, ' ').trim(), 160) || 'nothing'}`;

const share = (room: number, part: number): number => Math.floor(room * part);

const count = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`;

const section = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : `## ${title}\n\n${lines.join('\n')}`;

/** As many of the newest as fit, in their order, with the number of those left out; the newest is clipped to fit. */
function newest(lines: readonly string[], room: number, what: string): string[] {
  const kept: string[] = [];
  let left = room - 60;
  for (let i = lines.length - 1; i >= 0; i--) {
    const text = lines[i]!;
    if (text.length + 1 > left && kept.length > 0) break;
    const shown = clip(text, Math.max(1, left - 1));
    kept.unshift(shown);
    left -= shown.length + 1;
  }
  const missing = lines.length - kept.length;
  return missing === 0 ? kept : [`(${count(missing, what)} left out)`, ...kept];
}

/** Head and tail of a text, with the number of characters between them. Never longer than `max`. */
function clip(text: string, max: number): string {
  if (text.length <= max) return wellFormed(text);
  const mark = ` […${text.length - max} characters left out…] `;
  const room = max - mark.length;
  if (room < 40) return wellFormed(text.slice(0, max));
  const head = Math.floor((room * 2) / 3);
  return wellFormed(text.slice(0, head)) + mark + wellFormed(text.slice(text.length - (room - head)));
}
