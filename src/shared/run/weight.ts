const [QUOTE, BACKSLASH, BRACE, BRACKET, COMMA] = [0x22, 0x5c, 0x7b, 0x5b, 0x2c];
/** Bytes in memory of an object or a list, and of one more value in it, however short they are written. */
const OBJECT = 96;
const VALUE = 16;

/** Bytes in memory that JSON text is about to take beyond its own length: `{},` is short to write and long to hold. */
export class Weight {
  bytes = 0;
  #inside = false;

  /** The next bytes of the text. A string or an escape may go through their end. */
  add(bytes: Uint8Array): void {
    let [objects, values, at] = [0, 0, 0];
    while (at < bytes.length) {
      if (this.#inside) {
        const end = bytes.indexOf(QUOTE, at);
        if (end < 0) return this.#take(objects, values);
        let back = end - 1;
        while (back >= 0 && bytes[back] === BACKSLASH) back--;
        this.#inside = (end - back) % 2 === 0;
        at = end + 1;
        continue;
      }
      const byte = bytes[at++];
      if (byte === QUOTE) this.#inside = true;
      else if (byte === BRACE || byte === BRACKET) objects++;
      else if (byte === COMMA) values++;
    }
    this.#take(objects, values);
  }

  /** Strings never go through the end of a line. */
  endLine(): void {
    this.#inside = false;
  }

  #take(objects: number, values: number): void {
    this.bytes += objects * OBJECT + values * VALUE;
  }
}

/** What a line of a journal would take in memory beyond its text. */
export function weightOf(line: Uint8Array): number {
  const weight = new Weight();
  weight.add(line);
  return weight.bytes;
}
