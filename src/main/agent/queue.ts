import { z } from '../../shared/zod';
import { asFailure, Failure } from '../../shared/run/failure';
import { wellFormed } from '../../shared/run/json';
import type { RunRecord } from '../../shared/run/record';
import type { RunStore } from '../journal/journal';
import { Turns } from '../journal/turns';

/** Something that a person said and that is not in the journal. */
export interface QueuedMessage {
  id: string;
  text: string;
  /** It waits for the person's word; else it is sent after the answer under way. */
  held: boolean;
}

const stored = z.object({
  messages: z.array(
    z.object({
      id: z.string().min(1).max(80),
      text: z.string(),
      /** It was about to become this record. */
      seq: z.number().int().optional(),
    }),
  ),
});
type Stored = z.infer<typeof stored>['messages'][number];
type Item = Stored & { held: boolean };

/**
 * What a person said while the agent worked, beside the run: durable when `add` resolves, in the order in which it was
 * said. Whatever is read back is held: after a stop, a pause, a failure or a restart nothing goes by itself.
 *
 * A message is in the journal once at most: before its record is written the number of that record is durable here, so
 * whoever reads the queue after a crash knows whether it was sent. Without a store (a private chat) it is in memory only.
 */
export class Queue {
  #items: Item[] = [];
  #onChange: () => void = () => undefined;
  readonly #turns = new Turns();

  constructor(private readonly place: { store: RunStore | undefined; id: string; newId(): string }) {}

  /** Called after each change. */
  on(onChange: () => void): void {
    this.#onChange = onChange;
  }

  /** In the order in which they were said. */
  get messages(): QueuedMessage[] {
    return this.#items.map(({ id, text, held }) => ({ id, text, held }));
  }

  /** The message that may go now. */
  next(): QueuedMessage | undefined {
    return this.messages.find(({ held }) => !held);
  }

  get(id: string): QueuedMessage | undefined {
    return this.messages.find((message) => message.id === id);
  }

  /** Reads what is kept; `records`, where they are at hand, tell what was sent. Never rejects: words that cannot be read are told by none. */
  load(records?: readonly RunRecord[]): Promise<void> {
    return this.#turns.run(async () => {
      const { store, id } = this.place;
      const items = store ? await readItems(store, id) : [];
      const asks = items.some(({ seq }) => seq !== undefined);
      const known = asks && store ? (records ?? (await store.load(id)).records) : [];
      this.#items = items.filter((item) => !isSent(item, known)).map((item) => ({ ...item, held: true }));
      for (const item of this.#items) delete item.seq;
    });
  }

  /** Resolves when it is durable. Rejects when it can be kept nowhere; then nothing is. `seq`: it may be this record already. */
  add(text: string, held: boolean, seq?: number): Promise<string> {
    const id = this.place.newId();
    return this.#change((items) => [...items, { id, text, held, ...(seq !== undefined && { seq }) }]).then(
      () => id,
    );
  }

  /** Takes a message out; false: it is not here any more, or on its way into the journal. */
  async drop(id: string): Promise<boolean> {
    let found = false;
    await this.#change((items) => {
      found = items.some((item) => item.id === id && item.seq === undefined);
      return found ? items.filter((item) => item.id !== id) : items;
    });
    return found;
  }

  /** It may go. */
  release(id: string): boolean {
    return this.#mark(({ id: one }) => one === id, false);
  }

  /** None goes without the person's word. */
  hold(): void {
    this.#mark(() => true, true);
  }

  /** It is about to become record `seq`; durable when this resolves. */
  async begin(id: string, seq: number): Promise<void> {
    await this.#change((items) => items.map((item) => (item.id === id ? { ...item, seq } : item)));
  }

  /** It is in the journal. What cannot be taken out of the queue now is known as sent by its number. */
  async sent(id: string): Promise<void> {
    await this.#change((items) => items.filter((item) => item.id !== id)).catch(() => {
      this.#items = this.#items.filter((item) => item.id !== id);
      this.#onChange();
    });
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    await this.#turns.idle();
  }

  #mark(which: (item: Item) => boolean, held: boolean): boolean {
    const marked = this.#items.filter((item) => which(item) && item.held !== held);
    for (const item of marked) item.held = held;
    if (marked.length > 0) this.#onChange();
    return marked.length > 0;
  }

  #change(change: (items: Item[]) => Item[]): Promise<void> {
    return this.#turns.run(async () => {
      const before = this.#items;
      const after = change(before);
      if (after === before) return;
      await this.#save(after);
      const held = new Map(this.#items.map((item) => [item.id, item.held]));
      this.#items = after.map((item) => ({ ...item, held: held.get(item.id) ?? item.held }));
      this.#onChange();
    });
  }

  async #save(items: readonly Item[]): Promise<void> {
    const { store, id } = this.place;
    if (!store) return;
    const messages = items.map(({ held: _held, ...kept }) => kept);
    const text = messages.length > 0 ? JSON.stringify({ messages }) : undefined;
    try {
      await store.putSlip(id, 'queue', text);
    } catch (error) {
      // The journal that was open here has just given its place back.
      if (asFailure(error).code !== 'journal_dead') throw unkept(error);
      await store.putSlip(id, 'queue', text).catch((again: unknown) => {
        throw unkept(again);
      });
    }
  }
}

/** The queue of a run that nobody works on here. */
export async function storedQueue(store: RunStore, id: string, newId: () => string): Promise<Queue> {
  const queue = new Queue({ store, id, newId });
  await queue.load();
  return queue;
}

async function readItems(store: RunStore, id: string): Promise<Stored[]> {
  const slip = await store.slip(id, 'queue');
  if (slip === undefined) return [];
  try {
    return stored.parse(JSON.parse(slip.text)).messages;
  } catch {
    // Damaged: its text is better than nothing.
    return slip.text.trim() === '' ? [] : [{ id: 'damaged', text: slip.text }];
  }
}

/** Whether the record that a message was about to become is there. */
function isSent({ seq, text }: Stored, records: readonly RunRecord[]): boolean {
  const said = records.find((record) => record.seq === seq)?.user?.message.content;
  return (
    said !== undefined && (said ?? []).map((block) => block.text?.text ?? '').join('') === wellFormed(text)
  );
}

const unkept = (cause: unknown): Failure => {
  const { code, message, todo } = asFailure(cause);
  return new Failure(
    {
      code,
      message: `Your message could not be kept: ${message}`,
      kept: 'It stays in its field. Everything that is recorded is kept.',
      ...(todo !== undefined && { todo }),
    },
    { cause },
  );
};
