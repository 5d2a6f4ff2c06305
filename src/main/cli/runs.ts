import { resolve } from 'node:path';
import { Failure, isFailure } from '../../shared/run/failure';
import { matchingProfiles, preflight, resumeRun, startRun } from '../agent';
import { placeIn, trusted } from '../agent/origin';
import type { Preflight, UnknownAnswer } from '../agent/session';
import { locked } from '../journal/check';
import type { LoadedRun, RunStore } from '../journal/journal';
import type { Profile } from '../settings/profile';
import { builtInTools } from '../tool/registry';
import { askEndpoint, askForeign, askOrigin, askUnknown } from './ask';
import { drive } from './drive';
import { EXIT } from './exit';
import { sayIfLow, withStore } from './flags';
import type { Cli, CommonFlags, ResumeFlags, RunFlags } from './flags';
import type { ExitCode } from './exit';
import { describeCall } from './describe';
import { diffLines, originLines, preflightText } from './preflight';
import { replayText } from './show';
import { jsonLine, oneLine, plural } from './text';
import type { AgentParts } from '../agent/session';

/** Flags that every way into a session shares, checked. */
export function sessionOptions(cli: Cli, flags: { folder?: string; allow?: string[] }) {
  const known = builtInTools('practice').map(({ def }) => def.name);
  const stray = (flags.allow ?? []).filter((name) => !known.includes(name));
  if (stray.length > 0)
    throw new Failure({
      code: 'bad_request',
      message: `--allow names no tool that exists: ${stray.join(', ')}.`,
      todo: `Tools are: ${known.join(', ')}.`,
    });
  return {
    ...(flags.folder !== undefined && { folder: resolve(flags.folder) }),
    ...(flags.allow !== undefined && { allow: flags.allow }),
    approvals: cli.screen.interactive ? ('ask' as const) : ('auto-deny' as const),
  };
}

export const driven = (cli: Cli, flags: CommonFlags) => ({
  screen: cli.screen,
  json: flags.json === true,
  describe: describeCall,
  named: (id: string) => named(id, flags),
});

/** A run as the next command has to name it: with its store, unless that is the usual one. */
function named(id: string, { store }: CommonFlags): string {
  if (store === undefined) return id;
  const plain = /^[\w:/.@-]+$/.test(store);
  return `${id} --store ${plain ? store : `'${oneLine(store).replaceAll("'", String.raw`'\''`)}'`}`;
}

/** `run PROMPT` */
export async function runCommand(cli: Cli, prompt: string, flags: RunFlags): Promise<ExitCode> {
  const options = {
    ...sessionOptions(cli, flags),
    ...(flags.id !== undefined && { id: flags.id }),
    prompt,
    chat: flags.chat === true,
    profile: await cli.profile(flags.profile),
  };
  if (flags.private) {
    cli.screen.err('private run: nothing of it is written\n');
    return drive(await startRun(await cli.parts(), { ...options, store: undefined }), driven(cli, flags));
  }
  return withStore(cli, flags, async (store) => {
    await sayIfLow(cli, store);
    const session = await startRun(await cli.parts(), { ...options, store });
    cli.screen.err(`run ${session.id}\n`);
    return drive(session, driven(cli, flags));
  });
}

const isWritten = async (store: RunStore, id: string): Promise<boolean> =>
  ['here', 'elsewhere'].includes(await store.writer(id));

/** `resume ID`, and with `words` `say ID TEXT` */
export function resumeCommand(cli: Cli, id: string, flags: ResumeFlags, words?: string): Promise<ExitCode> {
  return withStore(cli, flags, async (store) => {
    const run = await store.load(id);
    await sayIfLow(cli, store);
    // Before any question: a tool that runs over there has no outcome yet, and nobody should be asked for one.
    if (await isWritten(store, id)) throw locked();
    const profile = await profileFor(cli, await cli.parts(), store, run, flags);
    const shared = { store, id, profile, ...sessionOptions(cli, flags), force: flags.force === true };
    const interactive = words === undefined ? undefined : { interactive: true };
    const flight = await preflight(await cli.parts(), { ...shared, ...interactive });
    const origin = await settleOrigin(cli, flight, profile.name, flags);
    if (origin === undefined) return EXIT.refused;
    const refusal = await refusedBy(cli, flight, profile.name, flags);
    if (refusal !== undefined) return refusal;
    // Told before anything is recorded, not by a run that fails.
    const lacks = acts(flight, words !== undefined) ? flight.missing[0] : undefined;
    if (lacks) throw new Failure(lacks);
    const answers = await settleQuestions(cli, flight, flags);
    if (answers === undefined) return EXIT.refused;

    replay(cli, run, flight);
    if (flight.next === 'input' && words === undefined) {
      cli.screen.err(`-- it is your turn: holdfast say ${named(id, flags)} "…"\n`);
      if (flags.json) await cli.screen.out(`${jsonLine({ event: 'ended', id, reason: 'your_turn' })}\n`);
      return EXIT.ok;
    }
    const session = await resumeRun(await cli.parts(), {
      ...shared,
      ...interactive,
      ...origin,
      ...answers,
      ...(words !== undefined && { say: words }),
    });
    return drive(session, driven(cli, flags));
  });
}

