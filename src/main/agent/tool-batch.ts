import { parseRaw } from '../../shared/run/codec';
import type { ToolUseBlock } from '../../shared/run/record';
import type { Tool, ToolContext } from '../tool/tool';
import { toolUses } from './answered-turn';
import { Watch } from './clock';
import { sha256, toolNamed } from './config';
import type { Run } from './run';
import { seal } from './seal';
import type { ApprovalDecision, UnknownAnswer } from './session';
import type { Answer } from './words';
import * as words from './words';

/** How long a tool that was told to stop may take to say what it did. */
const GRACE_MS = 1000;

/** What is known about calls of the open turn beside its record. */
export interface Known {
  /** Raw texts of inputs that were no JSON objects, by tool-use id. */
  invalid?: ReadonlyMap<string, string>;
  /** Of a resumed turn: what was decided about calls that were started and never answered. */
  unknown?: ReadonlyMap<string, Decided>;
  /** Of a resumed turn: calls that came with a run from elsewhere. None runs without a decision of its own. */
  foreign?: ReadonlySet<string>;
  /** Of a resumed turn: calls that a person had refused when the run was interrupted, with their words. */
  denied?: ReadonlyMap<string, string | undefined>;
  /** Something else was said: what has not begun is answered as stopped. */
  instead?: boolean;
}

/** An answer for one call, by a person or for all of them by a flag. */
export type Decided = UnknownAnswer & { by: 'person' | 'flag' };

/**
 * Answers the calls of the open turn one after another in their order, each answer recorded before the next call
 * begins. Calls of a turn that was cut short are answered as not run. Resolves with `stopped` at a boundary where the
 * rest stays open. Throws Failure `journaling`.
 */
export async function answerCalls(run: Run, known: Known): Promise<'done' | 'stopped'> {
  const { pending } = run.ledger.state;
  if (!pending) return 'done';
  const answered = new Set(pending.answered);
  const cut = words.isCutShort(pending.stop_reason);
  for (const use of toolUses(pending.assistant)) {
    if (answered.has(use.id)) continue;
    const answer = cut ? words.cutShortAnswer() : await oneCall(run, use, known);
    if (answer === 'later') return 'stopped';
    await record(run, use, answer);
    answered.add(use.id);
  }
  return 'done';
}

async function record(run: Run, use: ToolUseBlock, answer: Answer): Promise<void> {
  const { ledger, parts, stage } = run;
  const fit = await seal(answer, use.id, ledger, parts.secrets(ledger.store), parts.now, (code, text) =>
    stage.warn(code, text),
  );
  const result = { tool_use_id: use.id, content: fit.content, ...(fit.is_error && { is_error: true }) };
  await ledger.append(
    { kind: 'tool_result', payload: { tool_use_id: use.id, result } },
    `the result of the tool ${use.name}`,
  );
}

/** The answer to one call; `later`: it was not begun and stays open. */
async function oneCall(run: Run, use: ToolUseBlock, known: Known): Promise<Answer | 'later'> {
  if (run.control.lost) throw run.control.lost;
  if (run.control.stop === 'cancel') return words.stoppedAnswer();
  if (run.control.stop !== 'none') return 'later';

  const verdict = known.unknown?.get(use.id);
  const foreign = known.foreign?.has(use.id) ?? false;
  if (foreign && (verdict === undefined || verdict.decision === 'skip')) return words.foreignAnswer();
  if (verdict?.decision === 'skip') return words.skippedAnswer();
  if (verdict?.decision === 'happened') return words.happenedAnswer(verdict.words);
  if (known.denied?.has(use.id)) return words.deniedAnswer(known.denied.get(use.id));

  if (known.instead && !verdict) return words.stoppedAnswer();

  const tool = toolNamed(run.config, use.name);
  if (!tool)
    return words.unknownToolAnswer(
      use.name,
      run.config.defs.map((def) => def.name),
    );
  const bad = known.invalid?.get(use.id);
  if (bad !== undefined) return words.badInputAnswer(bad);

  const input = parseRaw(use.input);
  let caution: string | undefined;
  if (tool.changes) {
    caution = await tool.caution?.(input, contextOf(run, AbortSignal.timeout(tool.timeoutMs)));
    const decision = await allowed(run, use, tool, input, caution, verdict?.by);
    if (decision === undefined) return oneCall(run, use, known);
    if (decision.decision === 'deny') return words.deniedAnswer(decision.words);
    // A stop that came with the answer holds: nothing has begun yet.
    if (run.control.stop !== 'none' || run.control.lost) return oneCall(run, use, known);
  }
  return execute(run, use, tool, input, caution);
}

const contextOf = (run: Run, signal: AbortSignal): ToolContext => ({
  folder: run.folder?.path,
  folderId: run.folder?.id,
  closed: run.parts.closed?.(run.ledger.store),
  trash: run.parts.trash,
  signal,
});

