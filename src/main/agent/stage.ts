import type { Phase, SessionEvent, SessionSnapshot } from './session';

/** What can be seen of a session beside its records, and the events that tell it. */
export class Stage {
  phase: Phase = 'calling';
  streaming: SessionSnapshot['streaming'] = { iteration: 0, text: '', thinking: '' };
  runningTool: SessionSnapshot['runningTool'];
  readonly #listeners = new Set<(event: SessionEvent) => void>();

  on(listener: (event: SessionEvent) => void): () => void {
    // One entry for each call, also when the same function listens twice.
    const mine = (event: SessionEvent): void => listener(event);
    this.#listeners.add(mine);
    return () => void this.#listeners.delete(mine);
  }

  readonly emit = (event: SessionEvent): void => {
    for (const listener of [...this.#listeners])
      try {
        listener(event);
      } catch {
        // A listener's trouble is its own.
      }
  };

  enter(phase: Phase, about: { tool?: string; toolUseId?: string } = {}): void {
    this.phase = phase;
    this.emit({ type: 'phase', phase, ...about });
  }

  warn(code: string, text: string): void {
    this.emit({ type: 'warning', code, text });
  }

  /** The next answer begins, or there is none under way any more. */
  clearStream(iteration: number): void {
    this.streaming = { iteration, text: '', thinking: '' };
  }

  stream(type: 'text' | 'thinking', text: string): void {
    this.streaming = { ...this.streaming, [type]: this.streaming[type] + text };
    this.emit({ type, text, iteration: this.streaming.iteration });
  }

  /** Nobody is told anything after this. */
  close(): void {
    this.#listeners.clear();
  }
}
