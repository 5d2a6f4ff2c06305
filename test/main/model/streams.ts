import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { anthropicModel } from '../../../src/main/model/anthropic/index';
import type { Model, ModelTurn } from '../../../src/main/model/model';
import { openaiModel } from '../../../src/main/model/openai/index';
import { hear, testProfile, testRequest, type Heard } from '../../support/model-calls';
import {
  anthropicEvents,
  chatEvents,
  sendStream,
  testServer,
  type TestServer,
} from '../../support/stream-server';

export type Api = 'anthropic' | 'openai-chat';
export interface Recording {
  api: Api;
  name: string;
  /** One event's JSON text each. */
  chunks: string[];
  /** Beside our own streams only. */
  expected?: unknown;
}

const own = fileURLToPath(new URL('../../fixtures/streams/', import.meta.url));
/** Streams recorded from real services; they are not part of the project. */
const recorded = fileURLToPath(new URL('../../../../shared/fixtures/streams/', import.meta.url));

export const haveRecordings = existsSync(recorded);
export const ownStreams = (): Recording[] => streamsIn(own);
export const recordedStreams = (): Recording[] => (haveRecordings ? streamsIn(recorded) : []);

function streamsIn(root: string): Recording[] {
  return (['anthropic', 'openai-chat'] as const).flatMap((api) =>
    readdirSync(join(root, api))
      .filter((file) => file.endsWith('.chunks.jsonl'))
      .sort()
      .map((file) => {
        const chunks = readFileSync(join(root, api, file), 'utf8')
          .split('\n')
          .filter((line) => line !== '');
        const name = file.replace('.chunks.jsonl', '');
        const beside = join(root, api, `${name}.expected.json`);
        const expected: unknown = existsSync(beside) ? JSON.parse(readFileSync(beside, 'utf8')) : undefined;
        return { api, name, chunks, ...(expected !== undefined && { expected }) };
      }),
  );
}

/** The bytes of a stream. `end`: what closes a chat completions stream. */
export const bytesOf = (api: Api, chunks: readonly string[], end = '[DONE]', newline = '\n'): Buffer =>
  Buffer.from(api === 'anthropic' ? anthropicEvents(chunks, newline) : chatEvents(chunks, end, newline));

/** A server that answers with whatever was put into it last, and a model that asks it. */
export class Replay {
  private body: Buffer = Buffer.alloc(0);
  private size = 0;
  private constructor(private readonly server: TestServer) {}

  static async open(): Promise<Replay> {
    let replay: Replay | undefined = undefined;
    const server = await testServer((_request, response) => sendStream(response, replay!.body, replay!.size));
    replay = new Replay(server);
    return replay;
  }

  /** `size`: bytes of each piece; 0: whole. */
  async play(api: Api, body: Buffer, size = 0): Promise<Heard> {
    this.body = body;
    this.size = size;
    return hear(this.model(api), testRequest());
  }

  close(): Promise<void> {
    return this.server.stop();
  }

  private model(api: Api): Model {
    const options = { env: {}, tries: 1 };
    return api === 'anthropic'
      ? anthropicModel(testProfile({ provider: 'anthropic', endpoint: this.server.origin }), options)
      : openaiModel(testProfile({ provider: 'openai', endpoint: `${this.server.origin}/v1` }), options);
  }
}

/** What came out, comparable: ids that the stream did not offer are all the same. */
export function outcome(heard: Heard, offered: string): unknown {
  if (heard.failure) return { failure: heard.failure.code };
  return { turn: plain(heard.turn!, offered) };
}

function plain(turn: ModelTurn, offered: string): unknown {
  const seen = new Set<string>();
  const shown = (id: string): string => {
    const known = offered.includes(JSON.stringify(id)) && !seen.has(id);
    seen.add(id);
    return known ? id : '(fresh)';
  };
  const invalid = turn.invalidInputs;
  return {
    content: turn.content.map((block) =>
      block.tool_use ? { tool_use: { ...block.tool_use, id: shown(block.tool_use.id) } } : block,
    ),
    stop_reason: turn.stop_reason,
    usage: turn.usage,
    ...(invalid && { invalidInputs: Object.fromEntries(invalid) }),
  };
}
