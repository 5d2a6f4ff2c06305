import { isAbsolute, resolve } from 'node:path';
import { parseRaw } from '../../shared/run/codec';
import { isEmptyAnswer } from '../../shared/run/empty-answer';
import { diffFingerprint } from '../../shared/run/fingerprint';
import { judgeGates } from '../../shared/run/gates';
import { STOP } from '../../shared/run/record';
import type { Fingerprint, ToolUseBlock } from '../../shared/run/record';
import type { SidecarEntry, SidecarKind } from '../../shared/run/sidecar';
import type { RunFacts, RunState } from '../../shared/run/state';
import type { LoadedRun } from '../journal/journal';
import { proofOf, recordSha256 } from '../journal/proof';
import type { Witness } from '../settings/witness';
import { toolUses } from './answered-turn';
import { sha256, toolNamed } from './config';
import type { RunConfig } from './config';
import { forecastOf } from './forecast';
import { placeIn, trusted } from './origin';
import type { PendingTool, Preflight } from './session';
import { lineOf } from './tool-batch';
import { toWire } from './wire';
import { isCutShort } from './words';

type Entry<K extends SidecarKind> = Extract<SidecarEntry, { kind: K }>;

const entries = <K extends SidecarKind>(sidecar: SidecarEntry[], kind: K): Entry<K>[] =>
  sidecar.filter((entry): entry is Entry<K> => entry.kind === kind);

/** What a look at a run finds out, for the pre-flight and for the resume alike. */
export interface Inspection extends Omit<Preflight, 'nextCallChars' | 'missing'> {
  /** Calls that were refused by a person but not answered in the journal yet, with the words of the refusal. */
  denied: Map<string, string | undefined>;
  /** What the model sent as input where that was no JSON object, by tool-use id: calls of the pending turn. */
  invalid: Map<string, string>;
  /** Open calls that came with a run from elsewhere. */
  foreign: Set<string>;
  /** The fingerprint that the run goes on from: the last accepted one. */
  recorded: Fingerprint;
  endpointChanged: boolean;
}

export interface Viewpoint {
  interactive: boolean;
  force: boolean;
  allow: ReadonlySet<string>;
  witness: Witness;
  /** Address of the store that the run is in. */
  store: string;
  /** The folder that was chosen for it; absent: the one that this machine noted. */
  folder?: string | undefined;
}

/** Judges a loaded run against a configuration. Reads nothing, changes nothing. */
export function inspect(run: LoadedRun, config: RunConfig, view: Viewpoint): Inspection {
  const { state, facts } = run;
  const { origin, notes, pendingHere } = trusted(run, view.witness, view.store);
  const recorded = lastAccepted(state, notes);
  const place = placeIn(notes);
  const gates = judgeGates({
    state,
    facts,
    interactive: view.interactive,
    recorded,
    current: config.fingerprint,
    force: view.force,
  });
  const denied = refusals(notes);
  const invalid = badInputs(run, notes);
  const folder = view.folder ?? place.folder;
  const pending = pendingTools(run, config, view, { denied, invalid, foreign: !pendingHere, folder, notes });
  const endpoint = config.model.endpoint;
  const lost = lostText(state, notes);
  const next = nextStep(state, facts);
  return {
    id: run.id,
    origin,
    gates,
    ok: gates.every(({ outcome }) => outcome !== 'refuse'),
    diff: diffFingerprint(recorded, config.fingerprint),
    ...(place.endpoint !== undefined && { recordedEndpoint: place.endpoint }),
    ...(endpoint !== undefined && { currentEndpoint: endpoint }),
    ...(place.profile !== undefined && { profile: place.profile }),
    ...(place.folder !== undefined && { folder: place.folder }),
    pending,
    unknown: pending.filter(({ fate }) => fate === 'unknown' || fate === 'foreign'),
    next,
    resume: forecastOf(run, config, { next, pending, notes }, false),
    ...(state.interactive &&
      next !== 'nothing' && { say: forecastOf(run, config, { next, pending, notes }, true) }),
    counters: state.counters,
    records: run.records.length,
    paidCalls: state.counters.llm_calls,
    pausedTurn: atPausedTurn(state),
    ...(lost && { lost }),
    denied,
    invalid,
    foreign: new Set(pending.flatMap(({ fate, toolUseId }) => (fate === 'foreign' ? [toolUseId] : []))),
    ...(place.folder_id !== undefined && { folderId: place.folder_id }),
    recorded,
    endpointChanged: place.endpoint !== undefined && place.endpoint !== endpoint,
  };
}

/** Roughly what the next call sends, in characters of JSON; counted rather than written, since it may be very much. */
export function nextCallChars(state: RunState, config: RunConfig): number {
  let chars = config.profile.system_prompt.length + JSON.stringify(config.defs).length;
  for (const { content } of toWire(state))
    for (const { text, thinking, tool_use: use, tool_result: result, provider } of content ?? []) {
      chars += AROUND_A_BLOCK;
      chars += (text?.text.length ?? 0) + (thinking?.text?.length ?? 0) + (thinking?.signature?.length ?? 0);
      chars += (use?.input.length ?? 0) + (use?.name.length ?? 0);
      chars += (result?.content.length ?? 0) + (provider?.raw.length ?? 0);
    }
  return chars;
}
const AROUND_A_BLOCK = 30;

/**
 * What a person last accepted, or else what the run was begun with. The provider is always the run's own: no entry
 * beside the journal can change what can never be forced.
 */
function lastAccepted(state: RunState, notes: SidecarEntry[]): Fingerprint {
  const accepted = entries(notes, 'resume').at(-1)?.accepted;
  return { ...(accepted ?? state.fingerprint), provider: state.fingerprint.provider };
}