/** Whether a model or a tool is needed for what comes next. */
const acts = ({ next, resume }: Preflight, says: boolean): boolean =>
  says || resume.then === 'call' || next === 'tools';

/** Tells the conversation so far, on stderr: what the run continues from. */
function replay(cli: Cli, run: LoadedRun, flight: Preflight): void {
  cli.screen.err(`-- resuming ${run.id}, ${plural(flight.paidCalls, 'model call')} so far\n\n`);
  cli.screen.err(replayText(run.records));
  if (flight.pausedTurn)
    cli.screen.err(
      'warning: the last answer was paused by its service; what the service kept for it may have expired\n',
    );
  cli.screen.err('\n-- continuing\n\n');
}

/** Another kind of service cannot read what this one recorded, whatever is forced. */
export const crosses = ({ gates }: Pick<Preflight, 'gates'>): boolean =>
  gates.some(({ gate, outcome }) => gate === 'provider' && outcome === 'refuse');

/** The command that goes on with another service, as it can be pasted. */
function continueLine(flight: Preflight, profile: string, flags: ResumeFlags): string {
  const { id, recordedEndpoint, currentEndpoint } = flight;
  const plain = /^[\w.-]+$/.test(profile);
  const quoted = plain ? profile : `'${oneLine(profile).replaceAll("'", String.raw`'\''`)}'`;
  const moves = recordedEndpoint !== undefined && recordedEndpoint !== currentEndpoint;
  return `holdfast continue ${named(id, flags)} --profile ${quoted}${moves ? ' --accept-endpoint' : ''}`;
}

/** Tells why a gate refuses, with what changed, and what can be done. */
async function refusedBy(
  cli: Cli,
  flight: Preflight,
  profile: string,
  flags: ResumeFlags,
): Promise<ExitCode | undefined> {
  const refusals = flight.gates.filter(({ outcome }) => outcome === 'refuse');
  if (refusals.length === 0) return undefined;
  for (const { text } of refusals) cli.screen.err(`holdfast: ${oneLine(text)}\n`);
  if (flight.diff.some(({ changed }) => changed))
    cli.screen.err(
      `${diffLines(flight.diff)
        .map((line) => `  ${line}`)
        .join('\n')}\n`,
    );
  cli.screen.err('  nothing was changed\n');
  const onward = crosses(flight) ? continueLine(flight, profile, flags) : undefined;
  if (onward !== undefined)
    cli.screen.err(
      `  to continue in a new run, which sends an excerpt of this one to ${oneLine(flight.currentEndpoint ?? 'the model on this computer')}:\n    ${onward}\n`,
    );
  if (flags.json)
    await cli.screen.out(
      `${jsonLine({ event: 'refused', id: flight.id, gates: flight.gates, diff: flight.diff, ...(onward !== undefined && { continue: onward }) })}\n`,
    );
  return EXIT.refused;
}

/** The profile that was named, else the one that this machine noted for the run; notes from elsewhere name none. */
export async function profileFor(
  cli: Cli,
  parts: AgentParts,
  store: RunStore,
  run: LoadedRun,
  flags: ResumeFlags,
): Promise<Profile> {
  if (flags.profile !== undefined) return cli.profile(flags.profile);
  const { origin, notes } = trusted(run, parts.witness, store.url);
  const noted = placeIn(notes).profile;
  try {
    return await cli.profile(noted);
  } catch (error) {
    if (noted === undefined || origin.kind !== 'here' || !isFailure(error, 'profile_unknown')) throw error;
    const { profiles } = (await cli.profiles?.()) ?? { profiles: [] };
    const [first] = profiles;
    if (first === undefined) throw error;
    const seen = await preflight(parts, { store, id: run.id, profile: first, approvals: 'ask' });
    const [same] = matchingProfiles(seen, parts, profiles);
    if (same === undefined) throw error;
    cli.screen.err(
      `-- there is no profile "${oneLine(noted)}" any more; "${oneLine(same)}" has the same settings and is used\n`,
    );
    return cli.profile(same);
  }
}

