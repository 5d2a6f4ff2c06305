import { Seeded } from './seeded';

/** JSON that no serialiser would write like this, but that stays as it is when it is only compacted and escaped. */
const ODD = '"odd":{"n":1.50,"10":1e400,"2":9007199254740993,"2":-0,"s":"\\u003ca\\/b\\u00e9"}';

export interface PlannedCall {
  name: string;
  /** JSON text as it is streamed. */
  input: string;
  /** No JSON object: the record holds `{}`. */
  invalid?: boolean;
}

/** One turn that a stand-in says, before its API gives it a shape. */
export interface PlannedTurn {
  thinking?: string;
  /** Thinking that only the service can read, before the visible one. */
  hidden?: boolean;
  text: string;
  calls: PlannedCall[];
  /** A tool of the service itself runs within the turn. */
  serverTool?: boolean;
  /** Thinking once more, behind everything else. */
  afterthought?: boolean;
  stop: 'end_turn' | 'tool_use' | 'max_tokens' | 'pause_turn' | 'refusal' | 'model_context_window_exceeded';
}

/** What goes wrong on the way of an answer, and when. */
export type Trouble =
  | { kind: 'none' }
  | { kind: 'status'; status: number }
  | { kind: 'no_answer' | 'drop_first' | 'error_first' | 'drop_later' | 'error_later' };

/** Chooses turns and troubles from a seed. */
export class StandInScript {
  readonly random: Seeded;
  private count = 0;

  constructor(
    seed: number,
    private readonly powers: { serverTools: boolean; pauses: boolean; troubles: boolean; calm?: boolean },
  ) {
    this.random = new Seeded(seed);
  }

  turn(): PlannedTurn {
    const { random } = this;
    this.count++;
    if (this.powers.calm) return { text: `Answer ${this.count}.`, calls: [], stop: 'end_turn' };
    const turn: PlannedTurn = { text: this.words(), calls: [], stop: 'end_turn' };
    if (random.chance(0.5)) turn.thinking = `Thought ${this.count}: <maybe> & "perhaps" …`;
    if (random.chance(0.15)) turn.hidden = true;
    if (random.chance(0.1)) turn.text = random.pick(['', ' ', '\n']);
    if (this.powers.serverTools && random.chance(0.2)) turn.serverTool = true;
    const kind = random.next();
    if (kind < 0.5) {
      turn.calls = Array.from({ length: 1 + random.below(3) }, () => this.call());
      turn.stop = 'tool_use';
    } else if (kind < 0.6) {
      turn.stop = random.pick(['max_tokens', 'refusal', 'model_context_window_exceeded'] as const);
      if (random.chance(0.5))
        turn.calls = [this.call(), { name: 'append_file', input: '{"path":"ha', invalid: true }];
    } else if (kind < 0.7 && this.powers.pauses) {
      turn.stop = 'pause_turn';
      turn.serverTool = true;
    }
    if (random.chance(0.1) && turn.thinking !== undefined) turn.afterthought = true;
    return turn;
  }

  trouble(): Trouble {
    const { random } = this;
    if (!this.powers.troubles || random.chance(0.8)) return { kind: 'none' };
    return random.pick<Trouble>([
      { kind: 'status', status: 429 },
      { kind: 'status', status: 500 },
      { kind: 'status', status: 529 },
      { kind: 'no_answer' },
      { kind: 'drop_first' },
      { kind: 'error_first' },
      { kind: 'drop_later' },
      { kind: 'error_later' },
    ]);
  }

  private words(): string {
    return `Answer ${this.count} ${this.random.pick(['plainly', 'über <b>', '東京 🙂', 'a\n\nb\tc', '"quoted" \\'])}.`;
  }

  private call(): PlannedCall {
    const { random, count } = this;
    return random.pick<() => PlannedCall>([
      () => ({ name: 'list_files', input: '{}' }),
      () => ({ name: 'list_files', input: '{ "path" : "." , "depth": 2 }' }),
      () => ({ name: 'read_file', input: `{"path":"notes.txt",${ODD}}` }),
      () => ({ name: 'read_file', input: '{"path":"notes.txt","lines":2}' }),
      () => ({ name: 'read_file', input: '{"path":"missing.txt"}' }),
      () => ({ name: 'file_stats', input: '{"path":"notes.txt"}' }),
      () => ({ name: 'append_file', input: `{"path":"log.txt","text":"line-${count}\\n"}` }),
      () => ({
        name: 'append_file',
        input: `{"text":"slow-${count}\\n","path":"log.txt","delay_seconds":0.02}`,
      }),
      () => ({ name: 'write_file', input: `{"path":"out/${count}.txt","content":"\\u003c${count}>"}` }),
      () => ({ name: 'search_text', input: '{"query":"hay","path":"notes.txt"}' }),
      () => ({ name: 'no_such_tool', input: `{${ODD}}` }),
      () => ({ name: 'read_file', input: '{"path": nope}', invalid: true }),
      () => ({ name: 'read_file', input: '["notes.txt"]', invalid: true }),
    ])();
  }
}
