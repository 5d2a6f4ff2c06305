import { Failure } from '../../shared/run/failure';
import type { LoadedRun } from '../journal/journal';
import { placeEntry, realFolder, runConfig, versionTexts } from './config';
import type { RunConfig } from './config';
import { inspect, nextCallChars } from './inspect';
import type { Inspection } from './inspect';
import { LiveSession } from './live';
import type { Opening } from './opening';
import { recordSha256 } from '../journal/proof';
import { missingFor } from './missing';
import { placeIn, trusted } from './origin';
import { Queue } from './queue';
import type { AgentParts, Preflight, ResumeOptions, Session } from './session';
import { assemble } from './start';
import { refuse } from './take-back';
import type { Decided } from './tool-batch';
import type { Run } from './run';
import { missingEnd, recordedEnd } from './words';

type LookOptions = Omit<
  ResumeOptions,
  'unknown' | 'unknownDefault' | 'say' | 'send' | 'instead' | 'acceptEndpoint' | 'acceptOrigin'
>;

const look = (parts: AgentParts, run: LoadedRun, config: RunConfig, options: LookOptions): Inspection =>
  inspect(run, config, {
    witness: parts.witness,
    store: options.store.url,
    folder: options.folder,
    interactive: options.interactive ?? run.state.interactive,
    force: options.force ?? false,
    allow: new Set(options.allow),
  });

/**
 * Everything a person should see before a resume acts. Takes no lock, writes nothing, calls nothing. Rejects with what
 * the store's `load` and the profile's model and tools fail with.
 */
export async function preflight(parts: AgentParts, options: LookOptions): Promise<Preflight> {
  const config = runConfig(parts, options.profile);
  const loaded = await options.store.load(options.id);
  const {
    denied: _d,
    invalid: _i,
    foreign: _f,
    recorded: _r,
    endpointChanged: _e,
    ...seen
  } = look(parts, loaded, config, options);
  const missing = await missingFor(config, {
    folder: options.folder ?? seen.folder,
    folderId: options.folder === undefined ? seen.folderId : options.folderId,
  });
  return { ...seen, missing, nextCallChars: nextCallChars(loaded.state, config) };
}

/**
 * Takes up a run where it stopped. It is loaded and judged for the eye, then locked, loaded and judged again, since
 * somebody may have been quicker; then what was decided is noted durably, and only then something happens.
 *
 * Rejects, with nothing written: what `load` and `open` fail with (`locked` …), `from_elsewhere` unless its origin was
 * accepted as it is now, the gates in their order
 * (`already_completed`, `interactivity`, `provider_changed`, `drift`), `endpoint_changed`, `unknown_outcome` (data.tools:
 * the calls that need an answer), `interactivity` for words to a one-shot run, `not_found` for a folder that is gone.
 */
export async function resumeRun(parts: AgentParts, options: ResumeOptions): Promise<Session> {
  await parts.lookAround?.();
  const config = runConfig(parts, options.profile);
  const first = await options.store.load(options.id);
  const before = judge(parts, first, config, options);
  const folder = await (options.folder === undefined
    ? realFolder(before.folder, before.folderId)
    : realFolder(options.folder, options.folderId));

  const journal = await options.store.open(options.id);
  const run = assemble(parts, config, {
    ...options,
    folder,
    reminded: true,
  });
  try {
    const loaded = await journal.load();
    const seen = judge(parts, loaded, config, options);
    const unknown = decisions(seen, options);
    await run.ledger.adopt(loaded);
    run.ledger.hold(journal);
    const queue = new Queue({ store: options.store, id: options.id, newId: parts.newId });
    await queue.load(loaded.records);
    if (options.send !== undefined && !queue.get(options.send)) throw notQueued();
    if (seen.next !== 'nothing') await noteResume(run, loaded, seen, unknown);
    void parts.versions?.keep(versionTexts(config));
    void parts.used?.note(config.profile.name);
    return new LiveSession(run, opening(loaded, seen, unknown, options, run.ledger.warnings), queue);
  } catch (error) {
    await journal.close();
    throw error;
  }
}

/** Throws the first reason not to go on. */
function judge(parts: AgentParts, loaded: LoadedRun, config: RunConfig, options: ResumeOptions): Inspection {
  const seen = look(parts, loaded, config, options);
  refuse(seen, options);
  if ((options.say ?? options.send) !== undefined && !loaded.state.interactive)
    throw new Failure({
      code: 'interactivity',
      message: 'This is a single task, so nothing more can be said in it.',
      kept: 'Nothing was changed.',
      todo: 'Resume it without words, or start a chat.',
    });
  decisions(seen, options);
  return seen;
}

