import { Failure } from './failure';
import type { FailureCode } from './failure';
import { diffFingerprint } from './fingerprint';
import type { Fingerprint } from './record';
import type { RunFacts, RunState } from './state';

/** One field of the fingerprint beside its current value. Hashes are given whole; a view shortens them. */
export interface FingerprintDiff {
  field: keyof Fingerprint;
  recorded: string;
  current: string;
  changed: boolean;
  /** `hard`: a change can never be forced (provider). */
  force: 'forceable' | 'hard';
}

export type GateName = 'completed' | 'interactivity' | 'provider' | 'drift';

/** `pass`; `refuse`: stops the resume; `forced`: would refuse, but force was given; `skipped` is not used: all are always judged. */
export interface GateReport {
  gate: GateName;
  outcome: 'pass' | 'refuse' | 'forced';
  /** For a person; says what to do when it refuses. */
  text: string;
}

export interface GateInput {
  state: Pick<RunState, 'completed' | 'interactive'>;
  facts: Pick<RunFacts, 'terminalIsLast'>;
  /** Open as a chat (true) or as a one-shot run. */
  interactive: boolean;
  /** What the run was written against, or what a person accepted last. */
  recorded: Fingerprint;
  /** What it would go on with. */
  current: Fingerprint;
  /** A person saw the drift and wants to go on. Answers the drift gate, and no other. */
  force: boolean;
}

/**
 * Judges whether a run may go on. Always all four gates in their order, whatever the first ones say, so that a person
 * sees everything at once. Pure.
 */
export function judgeGates(input: GateInput): GateReport[] {
  return [completed(input), interactivity(input), provider(input), drift(input)];
}

const pass = (gate: GateName, text: string): GateReport => ({ gate, outcome: 'pass', text });
const refuse = (gate: GateName, text: string): GateReport => ({ gate, outcome: 'refuse', text });

/** A completed run that was continued all the same is judged by how it stands now, so its last record decides. */
function completed({ state, facts }: GateInput): GateReport {
  return state.completed && facts.terminalIsLast
    ? refuse(
        'completed',
        'This run is finished: its last answer is in the transcript. Start a new run to go on.',
      )
    : pass('completed', 'The run is not finished.');
}

function interactivity({ state, interactive }: GateInput): GateReport {
  if (state.interactive === interactive)
    return pass(
      'interactivity',
      interactive ? 'It is a chat and opens as one.' : 'It is a single task and goes on as one.',
    );
  return refuse(
    'interactivity',
    state.interactive
      ? 'This is a chat, so it cannot go on as a single task. Open it as a chat.'
      : 'This is a single task, so it cannot be opened as a chat. Let it go on as a single task.',
  );
}

function provider({ recorded, current }: GateInput): GateReport {
  if (recorded.provider === current.provider)
    return pass('provider', `The same kind of service answers (${current.provider}).`);
  return refuse(
    'provider',
    `This run was written with ${named(recorded.provider)}; the chosen profile uses ${named(current.provider)}. ` +
      'Another kind of service cannot read what this one left in the conversation, so this cannot be forced. ' +
      `Choose a profile that uses ${named(recorded.provider)}, or start a new run.`,
  );
}

function drift({ recorded, current, force }: GateInput): GateReport {
  const changes = diffFingerprint(recorded, current)
    .filter(({ changed, force: kind }) => changed && kind === 'forceable')
    .map(({ field }) => PLAIN[field]);
  if (changes.length === 0) return pass('drift', 'Model, instructions, tools and limits are as they were.');
  const list = `Not as it was: ${changes.join(', ')}.`;
  if (force) return { gate: 'drift', outcome: 'forced', text: `${list} You chose to go on all the same.` };
  return refuse('drift', `${list} Choose a profile that matches, or look at the changes and force it.`);
}

const named = (provider: string): string => `"${provider}"`;

const PLAIN: Record<keyof Fingerprint, string> = {
  provider: 'the kind of service',
  model: 'the model',
  system_hash: 'the instructions',
  tools_hash: 'the tools',
  thinking_mode: 'thinking',
  max_tokens: 'the token limit',
  max_iterations: 'the step limit',
};

const CODES: Record<GateName, FailureCode> = {
  completed: 'already_completed',
  interactivity: 'interactivity',
  provider: 'provider_changed',
  drift: 'drift',
};

/** The first gate that refuses, as the error that a resume ends with (data: gate). */
export function firstRefusal(reports: readonly GateReport[]): Failure | undefined {
  const report = reports.find(({ outcome }) => outcome === 'refuse');
  if (!report) return undefined;
  return new Failure({
    code: CODES[report.gate],
    message: report.text,
    kept: 'Nothing was changed.',
    data: { gate: report.gate },
  });
}
