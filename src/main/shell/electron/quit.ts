import { visibleLine } from '../../app/question';

/** Where a quit is: nobody asked, a person is being asked or runs are being paused, or it may go through. */
type Stage = 'open' | 'closing' | 'done';

export interface PausingRun {
  title: string;
  private: boolean;
}

export interface QuitOptions {
  /** The runs that would pause. */
  live(): PausingRun[];
  /** Shows which runs will pause; resolves to whether to quit. */
  ask(runs: PausingRun[]): Promise<boolean>;
  /** Pauses the runs and frees everything. */
  close(): Promise<void>;
  /** Ends the process; nothing is asked any more. */
  exit(): void;
}

/**
 * One way out, however it is asked for: the window's close button, the menu, a signal, the system going down. Runs are
 * always paused before the process ends; the person is asked first where there is one to ask.
 */
export class Quit {
  private stage: Stage = 'open';
  private asking = false;
  constructor(private readonly options: QuitOptions) {}

  /** For `before-quit` and the window's `close`: true when it may go through now, else it must be prevented. */
  request(): boolean {
    if (this.stage === 'done') return true;
    void this.ask();
    return false;
  }

  /** Without a question: a signal, or the system is going down. */
  async now(): Promise<void> {
    if (this.stage !== 'open') return;
    this.stage = 'closing';
    try {
      await this.options.close();
    } finally {
      this.stage = 'done';
      this.options.exit();
    }
  }

  private async ask(): Promise<void> {
    if (this.stage !== 'open' || this.asking) return;
    const runs = this.options.live();
    if (runs.length > 0) {
      this.asking = true;
      try {
        if (!(await this.options.ask(runs))) return;
      } finally {
        this.asking = false;
      }
    }
    await this.now();
  }
}

/** What is asked before runs are paused: each by its name, and what becomes of it. */
export function quitQuestion(runs: readonly PausingRun[]): { message: string; detail: string } {
  const lost = runs.filter((run) => run.private).length;
  const kept = 'What they did is recorded; they go on when you resume them.';
  const gone = 'A private chat is written nowhere: it ends for good.';
  const sentences = [lost < runs.length && kept, lost > 0 && gone].filter(Boolean).join(' ');
  const names = runs.map((run) => (run.private ? `${run.title} (private)` : run.title));
  const verb = lost === 0 ? 'will pause' : lost === runs.length ? 'will end' : 'will pause or end';
  return {
    message: runs.length === 1 ? `One run ${verb}.` : `${runs.length} runs ${verb}.`,
    detail: `${nameRuns(names)}\n\n${sentences}`,
  };
}

/** The runs of a question, short enough to be read. */
export function nameRuns(titles: readonly string[], most = 8): string {
  const shown = titles.slice(0, most).map((title) => `• ${visibleLine(title, 100)}`);
  const more = titles.length - shown.length;
  return [...shown, ...(more > 0 ? [`• and ${more} more`] : [])].join('\n');
}
