/** Runs tasks one after another, in the order in which they were given. */
export class Lane {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#last.then(task);
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Resolves when everything given so far is done. */
  async idle(): Promise<void> {
    await this.#last;
  }
}
