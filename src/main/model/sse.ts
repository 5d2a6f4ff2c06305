import { createParser, type EventSourceMessage } from 'eventsource-parser';

export interface StreamMessage {
  /** The event's name; absent for chat completions. */
  event?: string;
  /** Its data, exactly as it arrived. */
  data: string;
}

/** More arrived than any model says; whoever sends it does not stop. */
export class StreamTooLong extends Error {}

/** Characters; a single event beyond this is no model's. */
const LARGEST_EVENT = 33 * 1024 * 1024;

/**
 * The events of a response body, in order, whatever way its bytes were cut. An event that the end of the stream cut
 * off is given too (a service may forget the last blank line); whoever reads it must expect it to be broken. A body
 * that is one JSON document, from a service that doesn't stream, is given as one event, whatever type it claims to be.
 * Throws StreamTooLong, and what reading the body throws.
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<StreamMessage & { cut: boolean }> {
  const queue: (StreamMessage & { cut: boolean })[] = [];
  let cut = false;
  let overflow = false;
  const parser = createParser({
    maxBufferSize: LARGEST_EVENT,
    onEvent: (message: EventSourceMessage) =>
      queue.push({ ...(message.event !== undefined && { event: message.event }), data: message.data, cut }),
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') overflow = true;
    },
  });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  // undefined until the first character tells what this is; no line of an event stream begins with a brace.
  let document: string | undefined;
  let streams = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const text = done ? decoder.decode() : decoder.decode(value, { stream: true });
      if (!streams && document === undefined) {
        const first = text.trimStart()[0];
        if (first === '{' || first === '[') document = '';
        else streams = first !== undefined;
      }
      if (document !== undefined) {
        document += text;
        if (document.length > LARGEST_EVENT) throw new StreamTooLong();
        if (done) yield { data: document, cut: false };
      } else if (text !== '') parser.feed(text);
      if (done) {
        cut = true;
        parser.feed('\n\n');
      }
      while (queue.length > 0) yield queue.shift()!;
      if (overflow) throw new StreamTooLong();
      if (done) return;
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}
