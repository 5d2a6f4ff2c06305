import { EMPTY_ANSWER, isEmptyAnswer } from '../../shared/run/empty-answer';
import type { Block, RunRecord } from '../../shared/run/record';
import type { RunState } from '../../shared/run/state';
import { spentOf, tokensText } from '../../shared/run/tokens';
import type { DescribeCall } from '../../shared/run/transcript';
import type { Outcome, SessionEvent } from '../agent/session';
import { clipped, oneLine, plural, printable } from './text';
import { withoutEndBreaks } from '../../shared/run/slices';

/** Result lines shown along the way; the whole text is in the run. */
const RESULT_LINES = 12;
const RESULT_WIDTH = 200;

/**
 * Tells a run as it happens, for a person. `tell` gets the narration, `answer` the text that the model says (the same
 * screen, or another stream). Everything is made printable here.
 */
export class Narrator {
  #open: 'text' | 'thinking' | undefined;
  readonly #calls = new Map<string, string>();
  readonly #announced = new Set<string>();

  constructor(
    private readonly tell: (text: string) => void,
    private readonly answer: (text: string) => void,
    private readonly describe: DescribeCall,
  ) {}

  /** Learns the calls of a turn, so that they can be told by their line when they run. */
  know(content: Block[] | null): void {
    for (const { tool_use: call } of content ?? [])
      if (call) this.#calls.set(call.id, oneLine(this.describe(call.name, call.input)));
  }

  line(text: string): void {
    this.#close();
    this.tell(`${text}\n`);
  }

  event(event: SessionEvent): void {
    switch (event.type) {
      case 'text':
      case 'thinking':
        return this.#stream(event.type, event.text);
      case 'stream_reset':
        return this.line(
          `[starting this answer over in ${(event.waitMs / 1000).toFixed(1)} s: ${oneLine(event.reason)}]`,
        );
      case 'tool_started':
        return this.#announce(event.toolUseId, event.tool);
      case 'record':
        return this.#record(event.record);
      case 'warning':
        return this.line(`warning: ${oneLine(event.text)}`);
      case 'rotated':
        return this.line(`-- goes on as a new run: ${event.to}`);
      default:
        return undefined;
    }
  }

  /** `run`: how a command names the run; undefined where nothing of it was kept. */
  ended(outcome: Outcome, state: RunState, run: string | undefined): void {
    const { llm_calls: calls, tool_calls: tools } = state.counters;
    const tokens = tokensText(spentOf(state.counters));
    const counts = `${plural(calls, 'model call')}, ${plural(tools, 'tool call')}, tokens: ${tokens}`;
    const why = outcome.message ? `: ${oneLine(outcome.message)}` : '';
    this.line(`-- ${WORDS[outcome.reason]}${why} (${counts})`);
    if (run === undefined) return;
    if (outcome.reason === 'your_turn' && saidNothing(state))
      this.line(`-- ${EMPTY_ANSWER}; ask again with: holdfast resume ${run}`);
    if (outcome.reason === 'your_turn') this.line(`-- go on with: holdfast say ${run} "…"`);
    else if (outcome.reason !== 'completed') this.line(`-- go on with: holdfast resume ${run}`);
  }

  #record(record: RunRecord): void {
    if (record.assistant) {
      this.know(record.assistant.message.content);
      this.#close();
    }
    if (record.tool_result) {
      const { tool_use_id: id, result } = record.tool_result;
      this.#announce(id, id);
      this.line(`<- ${result.is_error ? 'error: ' : ''}${shortened(result.content)}`);
    }
  }

  /** A call that never starts (not allowed, not run) is announced by its result. */
  #announce(id: string, otherwise: string): void {
    if (this.#announced.has(id)) return;
    this.#announced.add(id);
    this.line(`-> ${this.#calls.get(id) ?? oneLine(otherwise)}`);
  }

  #stream(kind: 'text' | 'thinking', text: string): void {
    if (this.#open !== kind) {
      this.#close();
      this.#open = kind;
      if (kind === 'thinking') this.tell('[thinking]\n');
    }
    (kind === 'text' ? this.answer : this.tell)(printable(text));
  }

  #close(): void {
    if (this.#open === undefined) return;
    (this.#open === 'text' ? this.answer : this.tell)('\n');
    this.#open = undefined;
  }
}

const WORDS: Record<Outcome['reason'], string> = {
  completed: 'finished',
  your_turn: 'your turn',
  suspended: 'paused',
  error: 'failed',
  budget: 'out of budget',
  max_iterations: 'hit the step limit',
};

function saidNothing({ messages, last_stop_reason: stop }: RunState): boolean {
  const last = messages.at(-1);
  return last?.role === 'assistant' && isEmptyAnswer(last, stop);
}

function shortened(content: string): string {
  const lines = withoutEndBreaks(printable(content)).split('\n');
  const shown = lines.slice(0, RESULT_LINES).map((line) => clipped(line, RESULT_WIDTH));
  const more = lines.length - shown.length;
  return [...shown, ...(more > 0 ? [`… ${plural(more, 'more line')}`] : [])].join('\n   ');
}

/** Text that the model said last, without thinking: what a run answers. */
export function finalText(state: RunState): string {
  const last = state.messages.findLast(({ role }) => role === 'assistant');
  return (last?.content ?? []).flatMap(({ text }) => (text ? [text.text] : [])).join('');
}
