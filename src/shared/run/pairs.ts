/**
 * Which call a result answers: of the newest record that asked under that id the first call still without a result,
 * else its last one, which then has several. The one place where this is decided.
 */
export class CallPairs<T> {
  readonly #calls = new Map<string, { seq: number; calls: T[]; answered: number }>();

  /** A call in record `seq`; where an id comes again in a later record, the earlier ones can no longer be answered. */
  asked(id: string, seq: number, call: T): void {
    const same = this.#calls.get(id);
    if (same?.seq === seq) same.calls.push(call);
    else this.#calls.set(id, { seq, calls: [call], answered: 0 });
  }

  /** The call that a result with this id belongs to; `undefined` where nobody asked. */
  answered(id: string): T | undefined {
    const found = this.#calls.get(id);
    if (!found) return undefined;
    const at = Math.min(found.answered, found.calls.length - 1);
    found.answered += 1;
    return found.calls[at];
  }

  /** The calls that bear this id now. */
  of(id: string): readonly T[] {
    return this.#calls.get(id)?.calls ?? [];
  }
}
