import { createParser, type EventSourceMessage } from 'eventsource-parser';

export interface StreamMessage {
  /** The event's name; absent for chat completions. */
  event?: string;
  /** Its data, exactly as it arrived. */
  data: string;
}

/** Characters; a single event beyond this is no model's. */
const LARGEST_EVENT = 64 * 1024 * 1024;

/**
 * The events of a response body, in order, whatever way its bytes were cut. An event that the end of the stream cut
 * off is given too (a service may forget the last blank line); whoever reads it must expect it to be broken.
 * Throws what reading the body throws.
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<StreamMessage & { cut: boolean }> {
  const queue: (StreamMessage & { cut: boolean })[] = [];
  let cut = false;
  let overflow: Error | undefined;
  const parser = createParser({
    maxBufferSize: LARGEST_EVENT,
    onEvent: (message: EventSourceMessage) =>
      queue.push({ ...(message.event !== undefined && { event: message.event }), data: message.data, cut }),
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') overflow = error;
    },
  });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const text = done ? decoder.decode() : decoder.decode(value, { stream: true });
      if (text !== '') parser.feed(text);
      if (done) {
        cut = true;
        parser.feed('\n\n');
      }
      while (queue.length > 0) yield queue.shift()!;
      if (overflow) throw overflow;
      if (done) return;
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}
