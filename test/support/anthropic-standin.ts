import { sliceAt } from '../../src/main/model/slice';
import { AnthropicConversation } from './anthropic-rules';
import { openStandIn, recordedInput, notServed, refuse, unauthorised, type StandIn } from './standin';
import { StandInScript, type PlannedTurn } from './standin-script';
import { anthropicEvents, type SeenRequest } from './stream-server';

export interface StandInOptions {
  seed: number;
  /** The only key that is accepted. */
  key: string;
  /** Overloads, drops and errors now and then. Default: none. */
  troubles?: boolean;
  /** Every turn is one plain answer: no tools, no thinking. */
  calm?: boolean;
  /** Models that it offers; absent: it has no list. */
  models?: readonly string[];
  /** Only with `models`. */
  tls?: { key: string; cert: string };
}

/**
 * The Messages API at its strictest. It remembers what it said: thinking with its signature, blocks of its own and
 * tool calls must come back character by character, whole turns at a time. See anthropic-rules.ts for the rest.
 */
export async function anthropicStandIn(options: StandInOptions): Promise<StandIn> {
  const { troubles = false } = options;
  const script = new StandInScript(options.seed, {
    serverTools: true,
    pauses: true,
    troubles,
    calm: options.calm ?? false,
  });
  const rules = new AnthropicConversation();
  let turns = 0;
  const mayCall = ({ headers }: SeenRequest): void => {
    // Gateways want the key in both headers; Anthropic's own service takes it as a bearer's, as its SDK sends it.
    if (headers.host !== 'api.anthropic.com' && headers['x-api-key'] !== options.key)
      unauthorised('invalid x-api-key');
    if (headers['authorization'] !== `Bearer ${options.key}`) unauthorised('authorization: not the key');
  };
  return openStandIn({
    ...(options.models && {
      service: {
        listAt: '/v1/models',
        models: options.models,
        mayList: mayCall,
        ...(options.tls && { tls: options.tls }),
      },
    }),
    random: script.random,
    bytes: (events) => anthropicEvents(events),
    answer: (request) => {
      const { headers, url, method } = request;
      if (method !== 'POST' || url !== '/v1/messages') notServed(`${method} ${url} is not served`);
      mayCall(request);
      if (!/^\d{4}-\d{2}-\d{2}$/.test(String(headers['anthropic-version'])))
        refuse('anthropic-version: missing');
      if (headers['content-type'] !== 'application/json') refuse('content-type: must be JSON');
      rules.check(request.body, sliceAt);
      const trouble = script.trouble();
      const spoken = speak(script, script.turn(), ++turns);
      // A turn that never arrives whole must never come back.
      if (trouble.kind === 'none') rules.remember(spoken.blocks, spoken.stop);
      return { events: spoken.events, trouble };
    },
  });
}

/** A block as it was issued: the key that its echo must have. */
export interface Issued {
  key: string;
  thinking: boolean;
}

interface Spoken {
  events: string[];
  blocks: Issued[];
  stop: string;
}

const json = JSON.stringify;

function speak(script: StandInScript, turn: PlannedTurn, n: number): Spoken {
  const { random } = script;
  const events: string[] = [];
  const blocks: Issued[] = [];
  let index = 0;
  const start = (block: string) =>
    events.push(`{"type":"content_block_start","index":${index},"content_block":${block}}`);
  const delta = (piece: string) =>
    events.push(`{"type":"content_block_delta","index":${index},"delta":${piece}}`);
  const stop = () => events.push(`{"type":"content_block_stop","index":${index++}}`);
  const own = (raw: string, thinking = false) => {
    start(raw);
    stop();
    blocks.push({ key: raw, thinking });
  };
  const think = (thought: string) => {
    const signature = `sig${n}/${index}+${'=='.repeat(random.below(2))}`;
    start('{"type":"thinking","thinking":"","signature":""}');
    for (const piece of random.pieces(thought)) delta(`{"type":"thinking_delta","thinking":${json(piece)}}`);
    for (const piece of random.pieces(signature))
      delta(`{"type":"signature_delta","signature":${json(piece)}}`);
    stop();
    blocks.push({ key: `thinking ${json([thought, signature])}`, thinking: true });
  };

  const usage = `{"input_tokens":${10 + n},"cache_read_input_tokens":${n},"output_tokens":1}`;
  events.push(
    `{"type":"message_start","message":{"id":"msg_${n}","type":"message","role":"assistant","content":[],"usage":${usage}}}`,
  );
  if (random.chance(0.3)) events.push('{"type":"ping"}');
  if (turn.hidden) own(`{"type":"redacted_thinking","data":"Em${n}\\/+==","v":1.0}`, true);
  if (turn.thinking !== undefined) think(turn.thinking);
  if (turn.text !== '') {
    start('{"type":"text","text":""}');
    for (const piece of random.pieces(turn.text)) delta(`{"type":"text_delta","text":${json(piece)}}`);
    stop();
    if (turn.text.trim() !== '') blocks.push({ key: `text ${json(turn.text)}`, thinking: false });
  }
  if (turn.serverTool) {
    const input = `{"query":"q${n}","score":1.50}`;
    const head = `{"type":"server_tool_use","id":"srvtoolu_${n}","name":"web_search"`;
    start(`${head},"input":{}}`);
    for (const piece of random.pieces(input))
      delta(`{"type":"input_json_delta","partial_json":${json(piece)}}`);
    stop();
    blocks.push({ key: `${head},"input":${input}}`, thinking: false });
    if (turn.stop !== 'pause_turn')
      own(
        `{"type":"web_search_tool_result","tool_use_id":"srvtoolu_${n}","content":[{"x":2.0,"e":"A\\/\\u003c"}]}`,
      );
  }
  turn.calls.forEach((call, i) => {
    start(`{"type":"tool_use","id":"toolu_${n}_${i}","name":${json(call.name)},"input":{}}`);
    for (const piece of random.pieces(call.input))
      delta(`{"type":"input_json_delta","partial_json":${json(piece)}}`);
    stop();
    const input = call.invalid ? '{}' : recordedInput(call.input);
    blocks.push({ key: `tool_use ${json([`toolu_${n}_${i}`, call.name])} ${input}`, thinking: false });
  });
  if (turn.afterthought) think(`Afterthought ${n}.`);
  events.push(
    `{"type":"message_delta","delta":{"stop_reason":"${turn.stop}","stop_sequence":null},"usage":{"output_tokens":${5 + n}}}`,
  );
  events.push('{"type":"message_stop"}');
  return { events, blocks, stop: turn.stop };
}
