import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readJournal } from '../../../src/shared/run/codec';
import { foldRecords } from '../../../src/shared/run/fold';
import type { RunRecord } from '../../../src/shared/run/record';
import { command } from './command';
import type { Ended, KillMoment, KillPlan, KillPoint, Mutant } from './command';

/** One run that is killed once or more and must come to its end all the same. */
export interface Case {
  name: string;
  prompt: string;
  /** Each attempt is killed by its own entry; attempts after the last are left alone. */
  kills: ({ at: number } | { point: KillPoint } | KillMoment)[];
  /** What the person says when an outcome is unknown. */
  unknown: 'run' | 'skip';
  mutant?: Mutant;
}

export interface Verdict {
  kills: number;
  /** Records that were told as durable and are not in the journal, or not the same. */
  lost: string[];
  /** Model calls made although the answer to that call was durable. */
  repeated: string[];
  /** Effects of state-changing tools beyond what was asked for. */
  doubled: string[];
  /** Anything else that should not be: a run that did not end, an odd exit code. */
  wrong: string[];
  /** Times the command asked what became of a tool. */
  asked: number;
  /** Reached its end. */
  finished: boolean;
  ms: number;
}

const LOG = 'log.txt';
const ID = 'run';

/** Effects by line of the file that state-changing tools append to. */
function effects(folder: string): Map<string, number> {
  const counts = new Map<string, number>();
  const file = join(folder, LOG);
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}

/** The lines of a journal that count: whole ones. */
function wholeLines(file: string): { records: RunRecord[]; lines: string[] } {
  const bytes = existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
  const { records, places } = readJournal(bytes);
  return {
    records,
    lines: places.map(({ offset, bytes: length }) => bytes.subarray(offset, offset + length).toString()),
  };
}

const iterationsOf = (records: RunRecord[]): Set<number> =>
  new Set(records.flatMap(({ assistant }) => (assistant ? [assistant.iteration] : [])));

