import { Failure } from '../../src/shared/run/failure';
import type { Block, RawJson, Usage } from '../../src/shared/run/record';
import type { Model, ModelEvent, ModelRequest, ModelTurn, ProviderId } from '../../src/main/model/model';

/** One answer of a scripted model. Left out parts are sensible: stop is `tool_use` with tools, else `end_turn`. */
export interface ScriptedReply {
  thinking?: string;
  text?: string;
  tools?: {
    id?: string;
    name: string;
    input?: unknown;
    /** Text that is no JSON: recorded as `{}`. */ bad?: string;
  }[];
  /** Blocks as they are, after text and before tools. */
  blocks?: Block[];
  stop?: string;
  usage?: Partial<Usage>;
  /** Thrown after the text was streamed. */
  fail?: unknown;
  /** Streams the text, then never ends until it is aborted. */
  hang?: boolean;
  /** Awaited after the text was streamed, before the turn. */
  hold?: Promise<unknown>;
  /** Extra events before the turn (retries …). */
  events?: ModelEvent[];
  /** Ends the stream without a turn. */
  noTurn?: boolean;
}
export type ScriptStep = ScriptedReply | ((request: ModelRequest, call: number) => ScriptedReply);

export interface ScriptedModel extends Model {
  /** Every request, in order, as it was sent. */
  readonly requests: ModelRequest[];
  /** Resolves when call number `n` (from 1) has streamed all its text. */
  streamed(n: number): Promise<void>;
  /** Calls whose signal was aborted. */
  readonly aborted: number[];
}

/** A tool input as the record keeps it. */
export const raw = (value: unknown): RawJson => JSON.stringify(value) as RawJson;

/**
 * A model that answers from a list, one step a call; a function step sees the request. When the list is used up the
 * last step answers again if `repeat` is set, else the call fails with `model_protocol`.
 */
export function scriptedModel(
  steps: ScriptStep[],
  options: { provider?: ProviderId; endpoint?: string; repeat?: boolean } = {},
): ScriptedModel {
  const requests: ModelRequest[] = [];
  const aborted: number[] = [];
  const gates = new Map<number, { done: Promise<void>; open: () => void }>();
  const gate = (n: number) => {
    let found = gates.get(n);
    if (!found) {
      let open = () => {};
      const done = new Promise<void>((resolve) => (open = resolve));
      gates.set(n, (found = { done, open }));
    }
    return found;
  };

  async function* answer(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    requests.push(structuredClone(request));
    const call = requests.length;
    const step = steps[call - 1] ?? (options.repeat ? steps.at(-1) : undefined);
    if (step === undefined)
      throw new Failure({ code: 'model_protocol', message: `The script has no answer for call ${call}.` });
    const reply = typeof step === 'function' ? step(request, call) : step;
    const stopped = new Promise<never>((_, reject) => {
      const stop = () => {
        aborted.push(call);
        reject(new Failure({ code: 'cancelled', message: 'The call was cancelled.' }));
      };
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
    });
    stopped.catch(() => {});

    if (reply.thinking) yield { type: 'thinking', text: reply.thinking };
    if (reply.text) yield { type: 'text', text: reply.text };
    for (const event of reply.events ?? []) yield event;
    gate(call).open();
    if (reply.hang) await stopped;
    if (reply.hold) await Promise.race([reply.hold, stopped]);
    if (reply.fail !== undefined) throw reply.fail;
    if (reply.noTurn) return;
    const turn = turnOf(reply, call);
    for (const block of turn.content)
      if (block.tool_use) {
        yield { type: 'tool', id: block.tool_use.id, name: block.tool_use.name };
        yield { type: 'tool_input', id: block.tool_use.id, text: block.tool_use.input };
      }
    yield { type: 'turn', turn };
  }

  return {
    provider: options.provider ?? 'practice',
    endpoint: options.endpoint,
    answer,
    models: () => Promise.resolve(['scripted']),
    requests,
    aborted,
    streamed: (n) => gate(n).done,
  };
}

function turnOf(reply: ScriptedReply, call: number): ModelTurn {
  const content: Block[] = [];
  const invalidInputs = new Map<string, string>();
  if (reply.thinking) content.push({ thinking: { text: reply.thinking } });
  if (reply.text) content.push({ text: { text: reply.text } });
  content.push(...(reply.blocks ?? []));
  for (const [index, tool] of (reply.tools ?? []).entries()) {
    const id = tool.id ?? `call_${call}_${index + 1}`;
    if (tool.bad !== undefined) invalidInputs.set(id, tool.bad);
    content.push({
      tool_use: { id, name: tool.name, input: raw(tool.bad === undefined ? (tool.input ?? {}) : {}) },
    });
  }
  return {
    content,
    stop_reason: reply.stop ?? (reply.tools?.length ? 'tool_use' : 'end_turn'),
    usage: { in_tokens: 10, out_tokens: 5, ...reply.usage },
    ...(invalidInputs.size > 0 && { invalidInputs }),
  };
}
