import type { TurnRow } from '../../../shared/contract/reading';
import { Boundaries } from '../../../shared/run/boundaries';
import type { RunRecord } from '../../../shared/run/record';

/** Characters of a row's first words, and tools that it names. */
const WORDS = 90;
const TOOLS = 6;

/** What the table of turns says of a run, kept in step with its records, and where a new run may begin. */
export class Outline {
  readonly rows: TurnRow[] = [];
  readonly #byRecord = new Map<number, TurnRow>();
  readonly #boundaries = new Boundaries();
  /** Records after which a new run can begin. */
  readonly #forks = new Set<number>();

  /** `index`: the item that this record begins with. */
  push(record: RunRecord, index: number): void {
    const { seq, meta, assistant, user } = record;
    if (this.#boundaries.push(record)) this.#forks.add(seq);
    if (meta && meta.prompt !== '') this.#add({ kind: 'prompt', seq, index, words: firstWords(meta.prompt) });
    if (assistant) {
      const content = assistant.message.content ?? [];
      const said = content.find((block) => block.text?.text.trim())?.text?.text ?? '';
      const tools = content.flatMap((block) => (block.tool_use ? [copied(block.tool_use.name)] : []));
      this.#add({
        kind: 'turn',
        seq,
        index,
        words: firstWords(said),
        iteration: assistant.iteration,
        tools: [...new Set(tools)].slice(0, TOOLS),
        calls: tools.length,
        errors: 0,
        in: assistant.in_tokens,
        out: assistant.out_tokens,
        cacheRead: assistant.cache_read_tokens ?? 0,
        cacheWrite: assistant.cache_create_tokens ?? 0,
      });
    }
    const asked = user?.message.content?.find((block) => block.text?.text)?.text?.text;
    if (asked !== undefined) this.#add({ kind: 'prompt', seq, index, words: firstWords(asked) });
  }

  /** A call of the turn in record `seq` failed; -1: what had failed did not after all. */
  failed(seq: number, by: 1 | -1): void {
    const row = this.#byRecord.get(seq);
    if (row?.kind === 'turn') row.errors += by;
  }

  /** A new run can begin after this record. */
  mayFork(seq: number): boolean {
    return this.#forks.has(seq);
  }

  #add(row: TurnRow): void {
    this.rows.push(row);
    this.#byRecord.set(row.seq, row);
  }
}

function firstWords(text: string): string {
  const words = text
    .slice(0, WORDS * 4)
    .replace(/\s+/g, ' ')
    .trim();
  const whole = words.length <= WORDS ? words : `${words.slice(0, WORDS).replace(/[\ud800-\udbff]$/, '')}…`;
  return copied(whole);
}

/** A text of its own: a piece of a long one would keep all of that in memory. */
const copied = (text: string): string => Buffer.from(text, 'utf16le').toString('utf16le');