/** Plays one case with the built command and says what went wrong. */
export async function play(cli: string, script: Case): Promise<Verdict> {
  const home = mkdtempSync(join(tmpdir(), 'holdfast-kill-'));
  try {
    return await new Trial(cli, script, home).run();
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

class Trial {
  readonly #store: string;
  readonly #folder: string;
  readonly #journal: string;
  readonly #verdict: Verdict = {
    kills: 0,
    lost: [],
    repeated: [],
    doubled: [],
    wrong: [],
    asked: 0,
    finished: false,
    ms: 0,
  };
  /** Lines of the journal as they were when last looked at; none may ever change or go. */
  #kept: string[] = [];
  /** Line of text that a tool appends, by how often it may be there. */
  readonly #allowed = new Map<string, number>();

  constructor(
    private readonly cli: string,
    private readonly script: Case,
    home: string,
  ) {
    this.#store = join(home, 'runs');
    this.#folder = join(home, 'folder');
    this.#journal = join(this.#store, `${ID}.json`);
    mkdirSync(this.#folder);
    writeFileSync(join(this.#folder, 'in.txt'), 'one\ntwo\nthree\n');
  }

  async run(): Promise<Verdict> {
    const started = performance.now();
    const kills = [...this.script.kills];
    // Enough for every kill, one question after each, and the end.
    for (let attempt = 0; attempt < this.script.kills.length * 2 + 3; attempt++) {
      const kill = kills.shift();
      const ended = await this.#attempt(kill);
      if (ended.signal === 'SIGKILL') this.#verdict.kills++;
      else if (ended.code === 3) await this.#answer(ended, kills);
      else if (ended.code !== 0)
        this.#verdict.wrong.push(`attempt ${attempt}: exit ${ended.code}: ${ended.stderr.slice(-400)}`);
      if (this.#completed()) break;
    }
    this.#verdict.finished = this.#completed();
    if (!this.#verdict.finished) this.#verdict.wrong.push('the run never reached its end');
    this.#judgeEffects();
    this.#verdict.ms = performance.now() - started;
    return this.#verdict;
  }

  /** Starts the run, or resumes it when there is one to resume. */
  async #attempt(kill: Case['kills'][number] | undefined, more: string[] = []): Promise<Ended> {
    const before = wholeLines(this.#journal);
    const common = [
      '--store',
      `file:${this.#store}`,
      '--json',
      '--folder',
      this.#folder,
      '--allow',
      'append_file',
    ];
    const args =
      before.records.length === 0
        ? ['run', this.script.prompt, '--id', ID, ...common]
        : ['resume', ID, ...common, ...more];
    const plan: KillPlan = {
      store: this.#store,
      ...(kill && 'at' in kill && { at: kill.at }),
      ...(kill && 'point' in kill && { point: kill.point }),
      ...(this.script.mutant && { mutant: this.script.mutant }),
    };
    const moment = kill && !('at' in kill) && !('point' in kill) ? kill : undefined;
    const ended = await command(this.cli, args, { plan, moment });
    this.#judge(before.records, ended);
    return ended;
  }

  /** A question about an unknown outcome: answers it in a new attempt, as a person would. */
  async #answer(ended: Ended, kills: Case['kills']): Promise<void> {
    const question = ended.events.find(({ event }) => event === 'unknown');
    if (!question) {
      this.#verdict.wrong.push(`refused: ${ended.stderr.slice(-400)}`);
      return;
    }
    this.#verdict.asked++;
    for (const tool of question.tools as { input: string }[]) {
      const text = (JSON.parse(tool.input) as { text: string }).text.trim();
      const runAgain = this.script.unknown === 'run' ? 1 : 0;
      this.#allowed.set(text, (this.#allowed.get(text) ?? 1) + runAgain);
    }
    const again = await this.#attempt(kills.shift(), ['--unknown', this.script.unknown]);
    if (again.signal === 'SIGKILL') this.#verdict.kills++;
    else if (again.code !== 0)
      this.#verdict.wrong.push(`after the answer: exit ${again.code}: ${again.stderr.slice(-400)}`);
  }

  /** Holds what the process told against what is on disk now. */
  #judge(before: RunRecord[], { events }: Ended): void {
    const { records, lines } = wholeLines(this.#journal);
    const seqs = new Set(records.map(({ seq }) => seq));
    const told = events.filter(({ event }) => event === 'record');
    for (const { seq, kind } of told)
      if (!seqs.has(seq as number)) this.#verdict.lost.push(`record ${String(seq)} (${String(kind)})`);
    const said = events.find(({ event }) => event === 'run')?.records as number | undefined;
    if (said !== undefined && said > records.length)
      this.#verdict.lost.push(`of ${said} records that were there`);
    this.#kept.forEach((line, index) => {
      if (lines[index] !== line) this.#verdict.lost.push(`line ${index + 1} of an earlier look`);
    });
    this.#kept = lines;

    const answered = iterationsOf(before);
    for (const event of events) {
      if (event.event === 'call' && answered.has(event.iteration as number))
        this.#verdict.repeated.push(`call ${String(event.iteration)}`);
      if (event.event === 'record' && event.kind === 'assistant') answered.add(event.iteration as number);
    }
    const counted = records.filter(({ assistant }) => assistant).length;
    if (counted !== iterationsOf(records).size) this.#verdict.repeated.push('two answers to one call');
  }

  #judgeEffects(): void {
    for (const [line, count] of effects(this.#folder)) {
      const allowed = this.#allowed.get(line) ?? 1;
      if (count > allowed) this.#verdict.doubled.push(`"${line}" ${count} times, asked for ${allowed}`);
    }
  }

  #completed(): boolean {
    const { records } = wholeLines(this.#journal);
    return records.length > 0 && foldRecords(records).state.terminal?.reason === 'completed';
  }
}

/** Names of all points of one undisturbed run, in order: what `{ at }` can be. */
export async function pointsOf(cli: string, prompt: string, mutant?: Mutant): Promise<string[]> {
  const home = mkdtempSync(join(tmpdir(), 'holdfast-kill-'));
  try {
    const [store, folder, log] = [join(home, 'runs'), join(home, 'folder'), join(home, 'points')];
    mkdirSync(folder);
    writeFileSync(join(folder, 'in.txt'), 'one\ntwo\nthree\n');
    const args = [
      'run',
      prompt,
      '--id',
      ID,
      '--store',
      `file:${store}`,
      '--json',
      '--folder',
      folder,
      '--allow',
      'append_file',
    ];
    const ended = await command(cli, args, { plan: { store, log, ...(mutant && { mutant }) } });
    if (ended.code !== 0) throw new Error(`the undisturbed run ended with ${ended.code}: ${ended.stderr}`);
    return readFileSync(log, 'utf8').split('\n').filter(Boolean);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** Everything that a pile of verdicts has to say. */
export function sum(verdicts: Verdict[]) {
  const all = <T>(pick: (verdict: Verdict) => T[]) => verdicts.flatMap(pick);
  return {
    runs: verdicts.length,
    kills: verdicts.reduce((total, { kills }) => total + kills, 0),
    asked: verdicts.reduce((total, { asked }) => total + asked, 0),
    finished: verdicts.filter(({ finished }) => finished).length,
    lost: all(({ lost }) => lost),
    repeated: all(({ repeated }) => repeated),
    doubled: all(({ doubled }) => doubled),
    wrong: all(({ wrong }) => wrong),
  };
}

/** Plays all, two at a time. */
export async function playAll(cli: string, cases: Case[]): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  const queue = [...cases];
  const worker = async () => {
    for (let script = queue.shift(); script; script = queue.shift()) verdicts.push(await play(cli, script));
  };
  await Promise.all([worker(), worker()]);
  return verdicts;
}
