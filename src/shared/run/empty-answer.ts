import { STOP, type Message, type ProviderBlock } from './record';

/** How a person is told of it, without an end mark. */
export const EMPTY_ANSWER = 'The model’s reply is empty';

/** Thinking that only the service can read. */
const THINKING = new Set(['redacted_thinking', 'reasoning_details']);
export const isServiceThinking = (block: ProviderBlock | undefined): boolean =>
  block !== undefined && THINKING.has(block.kind);

/**
 * Whether a finished turn of the model says nothing to a person: no text, no call and nothing that a service keeps,
 * thinking aside. Such a turn is never sent back, so that the same conversation can be asked again.
 */
export const isEmptyAnswer = ({ content }: Message, stopReason: string | undefined): boolean =>
  stopReason !== STOP.pauseTurn &&
  (content ?? []).every(
    ({ text, tool_use: call, tool_result: result, provider }) =>
      !text?.text.trim() && !call && !result && (!provider || isServiceThinking(provider)),
  );
