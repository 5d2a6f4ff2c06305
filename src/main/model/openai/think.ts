export interface Words {
  kind: 'text' | 'thinking';
  text: string;
}

const OPENING = /^\s*<(think|thinking)>/i;
/** What may still become an opening tag. */
const MAYBE = /^\s*(<(t(h(i(n(k(i(ng?)?)?)?)?)?)?)?)?$/i;

/**
 * Tells thinking between tags at the beginning of an answer from the answer itself, wherever the pieces are cut. Nothing
 * is lost or changed: all that is given comes out once, in its order, and the tags stay with the thinking.
 */
export class ThinkTags {
  #state: 'start' | 'thinking' | 'text' = 'start';
  #held = '';
  #closing = '';
  /** The tag was never closed: whether that was thinking tells how the answer ended. */
  get open(): boolean {
    return this.#state === 'thinking';
  }

  push(text: string): Words[] {
    if (this.#state === 'text') return [{ kind: 'text', text }];
    this.#held += text;
    if (this.#state === 'start') {
      const opening = OPENING.exec(this.#held);
      if (!opening) {
        if (MAYBE.test(this.#held)) return [];
        this.#state = 'text';
        return this.#release('text', this.#held.length);
      }
      this.#state = 'thinking';
      this.#closing = `</${opening[1]!.toLowerCase()}>`;
    }
    const at = this.#held.toLowerCase().indexOf(this.#closing);
    if (at < 0) return this.#release('thinking', this.#held.length - this.#begun());
    const words = this.#release('thinking', at + this.#closing.length);
    this.#state = 'text';
    return [...words, ...this.#release('text', this.#held.length)];
  }

  /** Nothing more comes. */
  end(): Words[] {
    return this.#release(this.#state === 'thinking' ? 'thinking' : 'text', this.#held.length);
  }

  /** Characters at the end that may begin the closing tag. */
  #begun(): number {
    const low = this.#held.toLowerCase();
    for (let n = Math.min(this.#closing.length - 1, low.length); n > 0; n--)
      if (low.endsWith(this.#closing.slice(0, n))) return n;
    return 0;
  }

  #release(kind: Words['kind'], length: number): Words[] {
    const text = this.#held.slice(0, length);
    this.#held = this.#held.slice(length);
    return text === '' ? [] : [{ kind, text }];
  }
}
