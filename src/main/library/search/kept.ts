import { isFailure } from '../../../shared/run/failure';
import type { RunStore } from '../../journal/journal';
import type { Text } from './texts';

/** Stands where a result was clipped: only then it is asked whether its whole text is kept. */
const CLIPPED = '[… clipped: ';
/** Bytes of a longer text are not held at once: of that only what the record shows is found. */
const LONGEST = 16 * 1024 * 1024;
/** Characters of a piece, each of which is a text of its own for the index. */
const PIECE = 1_000_000;
/** Within so many characters a piece ends with a word. */
const SLACK = 200;

/** The whole texts of clipped tool results, which lie beside one run. */
export class KeptTexts {
  #files: Promise<Map<string, string>> | undefined;

  constructor(
    private readonly store: RunStore,
    private readonly id: string,
  ) {}

  /** The pieces of the whole text; undefined where what stands in the record is all there is. */
  async of({ text, result }: Text): Promise<string[] | undefined> {
    if (result === undefined || !text.includes(CLIPPED)) return undefined;
    this.#files ??= this.#read();
    const file = (await this.#files).get(result);
    if (file === undefined) return undefined;
    try {
      return pieces(await this.store.kept(this.id, file));
    } catch (error) {
      if (isFailure(error)) return undefined;
      throw error;
    }
  }

  async #read(): Promise<Map<string, string>> {
    const files = new Map<string, string>();
    try {
      const { entries } = (await this.store.notes?.(this.id)) ?? { entries: [] };
      for (const entry of entries)
        if (entry.kind === 'clip' && entry.bytes <= LONGEST) files.set(entry.tool_use_id, entry.file);
    } catch (error) {
      if (!isFailure(error)) throw error;
    }
    return files;
  }
}

function pieces(text: string): string[] {
  const all: string[] = [];
  for (let from = 0; from < text.length;) {
    let to = Math.min(text.length, from + PIECE);
    if (to < text.length) {
      const space = /\s(?=\S*$)/.exec(text.slice(to - SLACK, to))?.index;
      if (space !== undefined) to += space + 1 - SLACK;
      else if ((text.charCodeAt(to) & 0xfc00) === 0xdc00) to -= 1;
    }
    all.push(text.slice(from, to));
    from = to;
  }
  return all;
}
