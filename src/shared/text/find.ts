import { fold } from './fold';

/**
 * A text as find in a run compares it: folded, and with one space wherever there is white space, since a line that ends
 * in the source is a space on the screen.
 */
export class FindText {
  readonly text: string;
  readonly #starts: number[] | undefined;
  readonly #ends: number[] | undefined;

  /** @param places whether places in the text will be asked for */
  constructor(source: string, places = false) {
    const { text, start, end } = fold(source);
    if (places) {
      this.#starts = [];
      this.#ends = [];
    }
    const pieces: string[] = [];
    let from = 0;
    for (let at = 0; at < text.length; at++) {
      if (!isSpace(text.charCodeAt(at))) {
        this.#starts?.push(start(at));
        this.#ends?.push(end(at));
        continue;
      }
      pieces.push(text.slice(from, at), ' ');
      this.#starts?.push(start(at));
      while (at + 1 < text.length && isSpace(text.charCodeAt(at + 1))) at++;
      this.#ends?.push(end(at));
      from = at + 1;
    }
    pieces.push(text.slice(from));
    this.text = pieces.join('');
  }

  /** Where `wanted`, which is folded too, is in the source; each begins behind the one before. */
  *places(wanted: string): Generator<[from: number, to: number]> {
    if (wanted === '') return;
    for (let at = this.text.indexOf(wanted); at >= 0; at = this.text.indexOf(wanted, at + wanted.length))
      yield [this.#starts?.[at] ?? at, this.#ends?.[at + wanted.length - 1] ?? at + wanted.length];
  }

  count(wanted: string): number {
    let count = 0;
    for (const _ of this.places(wanted)) count++;
    return count;
  }
}

const isSpace = (code: number): boolean =>
  code === 32 ||
  (code >= 9 && code <= 13) ||
  code === 0xa0 ||
  code === 0x3000 ||
  (code >= 0x2000 && code <= 0x200a);

export const foundAs = (text: string): string => new FindText(text).text;
