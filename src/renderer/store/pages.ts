/** Rows that one request asks for. */
export const PAGE = 100;

/**
 * The parts of a long list that are looked at, asked for page by page. Every list that was asked for anew has a number;
 * answers to an older one are dropped, and a page that failed is asked for again when it is looked at.
 */
export class Pages<Reply> {
  #epoch = 0;
  #asked = new Set<number>();
  /** The rows that are on the screen. */
  #visible = { from: 0, to: PAGE - 1 };
  /** What is shown belongs to another list, until the first answer of this one has come. */
  #other = false;

  constructor(
    private readonly ask: (page: { offset: number; limit: number }) => Promise<Reply>,
    /** `anew`: the rows that are shown are those of another list. */
    private readonly take: (reply: Reply, offset: number, anew: boolean) => void,
    private readonly failed: (error: unknown, anew: boolean) => void,
  ) {}

  /** The list scrolled. */
  show(from: number, to: number): void {
    this.#visible = { from, to };
    this.#load();
  }

  /** Asks for what is looked at again; the rest is asked for when it is seen. */
  refresh(): void {
    this.#epoch += 1;
    this.#asked = new Set();
    this.#load();
  }

  /**
   * Another list, looked at from its beginning. The rows of the one before stay until its first answer has come: a list
   * that is empty for a moment flickers, and takes away what somebody is just pressing.
   */
  restart(): void {
    this.#visible = { from: 0, to: PAGE - 1 };
    this.#other = true;
    this.refresh();
  }

  #load(): void {
    const { from, to } = this.#visible;
    for (let page = Math.floor(from / PAGE); page <= Math.floor(to / PAGE); page++) this.#page(page);
  }

  #page(page: number): void {
    if (this.#asked.has(page)) return;
    this.#asked.add(page);
    const mine = this.#epoch;
    const offset = page * PAGE;
    this.ask({ offset, limit: PAGE }).then(
      (reply) => {
        if (mine === this.#epoch) this.take(reply, offset, this.#first());
      },
      (error: unknown) => {
        if (mine !== this.#epoch) return;
        this.#asked.delete(page);
        this.failed(error, this.#first());
      },
    );
  }

  #first(): boolean {
    const first = this.#other;
    this.#other = false;
    return first;
  }
}

/** The sparse rows of a list that has `total`, with a page put in its place. */
export function withPage<Row>(
  held: readonly (Row | undefined)[],
  page: readonly Row[],
  offset: number,
  total: number,
): (Row | undefined)[] {
  const rows = held.slice(0, total);
  page.forEach((row, at) => (rows[offset + at] = row));
  return rows;
}