/** A decision that is noted before it counts; undefined when the question was withdrawn. */
async function allowed(
  run: Run,
  use: ToolUseBlock,
  tool: Tool,
  input: unknown,
  caution: string | undefined,
  again: 'person' | 'flag' | undefined,
): Promise<ApprovalDecision | undefined> {
  const hash = sha256(
    JSON.stringify([
      run.ledger.id,
      use.id,
      tool.def,
      use.input,
      run.folder?.path ?? null,
      ...(caution === undefined ? [] : [caution]),
    ]),
  );
  const note = (decision: ApprovalDecision, by: 'person' | 'flag' | 'run'): Promise<void> =>
    run.ledger.note(
      {
        kind: 'approval',
        at: run.parts.now().toISOString(),
        tool_use_id: use.id,
        tool: use.name,
        hash,
        decision: decision.decision,
        by,
        ...(decision.decision === 'deny' && decision.words !== undefined && { words: decision.words }),
      },
      `the decision about the tool ${use.name}`,
    );
  const settled = async (decision: ApprovalDecision, by: 'person' | 'flag' | 'run') => {
    await note(decision, by);
    return decision;
  };
  // What must be known before this call was not known when it was allowed.
  if (caution === undefined) {
    if (again) return settled({ decision: 'once' }, again);
    if (run.allow.has(use.name)) return settled({ decision: 'run' }, 'flag');
    if (run.approvals.forRun.has(use.name)) return settled({ decision: 'run' }, 'run');
  }
  if (run.ask === 'auto-deny') return settled({ decision: 'deny', words: words.NOBODY_TO_ASK }, 'flag');

  const request = {
    hash,
    toolUseId: use.id,
    tool: use.name,
    input: use.input,
    line: `${lineOf(tool, use, input)}${caution === undefined ? '' : `. Caution: ${caution}`}`,
  };
  const asked = run.approvals.ask(request);
  run.stage.enter('waiting', { tool: use.name, toolUseId: use.id });
  run.stage.emit({ type: 'approval', request });
  const decision = tidy(await asked);
  if (decision) await note(decision, 'person');
  if (decision?.decision === 'run') run.approvals.forRun.add(use.name);
  run.stage.emit({
    type: 'approval_settled',
    toolUseId: use.id,
    decision: decision?.decision ?? 'withdrawn',
  });
  return decision;
}

/** A refusal with blank words is one without words. */
const tidy = (decision: ApprovalDecision | undefined): ApprovalDecision | undefined =>
  decision?.decision === 'deny' && !decision.words?.trim() ? { decision: 'deny' } : decision;

/** One line that shows what would run; a tool whose own words fail is shown by name and input. */
export function lineOf(tool: Tool | undefined, use: ToolUseBlock, input: unknown): string {
  try {
    if (tool) return tool.describe(input);
  } catch {
    // Its name and input say it too.
  }
  return `${use.name} ${use.input}`;
}

type Ending = { how: 'answered'; answer: Answer } | { how: 'threw'; message: string } | { how: 'silent' };

async function execute(
  run: Run,
  use: ToolUseBlock,
  tool: Tool,
  input: unknown,
  caution: string | undefined,
): Promise<Answer | 'later'> {
  const { control, stage, parts } = run;
  const at = parts.now().toISOString();
  const lost = `that the tool ${use.name} was about to run (it did not)`;
  await run.ledger.note(
    {
      kind: 'intent',
      at,
      tool_use_id: use.id,
      tool: use.name,
      input_sha256: sha256(use.input),
      changes: tool.changes,
    },
    lost,
  );
  if (tool.changes) await run.ledger.begin(use.id, lost);
  stage.runningTool = { toolUseId: use.id, tool: use.name, at };
  stage.enter('tool', { tool: use.name, toolUseId: use.id });
  stage.emit({ type: 'tool_started', toolUseId: use.id, tool: use.name, at });
  const operation = control.begin();
  let expired: 'time' | 'sleep' | undefined;
  const watch = new Watch(run.clock, tool.timeoutMs, (why) => {
    expired = why;
    operation.abort();
  });
  try {
    if (control.lost && !tool.changes) throw control.lost;
    // Stopped while the intent was noted. What may change something would read as begun later, so it is answered now.
    if (control.aborting) return control.stop === 'close' && !tool.changes ? 'later' : words.stoppedAnswer();
    const ending = await ended(
      () => tool.run(input, { ...contextOf(run, operation.signal), caution }),
      operation.signal,
    );
    // What was done is done, whatever was asked for in the last moment.
    if (ending.how === 'answered' && !ending.answer.is_error) return ending.answer;
    const report =
      ending.how === 'answered' ? ending.answer.content : ending.how === 'threw' ? ending.message : undefined;
    if (control.lost && !tool.changes) throw control.lost;
    if (expired)
      return words.timedOutAnswer(tool.timeoutMs / 1000, expired === 'sleep', tool.changes, report);
    if (operation.signal.aborted) {
      // Quitting is no decision about a call that only looks: it runs again.
      if (control.stop === 'close' && !tool.changes) return 'later';
      return words.interruptedAnswer(tool.changes, report);
    }
    return ending.how === 'answered' ? ending.answer : words.thrownAnswer(report ?? '');
  } finally {
    watch.stop();
    stage.runningTool = undefined;
  }
}

/** Waits for a tool, but after it was told to stop only a moment longer. */
function ended(start: () => Promise<Answer>, signal: AbortSignal): Promise<Ending> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    const settle = (ending: Ending): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', hurry);
      resolve(ending);
    };
    const hurry = (): void => {
      timer = setTimeout(() => settle({ how: 'silent' }), GRACE_MS);
    };
    if (signal.aborted) hurry();
    else signal.addEventListener('abort', hurry, { once: true });
    // A tool may throw before it gives a promise, and may give anything as its answer.
    new Promise<Answer>((begun) => begun(start())).then(
      (answer) =>
        settle(
          typeof answer?.content === 'string'
            ? {
                how: 'answered',
                answer: { content: answer.content, ...(answer.is_error && { is_error: true }) },
              }
            : { how: 'threw', message: 'It gave no answer that can be read.' },
        ),
      (error: unknown) =>
        settle({ how: 'threw', message: error instanceof Error ? error.message : String(error) }),
    );
  });
}
