import type { Client } from './connect';
import type { CommandOutput } from './contract';
import type { Failure } from '../run/failure';
import type { TranscriptItem } from './items';
import type { RunChange } from './views';

export type RunView = CommandOutput<'run.watch'>;

/** Where a followed run goes. After each `snapshot`, changes build on it without a gap. */
export interface RunSink {
  /** What is true now; everything known before is void, items that are held must be asked for again. */
  snapshot(view: RunView): void;
  change(change: RunChange): void;
  /** The run cannot be watched (`not_found` …). Nothing more comes until the connection is made anew. */
  failed(failure: Failure): void;
}

/**
 * Watches a run: the snapshot first, then changes by seq. What the snapshot has already is left out, and where
 * something is missing (a gap, a lost connection) the snapshot is asked for again.
 */
export function follow(client: Client, id: string, sink: RunSink): () => void {
  let live = true;
  let known: Known | undefined;
  /** Changes that came while the snapshot was on its way. */
  let early: { after: number; change: RunChange }[] = [];
  let asking = 0;

  const ask = () => {
    known = undefined;
    early = [];
    const mine = ++asking;
    client.call('run.watch', { id }).then(
      (view) => {
        if (!live || mine !== asking) return;
        known = new Known(view);
        sink.snapshot(view);
        for (const { after, change } of early.splice(0)) take(after, change);
      },
      (failure: Failure) => {
        if (live && mine === asking && failure.code !== 'disconnected') sink.failed(failure);
      },
    );
  };

  const take = (after: number, change: RunChange) => {
    if (!known) {
      early.push({ after, change });
      return;
    }
    const verdict = known.judge(after, change);
    if (verdict === 'gap') ask();
    if (verdict !== 'new') return;
    sink.change(change);
    // What was streamed stands in the items now. Told in the same breath, so that no window ever shows it twice.
    const settled = change.type === 'items' ? known.settle(change.items) : undefined;
    if (settled !== undefined) sink.change({ type: 'stream_end', iteration: settled });
  };

  const offChange = client.on('run.change', (event) => {
    if (live && event.id === id) take(event.after, event.change);
  });
  const offResync = client.onResync(ask);
  ask();
  return () => {
    if (!live) return;
    live = false;
    offChange();
    offResync();
    if (client.status === 'open') client.call('run.unwatch', { id }).catch(() => undefined);
  };
}

/** What has been seen of a run: its journal seq, and how far the answer under way was streamed. */
class Known {
  private seq: number;
  private iteration: number;
  private held = { text: 0, thinking: 0 };

  constructor(view: RunView) {
    this.seq = view.head.lastSeq;
    this.iteration = view.stream?.iteration ?? -1;
    this.held = { text: view.stream?.text.length ?? 0, thinking: view.stream?.thinking.length ?? 0 };
  }

  /** The iteration whose stream these items make void, if there is one. */
  settle(items: readonly TranscriptItem[]): number | undefined {
    const { iteration } = this;
    if (iteration < 0 || !items.some((item) => 'iteration' in item && item.iteration === iteration))
      return undefined;
    this.iteration = -1;
    this.held = { text: 0, thinking: 0 };
    return iteration;
  }

  judge(after: number, change: RunChange): 'new' | 'seen' | 'gap' {
    if (after > this.seq) return 'gap';
    if (change.type === 'items') {
      if (after < this.seq) return change.seq <= this.seq ? 'seen' : 'gap';
      this.seq = change.seq;
    } else if (change.type === 'head') {
      if (change.head.lastSeq < this.seq) return 'seen';
    } else if (change.type === 'stream') {
      if (after < this.seq) return 'seen';
      if (change.iteration !== this.iteration) {
        this.iteration = change.iteration;
        this.held = { text: 0, thinking: 0 };
      }
      const held = this.held[change.part];
      if (change.from > held) return 'gap';
      if (change.from + change.text.length <= held) return 'seen';
      this.held[change.part] = change.from + change.text.length;
    } else if (change.type === 'stream_end') {
      // Told already, together with the items that took its place.
      if (this.iteration !== change.iteration && change.reason === undefined) return 'seen';
      this.iteration = -1;
      this.held = { text: 0, thinking: 0 };
    }
    return 'new';
  }
}
