import type { DescribeCall } from '../../shared/run/transcript';
import type { Outcome, Session, SessionEvent } from '../agent/session';
import { askApproval } from './ask';
import type { Console } from './console';
import { exitOfOutcome } from './exit';
import type { ExitCode } from './exit';
import { finalText, Narrator } from './narrate';
import { jsonLine, printable } from './text';
import { withoutEndBreaks } from '../../shared/run/slices';

interface DriveOptions {
  screen: Console;
  /** One JSON object a line on stdout, in place of the answer's text. */
  json: boolean;
  describe: DescribeCall;
  /** How a command names this run, for the hint at the end. */
  named(id: string): string;
}

/**
 * Stays with a session until it ends or it is the person's turn: tells it on stderr, asks for approvals, turns signals
 * into pause and stop, and prints the answer (or the events, with `json`) on stdout.
 */
export async function drive(session: Session, options: DriveOptions): Promise<ExitCode> {
  const { screen, json } = options;
  const start = session.snapshot();
  const streamsAnswer = screen.oneScreen && !json;
  const narrator = new Narrator(
    (text) => screen.err(text),
    streamsAnswer ? (text) => void screen.out(text).catch(() => {}) : (text) => screen.err(text),
    options.describe,
  );
  // Output that cannot be written (a full disk, say) must not end the run; the last line tells of it.
  const line = (event: Record<string, unknown>) =>
    json ? screen.out(`${jsonLine(event)}\n`) : Promise.resolve();
  const emit = (event: Record<string, unknown>) => void line(event).catch(() => {});

  narrator.know(start.state.pending?.assistant.content ?? null);
  emit({ event: 'run', id: session.id, private: start.private, records: start.records });

  const approvals = new Approvals(session, screen);
  const off = session.on((event) => {
    narrator.event(event);
    const data = eventJson(event, session);
    if (data) emit(data);
    approvals.event(event);
  });
  if (start.approval) approvals.event({ type: 'approval', request: start.approval });
  const signals = new Signals(session, screen, approvals);
  try {
    const outcome = await session.settled();
    const { state } = session.snapshot();
    await session.close();
    narrator.ended(outcome, state, start.private ? undefined : options.named(session.id));
    const answer = answered(outcome) ? finalText(state) : undefined;
    const counters = state.counters;
    await line({ event: 'ended', id: session.id, ...outcomeJson(outcome), answer: answer ?? null, counters });
    if (answer && !json && !streamsAnswer) await screen.out(`${withoutEndBreaks(printable(answer))}\n`);
    return exitOfOutcome(outcome, signals.first);
  } finally {
    off();
    signals.release();
    approvals.withdraw();
  }
}

const answered = ({ reason }: Outcome): boolean => reason === 'completed' || reason === 'your_turn';

const outcomeJson = ({ reason, message, failure }: Outcome) => ({
  reason,
  ...(message !== undefined && { message }),
  ...(failure && { failure }),
});

/** What a script may want to know. A `record` line is printed only once that record is durable. */
function eventJson(event: SessionEvent, session: Session): Record<string, unknown> | undefined {
  switch (event.type) {
    case 'record': {
      const { seq, protocol, assistant } = event.record;
      const iteration = assistant && { iteration: assistant.iteration };
      const { durability, at } = event;
      return { event: 'record', seq, kind: protocol.split('.').at(-1), ...iteration, durability, at };
    }
    case 'phase':
      if (event.phase !== 'calling') return undefined;
      return { event: 'call', iteration: session.snapshot().state.next_iteration };
    case 'tool_started':
      return { event: 'tool', id: event.toolUseId, tool: event.tool, at: event.at };
    case 'approval':
      return { event: 'approval', ...event.request };
    case 'approval_settled':
      return { event: 'approval_settled', id: event.toolUseId, decision: event.decision };
    case 'warning':
      return { event: 'warning', code: event.code, text: event.text };
    case 'rotated':
      return { event: 'rotated', from: event.from, to: event.to };
    default:
      return undefined;
  }
}

/** Asks one thing at a time, and takes a question back when it no longer matters. */
class Approvals {
  #asking: AbortController | undefined;

  constructor(
    private readonly session: Session,
    private readonly screen: Console,
  ) {}

  get open(): boolean {
    return this.#asking !== undefined;
  }

  event(event: SessionEvent): void {
    if (event.type === 'approval_settled') this.withdraw();
    if (event.type !== 'approval' || !this.screen.interactive) return;
    this.withdraw();
    const asking = new AbortController();
    this.#asking = asking;
    void askApproval(event.request, this.screen, asking.signal).then((decision) => {
      if (this.#asking === asking) this.#asking = undefined;
      if (decision) this.session.answer(event.request.hash, decision);
    });
  }

  withdraw(): void {
    this.#asking?.abort();
    this.#asking = undefined;
  }
}

/** Ctrl-C once pauses at the next boundary, twice stops now, three times leaves. SIGTERM and a closed terminal pause. */
class Signals {
  first: 'SIGINT' | 'SIGTERM' | undefined;
  #interrupts = 0;

  constructor(
    private readonly session: Session,
    private readonly screen: Console,
    private readonly approvals: Approvals,
  ) {
    process.on('SIGINT', this.#interrupt);
    process.on('SIGTERM', this.#terminate);
    process.on('SIGHUP', this.#terminate);
  }

  release(): void {
    process.off('SIGINT', this.#interrupt);
    process.off('SIGTERM', this.#terminate);
    process.off('SIGHUP', this.#terminate);
  }

  readonly #interrupt = () => {
    this.first ??= 'SIGINT';
    this.#interrupts++;
    if (this.#interrupts === 1) {
      this.screen.err('\n-- pausing at the next boundary; Ctrl-C again stops what is running\n');
      this.#pause();
    } else if (this.#interrupts === 2) {
      this.screen.err('\n-- stopping\n');
      this.session.cancel();
    } else process.exit(exitOfOutcome({ reason: 'suspended' }, 'SIGINT'));
  };

  readonly #terminate = () => {
    this.first ??= 'SIGTERM';
    this.#pause();
  };

  /** Nobody answers a question any more once a pause was asked for: it is asked again when the run goes on. */
  #pause(): void {
    this.approvals.withdraw();
    this.session.pause();
  }
}
