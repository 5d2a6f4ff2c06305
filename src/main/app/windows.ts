import type { Peer } from '../../shared/contract/serve';

export interface WindowsOptions {
  /** Milliseconds that a window may be without a connection, such as while its page loads again. */
  graceMs: number;
  /** The window is closed: it has had no connection for that long. */
  onGone(window: string): void;
}

/**
 * Which window a connection belongs to. A page that loads again, or loses its connection for a moment, names the same
 * window; a connection that names none is a window of its own.
 */
export class Windows {
  readonly #connections = new Map<string, Set<Peer>>();
  readonly #names = new WeakMap<Peer, string>();
  readonly #leaving = new Map<string, NodeJS.Timeout>();
  #unnamed = 0;

  constructor(private readonly options: WindowsOptions) {}

  /** The window of a connection. `name`: what its page calls it; only the first one counts. */
  of(peer: Peer, name?: string): string {
    const known = this.#names.get(peer);
    if (known !== undefined) return known;
    // No page can choose the name of a window that has none.
    const window = name === undefined ? `unnamed ${++this.#unnamed}` : `named ${name}`;
    this.#names.set(peer, window);
    clearTimeout(this.#leaving.get(window));
    this.#leaving.delete(window);
    const connections = this.#connections.get(window) ?? new Set();
    this.#connections.set(window, connections.add(peer));
    peer.onClose(() => this.#left(window, peer));
    return window;
  }

  /** Open, or away for less than the grace. */
  isThere(window: string): boolean {
    return this.#connections.has(window) || this.#leaving.has(window);
  }

  close(): void {
    for (const timer of this.#leaving.values()) clearTimeout(timer);
    this.#leaving.clear();
  }

  #left(window: string, peer: Peer): void {
    const connections = this.#connections.get(window);
    connections?.delete(peer);
    if (!connections || connections.size > 0) return;
    this.#connections.delete(window);
    const timer = setTimeout(() => {
      this.#leaving.delete(window);
      this.options.onGone(window);
    }, this.options.graceMs);
    timer.unref();
    this.#leaving.set(window, timer);
  }
}
