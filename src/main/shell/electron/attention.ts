import type { Attention } from '../../app/door';
import { visibleLine } from '../../app/question';

export interface AttentionOptions {
  /** The window is there and being looked at. */
  watched(): boolean;
  badge(count: number): void;
  /** Shows a notification; `onClick` brings its run to the front. */
  notify(title: string, body: string, onClick: () => void): void;
  open(id: string): void;
}

const WORDS: Record<Attention['what'], string> = {
  waiting: 'Waiting for you',
  finished: 'Finished',
  failed: 'Failed',
};

/** While nobody looks at the window: one notification for each thing that happened, and how many runs want something. */
export class Attentions {
  private readonly waiting = new Set<string>();
  constructor(private readonly options: AttentionOptions) {}

  tell(event: Attention): void {
    if (this.options.watched()) return;
    this.waiting.add(event.id);
    this.options.badge(this.waiting.size);
    const body = [event.title, event.detail]
      .filter((line) => line !== '')
      .map((line) => visibleLine(line))
      .join('\n');
    this.options.notify(WORDS[event.what], body, () => this.options.open(event.id));
  }

  /** The person looks. */
  seen(): void {
    this.waiting.clear();
    this.options.badge(0);
  }
}
