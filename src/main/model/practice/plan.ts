import { STOP } from '../../../shared/run/record';
import type { Failure } from '../../../shared/run/failure';
import type { ModelRequest } from '../model';
import type { Step, Task } from './conversation';
import { readTask } from './conversation';
import { report, summary, worthReading } from './report';
import { HELP, longText, WHO } from './words';
import type { Wish } from './wishes';
import { readRequest } from './wishes';

export interface Call {
  tool: string;
  input: Record<string, unknown>;
}

/** One turn of the Practice model before it is streamed. */
export interface Plan {
  thinking: string;
  text: string;
  calls: Call[];
  stop: string;
  slowly: boolean;
  /** Thrown after the text was streamed. */
  failure?: Failure;
}

/** Decides a turn from the conversation alone: the same conversation always gets the same turn. */
export function plan(request: ModelRequest): Plan {
  const task = readTask(request.messages);
  const { wishes, slowly, puzzled } = readRequest(task.text);
  const base: Plan = { thinking: '', text: '', calls: [], stop: STOP.endTurn, slowly };
  if (puzzled || wishes.length === 0) return { ...base, text: confused(task) };
  const first = wishes[0];
  if (first?.do === 'fail')
    return { ...base, text: first.halfway ? 'I begin to answer, and then' : '', failure: first.failure };
  if (first?.do === 'pause' && task.turns.length === 0)
    return { ...base, text: 'I pause my turn here; call me again and I go on.', stop: STOP.pauseTurn };

  const known = new Set(request.tools.map((tool) => tool.name));
  const calls = next(wishes, task).filter((call) => known.has(call.tool));
  const thinking = request.thinking === 'summarized' ? thoughts(wishes, task) : '';
  if (first?.do === 'stop' && task.turns.length === 0)
    return { ...base, thinking, text: CUT[first.reason], calls, stop: first.reason };
  if (calls.length) return { ...base, thinking, text: announcement(calls, task), calls, stop: STOP.toolUse };
  return { ...base, thinking, text: final(wishes, task, known, request.thinking !== 'off') };
}

const CUT = {
  max_tokens: 'This answer ends in the middle, because I was asked to run out of tok',
  refusal: 'I refuse to answer this, because I was asked to refuse.',
  model_context_window_exceeded:
    'There is no room left in the conversation, because I was asked to run out of',
} as const;

const confused = (task: Task) =>
  task.text === ''
    ? `${WHO} Ask me for \`help\` to see what I can do.`
    : `${WHO} I did not understand that. Ask me for \`help\` to see what I understand; \`summarise this folder\` is a good start.`;

/** Calls of the coming turn; none: it is time to answer. */
function next(wishes: Wish[], task: Task): Call[] {
  const done = task.turns.length;
  const loop = wishes.find((wish) => wish.do === 'repeat');
  if (loop) {
    if (done < loop.times) return directCalls(loop.wishes).map((call) => numbered(call, done + 1));
    // What else was asked for comes once, after the rounds.
    return done === loop.times ? directCalls(wishes) : [];
  }
  if (done === 0) return directCalls(wishes);
  const steps = task.turns.flat();
  if (done === 1 && wishes.some((wish) => wish.do === 'summarise')) {
    const base = wishes.find((wish) => wish.do === 'summarise')?.path ?? '.';
    const read = new Set(
      steps.filter((step) => step.name === 'read_file').map((step) => JSON.stringify(step.input)),
    );
    return worthReading(base === '.' ? steps : steps.filter((step) => pathIs(step, base)))
      .map((path) => ({ tool: 'read_file', input: { path, lines: 40 } }))
      .filter((call) => !read.has(JSON.stringify(call.input)));
  }
  return [];
}

const pathIs = (step: Step, path: string) => (step.input as { path?: unknown } | null)?.path === path;

function directCalls(wishes: Wish[]): Call[] {
  return wishes.flatMap((wish): Call[] => {
    if (wish.do === 'tool') return [{ tool: wish.tool, input: wish.input }];
    if (wish.do === 'stop') return directCalls(wish.meanwhile);
    if (wish.do === 'summarise')
      return [
        { tool: 'list_files', input: { path: wish.path, depth: 3 } },
        { tool: 'file_stats', input: { path: wish.path } },
      ];
    return [];
  });
}

/** `#` in every text becomes the number of the round. */
const numbered = ({ tool, input }: Call, round: number): Call => ({
  tool,
  input: Object.fromEntries(
    Object.entries(input).map(([key, value]) => [
      key,
      typeof value === 'string' ? value.replaceAll('#', String(round)) : value,
    ]),
  ),
});

function announcement(calls: Call[], task: Task): string {
  const names = [...new Set(calls.map((call) => `\`${call.tool}\``))];
  const what =
    names.length > 1 ? `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}` : (names[0] ?? '');
  return task.turns.length === 0 ? `I call ${what}.` : `Next I call ${what}.`;
}

function thoughts(wishes: Wish[], task: Task): string {
  const asked = wishes.find((wish) => wish.do === 'think');
  if (asked && task.turns.length === 0)
    return `I was asked to think about ${asked.about}. I am a small program, so this is what my thinking amounts to: I read the request, found the word “think” in it, and wrote these lines. A real model would weigh things here before it answers.`;
  if (!wishes.some((wish) => wish.do === 'summarise')) return '';
  if (task.turns.length === 0)
    return 'To say what is in the folder I need its names and sizes first; then I choose a few files to read.';
  if (task.turns.length === 1)
    return 'The listing and the counts are there. I look into the files that tell most about the rest.';
  return '';
}

/** The answer, part by part in the order of the wishes, from what the tools returned. */
function final(wishes: Wish[], task: Task, known: ReadonlySet<string>, thinks: boolean): string {
  const steps = task.turns.flat();
  const summarising = wishes.some((wish) => wish.do === 'summarise');
  const parts = wishes.flatMap((wish) => spoken(wish, thinks));
  const missing = [...new Set(missingTools(wishes, known))];
  if (missing.length)
    parts.push(
      `This profile does not give me ${missing.map((name) => `\`${name}\``).join(' and ')}, so I could not do all of it.`,
    );
  if (summarising) parts.push(summary(steps.filter((step) => SUMMARY_TOOLS.has(step.name))));
  parts.push(...steps.filter((step) => !summarising || !SUMMARY_TOOLS.has(step.name)).map(report));
  return parts.join('\n\n') || 'Nothing was left to do.';
}
const SUMMARY_TOOLS: ReadonlySet<string> = new Set(['list_files', 'file_stats', 'read_file']);

const missingTools = (wishes: Wish[], known: ReadonlySet<string>): string[] =>
  wishes
    .flatMap((wish) => directCalls(wish.do === 'repeat' ? wish.wishes : [wish]).map((call) => call.tool))
    .filter((name) => !known.has(name));

function spoken(wish: Wish, thinks: boolean): string[] {
  switch (wish.do) {
    case 'help':
      return [HELP];
    case 'hello':
      return [`Hello. ${WHO} Ask me for \`help\` to see what I can do.`];
    case 'say':
      return [wish.text];
    case 'long':
      return [longText(wish.lines)];
    case 'pause':
      return ['I am back after my pause, and that was all.'];
    case 'think':
      return [
        thinks
          ? `I have thought about ${wish.about}.`
          : 'Thinking is off in this profile, so I answer at once.',
      ];
    case 'stop':
      return ['My turn before this one was cut short, as I was asked to do.'];
    case 'repeat':
      return [`That was done ${wish.times} ${wish.times === 1 ? 'time' : 'times'}.`];
    default:
      return [];
  }
}
