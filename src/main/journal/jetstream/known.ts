import type { Reading } from '../read';
import { decodeRow, encodeRow } from './row';
import type { FoldedRow } from './row';

const MOST = 5_000;

/** What runs folded to when they were last read whole: rows for lists of runs that another program wrote. */
export class KnownRows {
  readonly #rows = new Map<string, { tail: number; row: FoldedRow }>();

  /** `tail`: stream sequence of the last record that was read. */
  set(id: string, tail: number, reading: Reading): void {
    const line = reading.failure === undefined ? encodeRow(reading) : undefined;
    const row = decodeRow(line);
    this.#rows.delete(id);
    if (row === undefined) return;
    this.#rows.set(id, { tail, row });
    const oldest = this.#rows.keys().next();
    if (this.#rows.size > MOST && !oldest.done) this.#rows.delete(oldest.value);
  }

  get(id: string, tail: number): FoldedRow | undefined {
    const known = this.#rows.get(id);
    return known?.tail === tail ? known.row : undefined;
  }
}
