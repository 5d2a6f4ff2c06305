import type { z } from '../zod';
import { Failure, type FailureInfo } from '../run/failure';
import {
  commands,
  events,
  type CommandName,
  type CommandOutput,
  type EventName,
  type EventPayload,
} from './contract';
import type { Port } from './frame';

/** One connected window, as a handler sees it. */
export interface Peer {
  emit<N extends EventName>(name: N, payload: EventPayload<N>): void;
  /** Called once when the window is gone; at once when it is gone already. */
  onClose(listener: () => void): void;
}

/** What stands behind the table. Input is parsed already; a thrown `Failure` is the answer. */
export type Handlers = {
  [N in CommandName]: (
    input: z.output<(typeof commands)[N]['input']>,
    peer: Peer,
  ) => CommandOutput<N> | Promise<CommandOutput<N>>;
};

export interface ServeOptions {
  /** Told of every error that is nobody's Failure: a bug. Its details never reach the window. */
  onBug?: (error: unknown, command: string) => void;
}

export interface Served extends Peer {
  close(): void;
}

/** Calls of one window that may be unanswered at the same time. */
export const CALLS_AT_ONCE = 256;
/** Characters of a failure's sentences that cross. */
const FAILURE_TEXT = 4_000;

/**
 * The trust boundary. Whatever arrives, it never throws; each call gets exactly one reply; a handler only ever sees
 * a command of the table with an input that its schema accepts, and a window only ever gets an output that its schema describes.
 */
export function serve(handlers: Handlers, port: Port, options: ServeOptions = {}): Served {
  const pending = new Set<number>();
  let sent = 0;
  let open = true;
  port.onClose(() => (open = false));

  const peer: Peer = {
    emit(name, payload) {
      if (!open) return;
      const parsed = events[name].safeParse(payload);
      if (!parsed.success) {
        options.onBug?.(parsed.error, name);
        return;
      }
      // The number is used up even if the frame cannot travel: the client sees a gap and asks again.
      sent += 1;
      port.send({ kind: 'event', n: sent, name, payload: parsed.data });
    },
    onClose: (listener) => port.onClose(listener),
  };

  const refuse = (call: number, failure: FailureInfo) => {
    port.send({ kind: 'reply', call, ok: false, failure });
  };

  const answer = async (call: number, name: CommandName, input: unknown) => {
    try {
      const output = await run(handlers, name, input, peer);
      const parsed = commands[name].output.safeParse(output);
      if (!parsed.success) throw parsed.error;
      if (!port.send({ kind: 'reply', call, ok: true, output: parsed.data }) && open) {
        refuse(call, { code: 'too_large', message: 'The answer is too large for one piece.' });
      }
    } catch (error) {
      if (!(error instanceof Failure) || error.code === 'internal') options.onBug?.(error, name);
      refuse(call, outward(error));
    } finally {
      pending.delete(call);
    }
  };

  port.onFrame((frame) => {
    const call = readCall(frame);
    if (call === undefined || pending.has(call.call)) {
      refuse(0, { code: 'bad_request', message: 'This is not a call.' });
      return;
    }
    if (!Object.hasOwn(commands, call.name)) {
      refuse(call.call, { code: 'unknown_command', message: 'There is no such command.' });
      return;
    }
    const name = call.name as CommandName;
    const input = commands[name].input.safeParse(call.input);
    if (!input.success) {
      const where = input.error.issues[0]?.path.map(String).join('.').slice(0, 100);
      refuse(call.call, {
        code: 'bad_request',
        message: `${name} does not take this${where ? ` (${where})` : ''}.`,
      });
      return;
    }
    if (pending.size >= CALLS_AT_ONCE) {
      refuse(call.call, { code: 'busy', message: 'Too much was asked at once.', todo: 'Try again.' });
      return;
    }
    pending.add(call.call);
    void answer(call.call, name, input.data);
  });

  return { ...peer, close: () => port.close() };
}

/** The table ties each name to its own input; TypeScript cannot follow that through a variable name. */
function run(handlers: Handlers, name: CommandName, input: unknown, peer: Peer): unknown {
  const handler = handlers[name] as (input: unknown, peer: Peer) => unknown;
  return handler(input, peer);
}

function readCall(frame: unknown): { call: number; name: string; input: unknown } | undefined {
  if (typeof frame !== 'object' || frame === null || Array.isArray(frame)) return undefined;
  const { kind, call, name, input, ...rest } = frame as Record<string, unknown>;
  if (kind !== 'call' || typeof name !== 'string' || Object.keys(rest).length > 0) return undefined;
  if (typeof call !== 'number' || !Number.isSafeInteger(call) || call < 1) return undefined;
  return { call, name, input };
}

/** What may be told about an error: a Failure's own sentences, and nothing at all of anything else. */
function outward(error: unknown): FailureInfo {
  if (!(error instanceof Failure) || error.code === 'internal') {
    return {
      code: 'internal',
      message: 'Something went wrong inside Holdfast.',
      kept: 'What was recorded before is kept.',
      todo: 'Try again; if it happens again, restart Holdfast.',
    };
  }
  const cut = (text: string) => (text.length > FAILURE_TEXT ? `${text.slice(0, FAILURE_TEXT)}…` : text);
  const info = error.toJSON();
  return {
    code: info.code,
    message: cut(info.message),
    ...(info.kept !== undefined && { kept: cut(info.kept) }),
    ...(info.todo !== undefined && { todo: cut(info.todo) }),
    ...(info.data !== undefined && plain(info.data) && { data: info.data }),
  };
}

function plain(data: Record<string, unknown>): boolean {
  try {
    return JSON.stringify(data).length <= 100_000;
  } catch {
    return false;
  }
}
