import type { ServerResponse } from 'node:http';
import type { Trouble } from './standin-script';
import type { Seeded } from './seeded';
import { beginStream, sendJson, testServer, type SeenRequest, type TestServer } from './stream-server';

/** A strict service on loopback: every request is checked; what it would refuse is counted with the reason. */
export interface StandIn {
  readonly origin: string;
  readonly counts: { requests: number; answered: number; troubled: number };
  /** One sentence for each refused request. */
  readonly rejected: string[];
  stop(): Promise<void>;
}

/** Thrown by checks: the request breaks a rule of the API. */
export class Rejection extends Error {
  constructor(
    readonly status: number,
    readonly type: string,
    message: string,
  ) {
    super(message);
  }
}

/** What a real service says at an address that it doesn't have. */
export const notServed = (message: string): never => {
  throw new Rejection(404, 'not_found', message);
};

/** What a real service says to a key that it doesn't know. */
export const unauthorised = (message: string): never => {
  throw new Rejection(401, 'authentication_error', message);
};

export const refuse = (message: string): never => {
  throw new Rejection(400, 'invalid_request_error', message);
};

/** What a stand-in may be asked for beside answers. */
export interface StandInService {
  /** Path of the list of models: `/v1/models`. */
  listAt: string;
  models: readonly string[];
  /** Who the list says made them: by it a local server is known. */
  owner?: string;
  /** Throws Rejection when the caller may not see it. */
  mayList(request: SeenRequest): void;
  tls?: { key: string; cert: string };
}

export interface StandInParts {
  random: Seeded;
  /** Checks the request and gives the event texts of its answer; throws Rejection. */
  answer(request: SeenRequest): { events: string[]; trouble: Trouble };
  /** The stream's bytes from event texts. */
  bytes(events: readonly string[]): string;
  service?: StandInService;
}

export async function openStandIn(parts: StandInParts): Promise<StandIn> {
  const counts = { requests: 0, answered: 0, troubled: 0 };
  const rejected: string[] = [];
  const server: TestServer = await testServer(async (request, response) => {
    counts.requests++;
    let plan: { events: string[]; trouble: Trouble };
    const { service } = parts;
    try {
      if (service && request.method === 'GET' && request.url.split('?')[0] === service.listAt) {
        service.mayList(request);
        const data = service.models.map((id) => ({
          type: 'model',
          object: 'model',
          id,
          ...(service.owner !== undefined && { owned_by: service.owner }),
        }));
        sendJson(response, 200, { object: 'list', data, has_more: false });
        return;
      }
      plan = parts.answer(request);
    } catch (error) {
      if (!(error instanceof Rejection)) throw error;
      rejected.push(error.message);
      sendJson(response, error.status, {
        type: 'error',
        error: { type: error.type, message: error.message },
      });
      return;
    }
    if (plan.trouble.kind === 'none') counts.answered++;
    else counts.troubled++;
    await send(parts, response, plan);
  }, parts.service?.tls);
  return { origin: server.origin, counts, rejected, stop: () => server.stop() };
}

async function send(
  parts: StandInParts,
  response: ServerResponse,
  { events, trouble }: { events: string[]; trouble: Trouble },
): Promise<void> {
  if (trouble.kind === 'status') {
    sendJson(
      response,
      trouble.status,
      { error: { type: 'api_error', message: 'not now' } },
      { 'retry-after-ms': '1' },
    );
    return;
  }
  if (trouble.kind === 'no_answer') {
    response.destroy();
    return;
  }
  const { random } = parts;
  // The last two events say why it stopped; with one of them an answer would be whole.
  const later = Math.max(1, events.length - 2 - random.below(4));
  const upTo = trouble.kind.endsWith('_first') ? 1 : trouble.kind.endsWith('_later') ? later : events.length;
  const bytes = Buffer.from(parts.bytes(events.slice(0, upTo)));
  beginStream(response);
  for (let at = 0; at < bytes.length;) {
    if (response.destroyed) return;
    const size = 1 + random.below(random.chance(0.1) ? 8 : 400);
    response.write(bytes.subarray(at, at + size));
    at += size;
    if (random.chance(0.05)) await new Promise((resolve) => setImmediate(resolve));
  }
  if (trouble.kind.startsWith('error'))
    response.write(
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
    );
  if (trouble.kind.startsWith('drop')) {
    // What was written must arrive first, or the client sees less than was meant.
    response.write('', () => setImmediate(() => response.destroy()));
    return;
  }
  response.end();
}

// ---- checks that both APIs share

export type Fields = Record<string, unknown>;

export function object(value: unknown, where: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    refuse(`${where}: must be an object`);
  return value as Fields;
}

export function list(value: unknown, where: string): unknown[] {
  if (!Array.isArray(value)) refuse(`${where}: must be a list`);
  if ((value as unknown[]).length === 0) refuse(`${where}: must not be empty`);
  return value as unknown[];
}

export function text(value: unknown, where: string): string {
  if (typeof value !== 'string') refuse(`${where}: must be text`);
  if ((value as string).trim() === '') refuse(`${where}: text must contain more than white space`);
  return value as string;
}

export function only(fields: Fields, known: readonly string[], where: string): void {
  for (const name of Object.keys(fields))
    if (!known.includes(name)) refuse(`${where}.${name}: unknown field`);
}

export function checkTool(
  name: unknown,
  description: unknown,
  schema: unknown,
  where: string,
  seen: Set<string>,
): void {
  if (typeof name !== 'string' || !/^[a-zA-Z0-9_-]{1,64}$/.test(name)) refuse(`${where}: bad tool name`);
  if (seen.has(name as string)) refuse(`${where}: tool ${String(name)} is named twice`);
  seen.add(name as string);
  text(description, `${where}.description`);
  if (object(schema, `${where}.schema`)['type'] !== 'object')
    refuse(`${where}: the schema must be an object's`);
}

/**
 * Whether `keys` is a row of whole turns that were issued, each key by key. What the API lets one leave out of a turn
 * (blank text; thinking at the end of a message) is left out of `issued` by the caller, as variants.
 */
export function madeOfTurns(keys: readonly string[], issued: readonly (readonly string[])[]): boolean {
  if (keys.length === 0) return true;
  return issued.some(
    (turn) =>
      turn.length > 0 &&
      turn.length <= keys.length &&
      turn.every((key, i) => key === keys[i]) &&
      madeOfTurns(keys.slice(turn.length), issued),
  );
}

/** A tool's input as the record keeps it; the inputs of the script have no spaces inside their strings. */
export const recordedInput = (input: string): string =>
  input.replace(/\s/g, '').replace(/</g, '\\u003c').replace(/>/g, '\\u003e');
