import type { StandInOptions } from './anthropic-standin';
import { ChatConversation, type IssuedMessage } from './openai-rules';
import { openStandIn, recordedInput, notServed, refuse, unauthorised, type StandIn } from './standin';
import { StandInScript, type PlannedTurn } from './standin-script';
import { chatEvents, type SeenRequest } from './stream-server';

export interface ChatStandInOptions extends StandInOptions {
  /** Path before `/models` and `/chat/completions`; default `/v1`. */
  base?: string;
  /** Header that holds the key by itself, where that is not `authorization` (Azure). */
  keyHeader?: string;
  /** Name of the length limit that it takes; default `max_tokens`. */
  limit?: 'max_tokens' | 'max_completion_tokens';
  /** Anyone may see its models, with any key or none (OpenRouter). */
  openList?: boolean;
  owner?: string;
  /** Fields of its own that a request may have (`thinking` at DeepSeek). */
  own?: readonly string[];
}

/**
 * A chat completions service at its strictest, with DeepSeek's rule for reasoning: a turn in which tools were called
 * comes back with it, any other without. It streams as untidily as real services do; see openai-rules.ts for what it
 * demands.
 */
export async function openaiStandIn(options: ChatStandInOptions): Promise<StandIn> {
  const { troubles = false, base = '/v1', calm = false } = options;
  const script = new StandInScript(options.seed, { serverTools: false, pauses: false, troubles, calm });
  const rules = new ChatConversation(options.limit, options.own);
  let turns = 0;
  const mayCall = ({ headers }: SeenRequest): void => {
    const { keyHeader, key } = options;
    if (key === '') {
      if (headers['authorization'] !== undefined) refuse('authorization: this server takes no key');
      return;
    }
    const shown = keyHeader === undefined ? headers['authorization'] : headers[keyHeader];
    if (shown !== (keyHeader === undefined ? `Bearer ${key}` : key))
      unauthorised('Incorrect API key provided: it is not the key.');
  };
  return openStandIn({
    ...(options.models && {
      service: {
        listAt: `${base}/models`,
        models: options.models,
        mayList: options.openList ? () => undefined : mayCall,
        ...(options.owner !== undefined && { owner: options.owner }),
        ...(options.tls && { tls: options.tls }),
      },
    }),
    random: script.random,
    bytes: (events) => chatEvents(events, script.random.chance(0.9) ? '[DONE]' : ''),
    answer: (request) => {
      const { headers, url, method } = request;
      if (method !== 'POST' || url.split('?')[0] !== `${base}/chat/completions`)
        notServed(`${method} ${url} is not served`);
      mayCall(request);
      if (headers['content-type'] !== 'application/json') refuse('content-type: must be JSON');
      rules.check(request.body);
      const trouble = script.trouble();
      const spoken = speak(script, script.turn(), ++turns);
      if (trouble.kind === 'none') rules.remember(spoken.issued);
      return { events: spoken.events, trouble };
    },
  });
}

const json = JSON.stringify;
const FINISH: Record<PlannedTurn['stop'], string> = {
  end_turn: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  refusal: 'content_filter',
  model_context_window_exceeded: 'model_length',
  pause_turn: 'stop',
};

function speak(
  script: StandInScript,
  turn: PlannedTurn,
  n: number,
): { events: string[]; issued: IssuedMessage } {
  const { random } = script;
  const events: string[] = [];
  const chunk = (delta: string, finish = 'null') =>
    events.push(
      `{"id":"c${n}","object":"chat.completion.chunk","choices":[{"index":0,"delta":${delta},"finish_reason":${finish}}]}`,
    );
  chunk('{"role":"assistant","content":""}');
  const field = random.pick(['reasoning_content', 'reasoning']);
  const thinking = turn.thinking ?? '';
  for (const piece of random.pieces(thinking)) chunk(`{"${field}":${json(piece)}}`);
  for (const piece of random.pieces(turn.text)) chunk(`{"content":${json(piece)}}`);
  const style = random.pick(['pieces', 'whole', 'object', 'no index'] as const);
  const calls = turn.calls.map((call, i) => {
    // With neither index nor an id of its own nobody could tell two equal calls from one that is sent twice.
    const id =
      style === 'no index'
        ? `call_${n}_${i}`
        : random.pick([`call_${n}_${i}`, 'call_0', '', `functions.${call.name}:${i}`]);
    const index = style === 'no index' ? '' : `"index":${i},`;
    const head = `${index}"id":${json(id)},"type":"function"`;
    if (style === 'pieces') {
      chunk(`{"tool_calls":[{${head},"function":{"name":${json(call.name)},"arguments":""}}]}`);
      for (const piece of random.pieces(call.input))
        chunk(`{"tool_calls":[{${index}"function":{"arguments":${json(piece)}}}]}`);
    } else {
      const args = style === 'object' && !call.invalid ? call.input : json(call.input);
      chunk(`{"tool_calls":[{${head},"function":{"name":${json(call.name)},"arguments":${args}}}]}`);
    }
    return { name: call.name, args: call.invalid ? '{}' : recordedInput(call.input) };
  });
  const finish = turn.stop === 'tool_use' && random.chance(0.3) ? 'stop' : FINISH[turn.stop];
  chunk('{}', json(finish));
  events.push(
    `{"choices":[],"usage":{"prompt_tokens":${10 + n},"completion_tokens":${5 + n},"total_tokens":${15 + 2 * n}}}`,
  );
  return {
    events,
    issued: { content: turn.text.trim() === '' ? '' : turn.text, reasoning: thinking, calls },
  };
}