/** A person's word on every call whose outcome nobody knows. Throws `unknown_outcome` for those without one. */
function decisions(seen: Inspection, options: ResumeOptions): Map<string, Decided> {
  const given = new Map(options.unknown?.map((answer) => [answer.toolUseId, answer]));
  const found = new Map<string, Decided>();
  for (const { toolUseId, hash, fate } of seen.unknown) {
    const answer = given.get(toolUseId);
    // An answer is for the call that was looked at, not for whatever has its id by now.
    const fits = answer && (answer.hash === undefined ? answer.decision !== 'run' : answer.hash === hash);
    if (fits) found.set(toolUseId, { ...answer, by: 'person' });
    // What came with a run from elsewhere runs by a word for that very call only.
    else if (options.unknownDefault && !(fate === 'foreign' && options.unknownDefault === 'run'))
      found.set(toolUseId, { toolUseId, decision: options.unknownDefault, by: 'flag' });
  }
  const open = seen.unknown.filter(({ toolUseId }) => !found.has(toolUseId));
  if (open.length === 0) return found;
  const foreign = open.filter(({ fate }) => fate === 'foreign');
  if (foreign.length > 0) throw unapproved(open, foreign.length);
  throw new Failure({
    code: 'unknown_outcome',
    message: `${open.length === 1 ? 'One call was' : `${open.length} calls were`} started and never answered: nobody knows whether ${open.length === 1 ? 'it' : 'they'} took effect.`,
    kept: 'Nothing was run and nothing was changed.',
    todo: 'Look for yourself, then say for each: run it again, skip it, or what happened.',
    data: { tools: open },
  });
}

const unapproved = (open: Inspection['unknown'], foreign: number): Failure =>
  new Failure({
    code: 'unknown_outcome',
    message: `${foreign === 1 ? 'One open call' : `${foreign} open calls`} came with this run from elsewhere.`,
    kept: 'Nothing was run and nothing was changed.',
    todo: 'Review each call with its path, then allow it or leave it out.',
    data: { tools: open },
  });

async function noteResume(
  run: Run,
  loaded: LoadedRun,
  seen: Inspection,
  unknown: ReadonlyMap<string, Decided>,
): Promise<void> {
  const { ledger, config, parts } = run;
  const lost = 'how it was to go on (nothing was done)';
  const place = placeEntry(parts, config, run.folder);
  const { notes } = trusted(loaded, parts.witness, ledger.store?.url ?? '');
  const before = placeIn(notes.filter((entry) => 'mac' in entry && entry.mac !== undefined));
  if (
    place.profile !== before.profile ||
    place.folder !== before.folder ||
    place.folder_id !== before.folder_id ||
    place.endpoint !== before.endpoint
  )
    await ledger.note(place, lost);
  const from = seen.recordedEndpoint;
  const last = loaded.records.at(-1);
  await ledger.note(
    {
      kind: 'resume',
      at: parts.now().toISOString(),
      after_seq: loaded.facts.lastSeq,
      ...(last && { record_sha256: recordSha256(last) }),
      ...(seen.origin.kind !== 'here' && { adopted: true }),
      forced: seen.gates.some(({ outcome }) => outcome === 'forced'),
      accepted: config.fingerprint,
      changed: seen.diff
        .filter(({ changed }) => changed)
        .map(({ field, recorded, current }) => ({ field, recorded, current })),
      ...(seen.endpointChanged && { endpoint: { from: from ?? '', to: config.model.endpoint ?? '' } }),
      unknown: [...unknown.values()].map(({ toolUseId, decision, words }) => ({
        tool_use_id: toolUseId,
        decision,
        ...(words !== undefined && { words }),
      })),
    },
    lost,
  );
  // Lists show it; they read no notes. What was accepted is noted already, so nothing depends on this.
  const { model } = config.fingerprint;
  const shown = model === loaded.state.fingerprint.model ? undefined : model.slice(0, 300);
  if (shown !== loaded.catalogue.model)
    await ledger.store?.label(ledger.id, { model: shown }).catch(() => undefined);
}

function opening(
  loaded: LoadedRun,
  seen: Inspection,
  unknown: ReadonlyMap<string, Decided>,
  options: ResumeOptions,
  told: { code: string; text: string }[],
): Opening {
  const { state } = loaded;
  const say = {
    ...(options.say !== undefined && { say: options.say }),
    ...(options.send !== undefined && { send: options.send }),
  };
  const warnings = [...told];
  if (seen.pausedTurn)
    warnings.push({
      code: 'paused_turn',
      text: 'The last answer was paused by its service; what the service kept for it may have expired.',
    });
  const { next } = seen;
  if (next === 'finish') return { how: 'finish', outcome: missingEnd(state), warnings, ...say };
  if (next === 'nothing') return { how: 'nothing', outcome: recordedEnd(state), warnings };
  if (next === 'input') return { how: 'input', warnings, ...say };
  return {
    how: 'turn',
    warnings,
    known: {
      unknown,
      denied: seen.denied,
      invalid: seen.invalid,
      foreign: seen.foreign,
      instead: options.instead === true && (options.say ?? options.send) !== undefined,
    },
    ...say,
  };
}

const notQueued = () =>
  new Failure({
    code: 'not_found',
    message: 'That message is not waiting any more: it was sent, or dropped.',
    kept: 'Nothing was changed.',
  });