function refusals(sidecar: SidecarEntry[]): Map<string, string | undefined> {
  const denied = new Map<string, string | undefined>();
  for (const { tool_use_id: id, decision, by, words } of entries(sidecar, 'approval'))
    if (decision === 'deny' && by === 'person') denied.set(id, words);
    else denied.delete(id);
  return denied;
}

/** A turn that never became a record may have been answered again, so its notes end with the resume that did so. */
function badInputs({ records }: LoadedRun, notes: SidecarEntry[]): Map<string, string> {
  const turn = records.findLast(({ assistant }) => assistant)?.seq;
  let noted: Entry<'bad_input'>[] = [];
  for (const entry of notes)
    if (entry.kind === 'bad_input') noted.push(entry);
    else if (entry.kind === 'resume') noted = noted.filter(({ seq }) => seq <= entry.after_seq);
  return new Map(noted.filter(({ seq }) => seq === turn).map(({ tool_use_id: id, text }) => [id, text]));
}

interface Circumstances extends Pick<Inspection, 'denied' | 'invalid'> {
  /** The open turn was written elsewhere. */
  foreign: boolean;
  folder: string | undefined;
  /** Those that may decide something. */
  notes: SidecarEntry[];
}

function pendingTools(
  run: LoadedRun,
  config: RunConfig,
  { allow }: Viewpoint,
  { denied, invalid, foreign, folder, notes }: Circumstances,
): PendingTool[] {
  const { pending } = run.state;
  if (!pending) return [];
  const turn = run.records.findLast(({ assistant }) => assistant);
  const record = turn ? recordSha256(turn) : '';
  const proof = proofOf(run, notes);
  // Also those that prove nothing: they can only make a person be asked.
  const intents = new Map(entries(run.sidecar, 'intent').map((intent) => [intent.tool_use_id, intent]));
  const cut = isCutShort(pending.stop_reason);
  const fate = (use: ToolUseBlock): Pick<PendingTool, 'fate' | 'changes'> => {
    const tool = toolNamed(config, use.name);
    const intent = intents.get(use.id);
    const changes = tool?.changes ?? intent?.changes ?? false;
    const began = (changes || intent?.changes === true) && proof(use.id) !== 'never_began';
    if (pending.answered.includes(use.id)) return { fate: 'answered', changes };
    if (cut || denied.has(use.id) || (tool && invalid.has(use.id))) return { fate: 'not_run', changes };
    if (foreign && tool) return { fate: 'foreign', changes };
    if (began) return { fate: 'unknown', changes: true };
    if (!tool) return { fate: 'missing', changes };
    return { fate: changes && !allow.has(use.name) ? 'ask' : 'run', changes };
  };
  return toolUses(pending.assistant).map((use) => {
    const startedAt = intents.get(use.id)?.at;
    const bad = invalid.get(use.id);
    const path = wholePath(use, folder);
    return {
      toolUseId: use.id,
      tool: use.name,
      input: bad ?? use.input,
      line:
        bad === undefined
          ? lineOf(toolNamed(config, use.name), use, parseRaw(use.input))
          : `${use.name} ${bad}`,
      ...fate(use),
      hash: sha256(JSON.stringify([run.id, record, use.id, use.name, use.input, folder ?? null])),
      ...(path !== undefined && { path }),
      ...(startedAt !== undefined && { startedAt }),
    };
  });
}

/** Where on this machine a call would work. */
function wholePath(use: ToolUseBlock, folder: string | undefined): string | undefined {
  const input: unknown = parseRaw(use.input);
  const named = typeof input === 'object' && input !== null && 'path' in input ? input.path : undefined;
  if (named !== undefined && typeof named !== 'string') return undefined;
  if (named !== undefined && isAbsolute(named)) return named;
  return folder === undefined ? named : resolve(folder, named ?? '.');
}

export const atPausedTurn = (state: RunState): boolean =>
  state.pending === null && state.last_stop_reason === STOP.pauseTurn && endsOnAssistant(state);

/** The last answer says nothing: a resume asks for another one. */
const asksAgain = ({ messages, last_stop_reason: stop }: RunState): boolean => {
  const last = messages.at(-1);
  return last !== undefined && isEmptyAnswer(last, stop);
};

const endsOnAssistant = (state: RunState): boolean => state.messages.at(-1)?.role === 'assistant';

/** What a resume does next, by the records alone. */
export function nextStep(state: RunState, facts: RunFacts): Preflight['next'] {
  if (state.completed && facts.terminalIsLast) return 'nothing';
  if (state.pending) return 'tools';
  if (endsOnAssistant(state) && !atPausedTurn(state)) {
    if (state.interactive && asksAgain(state)) return 'call';
    if (state.interactive) return 'input';
    // It was ended by a turn that was cut short, and nothing new can be said in a one-shot run.
    return facts.terminalIsLast && state.terminal?.reason === 'error' ? 'nothing' : 'finish';
  }
  return cutShortWithoutEnd(state, facts) ? 'finish' : 'call';
}

/** The calls of a turn that was cut short are all answered as not run, but the run does not say that it ended. */
function cutShortWithoutEnd(state: RunState, facts: RunFacts): boolean {
  return isCutShort(state.last_stop_reason) && facts.lastKind === 'tool_result' && !facts.terminalIsLast;
}

/** Text that was streamed for a call whose answer never became a record. */
function lostText(state: RunState, sidecar: SidecarEntry[]): Preflight['lost'] {
  const last = entries(sidecar, 'partial').at(-1);
  if (!last || last.iteration !== state.next_iteration) return undefined;
  return { text: last.text, ...(last.thinking !== undefined && { thinking: last.thinking }), at: last.at };
}