/**
 * A run from elsewhere goes on only with a profile that was named for it here, and in the folder that was named, if any.
 * `undefined`: that was not done.
 */
export async function settleOrigin(
  cli: Cli,
  flight: Preflight,
  profile: string,
  flags: ResumeFlags,
): Promise<{ acceptOrigin?: string } | undefined> {
  const { origin, currentEndpoint } = flight;
  if (origin.kind === 'here') return {};
  for (const line of originLines(flight)) cli.screen.err(`-- ${line}\n`);
  const accepted = { acceptOrigin: origin.seen };
  if (flags.profile !== undefined) return accepted;
  const chosen = { profile, endpoint: currentEndpoint, folder: flags.folder };
  if (cli.screen.interactive && (await askOrigin(chosen, cli.screen))) return accepted;
  cli.screen.err(
    'holdfast: no profile was chosen for this run on this computer, so nothing was run, sent or changed\n' +
      '  name one with --profile, and with --folder the folder that its tools may work in\n',
  );
  if (flags.json) await cli.screen.out(`${jsonLine({ event: 'from_elsewhere', id: flight.id, origin })}\n`);
  return undefined;
}

interface Answers {
  acceptEndpoint?: boolean;
  unknown?: UnknownAnswer[];
  unknownDefault?: 'run' | 'skip';
}

/** Gets an answer to every question that a resume must not answer itself; `undefined` when one stays open. */
async function settleQuestions(
  cli: Cli,
  flight: Preflight,
  flags: ResumeFlags,
): Promise<Answers | undefined> {
  const answers: Answers = {};
  const { recordedEndpoint: from, currentEndpoint: to = 'no service at all' } = flight;
  if (from !== undefined && from !== to) {
    const yes = flags.acceptEndpoint || (cli.screen.interactive && (await askEndpoint(from, to, cli.screen)));
    if (!yes) {
      cli.screen.err(
        `holdfast: this conversation went to ${oneLine(from)} and would now be sent to ${oneLine(to)}\n`,
      );
      cli.screen.err(
        '  nothing was changed; --accept-endpoint sends it there, --profile picks another profile\n',
      );
      if (flags.json)
        await cli.screen.out(`${jsonLine({ event: 'endpoint_changed', id: flight.id, from, to })}\n`);
      return undefined;
    }
    answers.acceptEndpoint = true;
  }
  if (flight.unknown.length === 0) return answers;
  const foreign = flight.unknown.filter(({ fate }) => fate === 'foreign');
  if (flags.unknown === 'skip' || (flags.unknown && foreign.length === 0))
    return { ...answers, unknownDefault: flags.unknown };
  const unknown: UnknownAnswer[] = [];
  if (cli.screen.interactive)
    for (const tool of flight.unknown) {
      const answer = await (tool.fate === 'foreign' ? askForeign : askUnknown)(tool, cli.screen);
      if (answer) unknown.push(answer);
    }
  if (unknown.length === flight.unknown.length) return { ...answers, unknown };
  cli.screen.err(
    foreign.length > 0
      ? 'holdfast: these open calls came with the run from elsewhere; each is allowed at a terminal, one by one:\n'
      : 'holdfast: nobody knows whether these took effect:\n',
  );
  for (const { line, path } of flight.unknown)
    cli.screen.err(`  ${oneLine(line)}${path === undefined ? '' : ` (${oneLine(path)})`}\n`);
  cli.screen.err(
    foreign.length > 0
      ? '  nothing was changed; --unknown skip answers them as not run\n'
      : '  nothing was changed; look, then resume with --unknown run or --unknown skip\n',
  );
  if (flags.json)
    await cli.screen.out(`${jsonLine({ event: 'unknown', id: flight.id, tools: flight.unknown })}\n`);
  return undefined;
}

/** `preflight ID` */
export function preflightCommand(cli: Cli, id: string, flags: ResumeFlags): Promise<ExitCode> {
  return withStore(cli, flags, async (store) => {
    const run = await store.load(id);
    const profile = await profileFor(cli, await cli.parts(), store, run, flags);
    const options = { store, id, profile, ...sessionOptions(cli, flags), force: flags.force === true };
    const flight = await preflight(await cli.parts(), options);
    await cli.screen.out(flags.json ? `${jsonLine(flight)}\n` : preflightText(flight));
    if (await isWritten(store, id))
      cli.screen.err(
        'holdfast: another process writes this run at this moment; until it is at rest, only it goes on\n',
      );
    return flight.ok ? EXIT.ok : EXIT.refused;
  });
}
