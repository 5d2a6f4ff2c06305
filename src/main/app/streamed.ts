import type { RunView } from '../../shared/contract/follow';
import type { RunChange } from '../../shared/contract/views';

/** Text of the answer under way, as far as it has come: each change of it as watchers are told. */
export class Streamed {
  now: RunView['stream'];

  add(part: 'text' | 'thinking', iteration: number, text: string): RunChange {
    const before = this.now?.iteration === iteration ? this.now : { iteration, text: '', thinking: '' };
    this.now = { ...before, [part]: before[part] + text };
    return { type: 'stream', part, iteration, from: before[part].length, text };
  }

  end(iteration: number, reason?: string): RunChange {
    this.now = undefined;
    return { type: 'stream_end', iteration, ...(reason !== undefined && { reason }) };
  }
}
