/** Runs tasks one after another in the order they were handed in; a task that fails does not stop the next. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Resolves or rejects as the task does. */
  run<T>(task: () => Promise<T> | T): Promise<T> {
    const turn = this.#last.then(task);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  /** Resolves when everything handed in so far is over. Never rejects. */
  async idle(): Promise<void> {
    await this.#last;
  }
}
