import { decodeRecord } from '../../../shared/run/codec';
import { isFailure } from '../../../shared/run/failure';
import type { RunStore } from '../../journal/journal';
import { textsOf } from './texts';

/** The nth text of a record; undefined where the line is another one by now. */
export function textAt(
  line: Uint8Array,
  seq: number,
  nth: number,
): ReturnType<typeof textsOf>[number] | undefined {
  try {
    const record = decodeRecord(Buffer.from(line).toString('utf8'));
    return record.seq === seq ? textsOf(record)[nth] : undefined;
  } catch {
    return undefined;
  }
}

/** Lines of journals, read for one page of hits. */
export class LineReader {
  readonly #whole = new Map<string, Uint8Array | undefined>();

  constructor(private readonly store: RunStore) {}

  async read(id: string, offset: number, length: number): Promise<Uint8Array | undefined> {
    try {
      if (this.store.slice) return (await this.store.slice(id, offset, length)).bytes;
      if (!this.#whole.has(id)) this.#whole.set(id, await this.store.bytes(id));
      return this.#whole.get(id)?.subarray(offset, offset + length);
    } catch (error) {
      if (!isFailure(error)) throw error;
      this.#whole.set(id, undefined);
      return undefined;
    }
  }
}
