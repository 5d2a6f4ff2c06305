import type { Reader, RunOverview } from './read/reader';

/** Milliseconds between looks at how far the reading is. */
const LOOK = 150;

interface Told {
  /** From 0 to 1. */
  part(part: number): void;
  /** `before`: items in front of those that were known; absent: they are others. */
  done(overview: RunOverview, before: number | undefined): void;
  failed(): void;
}

/** Follows the reading of a long run whose end is shown already. */
export class WholeReading {
  #over = false;

  constructor(reader: Reader, id: string, told: Told) {
    const timer = setInterval(() => {
      reader.progress(id).then(
        (part) => this.#over || told.part(Math.min(0.99, part)),
        () => undefined,
      );
    }, LOOK);
    timer.unref();
    const end = (tell: () => void) => {
      clearInterval(timer);
      if (!this.#over) tell();
      this.#over = true;
    };
    reader.whole(id).then(
      ({ overview, before }) => end(() => told.done(overview, before)),
      () => end(() => told.failed()),
    );
  }

  /** Nothing more is told. */
  stop(): void {
    this.#over = true;
  }
}
