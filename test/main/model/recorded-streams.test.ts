import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseRaw } from '../../../src/shared/run/codec';
import type { Block } from '../../../src/shared/run/record';
import type { ModelTurn } from '../../../src/main/model/model';
import { readEvents } from '../../../src/main/model/sse';
import { bytesOf, haveRecordings, outcome, recordedStreams, Replay, type Recording } from './streams';

const recordings = recordedStreams();

it('finds the streams that were recorded from real services', (ctx) => {
  if (!haveRecordings) ctx.skip('recorded streams: not on this machine');
  expect(recordings.length).toBeGreaterThan(10);
});

describe.each(recordings)('the recording $api/$name', (recording) => {
  const { api, chunks } = recording;
  const offered = chunks.join('\n');
  let replay: Replay;
  beforeAll(async () => {
    replay = await Replay.open();
  });
  afterAll(() => replay.close());

  it('holds every word, thought and argument of the stream', async () => {
    const heard = await replay.play(api, bytesOf(api, chunks));
    expect(heard.failure).toBeUndefined();
    const turn = heard.turn!;
    const said = api === 'anthropic' ? readAnthropic(recording) : readChat(recording);
    expect(join(turn, (block) => block.text?.text)).toBe(said.text);
    expect(join(turn, (block) => block.thinking?.text)).toBe(said.thinking);
    const signatures = join(turn, (block) => block.thinking?.signature);
    expect(Buffer.from(signatures, 'base64').toString()).toBe(said.signature);
    expect(
      turn.content.flatMap((block) =>
        block.tool_use ? [[block.tool_use.name, parseRaw(block.tool_use.input)]] : [],
      ),
    ).toEqual(said.calls);
    expect(turn.content.flatMap((block) => (block.provider ? [block.provider.kind] : []))).toEqual(
      said.provider,
    );
    expect(turn.usage.in_tokens + (turn.usage.cache_read_tokens ?? 0)).toBeGreaterThan(0);
    expect(turn.usage.out_tokens).toBeGreaterThan(0);
    expect(turn.invalidInputs).toBeUndefined();
  });

  it('becomes the same turn in pieces of one byte', async () => {
    const whole = outcome(await replay.play(api, bytesOf(api, chunks)), offered);
    expect(outcome(await replay.play(api, bytesOf(api, chunks), 1), offered)).toEqual(whole);
  });

  it('gives the same events for any cut of its bytes', async () => {
    const bytes = bytesOf(api, chunks);
    const whole = await eventsIn(bytes, bytes.length);
    for (const size of [1, 2, 3, 7, 64, 1021]) expect(await eventsIn(bytes, size)).toEqual(whole);
  });

  it('cut behind any event it is the same turn or the same clean failure', { timeout: 120_000 }, async () => {
    const whole = (await replay.play(api, bytesOf(api, chunks))).turn!;
    let turns = 0;
    for (let cut = 0; cut < chunks.length; cut++) {
      const heard = await replay.play(api, bytesOf(api, chunks.slice(0, cut), ''), cut % 2 ? 0 : 512);
      if (heard.failure) {
        expect(turns, `a failure after a turn, at ${cut}`).toBe(0);
        expect(heard.failure.code).toBe('model_unreachable');
        expect(heard.failure.kept).toBeTruthy();
      } else {
        turns++;
        expect(heard.turn!.stop_reason).toBe(whole.stop_reason);
        expect(outcome({ ...heard, turn: { ...heard.turn!, usage: whole.usage } }, offered)).toEqual(
          outcome({ events: [], turn: whole }, offered),
        );
      }
    }
    expect(turns).toBeLessThan(chunks.length);
  });
});

const join = (turn: ModelTurn, pick: (block: Block) => string | undefined): string =>
  turn.content.map((block) => pick(block) ?? '').join('');

async function eventsIn(bytes: Buffer, size: number): Promise<unknown[]> {
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.subarray(at, (at += size)));
    },
  });
  const events: unknown[] = [];
  for await (const event of readEvents(body)) events.push(event);
  return events;
}

interface Said {
  text: string;
  thinking: string;
  signature: string;
  calls: [string, unknown][];
  provider: string[];
}
interface AnyEvent {
  type?: string;
  index?: number;
  content_block?: { type: string; name?: string };
  delta?: Record<string, string> & { citation?: unknown };
  choices?: {
    delta?: {
      content?: string | null;
      reasoning_content?: string | null;
      tool_calls?: { index?: number; function: { name?: string; arguments: string } }[];
    };
  }[];
}

/** A second, plain reading of a stream without quirks, for comparison. */
function readAnthropic({ chunks }: Recording): Said {
  const said: Said = { text: '', thinking: '', signature: '', calls: [], provider: [] };
  const inputs = new Map<number, { name: string; json: string }>();
  const cited = new Set<number>();
  for (const chunk of chunks) {
    const event = JSON.parse(chunk) as AnyEvent;
    const { index = 0, delta } = event;
    if (event.type === 'message_stop') break;
    if (event.type === 'content_block_start') {
      const { type, name = '' } = event.content_block!;
      if (type === 'tool_use') inputs.set(index, { name, json: '' });
      else if (type !== 'text' && type !== 'thinking') said.provider.push(type);
    }
    if (event.type !== 'content_block_delta') continue;
    said.text += delta!['text'] ?? '';
    said.thinking += delta!['thinking'] ?? '';
    said.signature += delta!['signature'] ?? '';
    const input = inputs.get(index);
    if (input) input.json += delta!['partial_json'] ?? '';
    if (delta!['type'] === 'citations_delta' && !cited.has(index)) {
      cited.add(index);
      said.provider.push('citations');
    }
  }
  said.calls = [...inputs.values()].map(({ name, json }) => [name, JSON.parse(json || '{}')]);
  return said;
}

function readChat({ chunks }: Recording): Said {
  const said: Said = { text: '', thinking: '', signature: '', calls: [], provider: [] };
  const inputs: { name: string; json: string }[] = [];
  for (const chunk of chunks) {
    const delta = (JSON.parse(chunk) as AnyEvent).choices?.[0]?.delta;
    said.text += delta?.content ?? '';
    said.thinking += delta?.reasoning_content ?? '';
    for (const call of delta?.tool_calls ?? []) {
      const input = (inputs[call.index ?? 0] ??= { name: '', json: '' });
      input.name += call.function.name ?? '';
      input.json += call.function.arguments;
    }
  }
  said.calls = inputs.map(({ name, json }) => [name, JSON.parse(json || '{}')]);
  return said;
}
