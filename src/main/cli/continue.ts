import { Failure } from '../../shared/run/failure';
import { preflight, startRun } from '../agent';
import { continuationPrompt } from '../agent/continuation';
import type { Preflight } from '../agent/session';
import { askEndpoint } from './ask';
import { drive } from './drive';
import { EXIT } from './exit';
import type { ExitCode } from './exit';
import { sayIfLow, withStore } from './flags';
import type { Cli, ResumeFlags } from './flags';
import { crosses, driven, profileFor, sessionOptions, settleOrigin } from './runs';
import { oneLine } from './text';

/** `continue ID`: a new run that begins with an excerpt of this one, which stays as it is. */
export function continueCommand(cli: Cli, id: string, flags: ResumeFlags): Promise<ExitCode> {
  return withStore(cli, flags, async (store) => {
    const run = await store.load(id);
    await sayIfLow(cli, store);
    const parts = await cli.parts();
    const profile = await profileFor(cli, parts, store, run, flags);
    const session = sessionOptions(cli, flags);
    const flight = await preflight(parts, { store, id, profile, ...session, interactive: true });
    if ((await settleOrigin(cli, flight, profile.name, flags)) === undefined) return EXIT.refused;
    if (flight.missing[0]) throw new Failure(flight.missing[0]);
    if (!(await mayGoThere(cli, flight, flags))) return EXIT.refused;
    // A folder that only the notes of another machine name is not this person's choice.
    const own = flight.origin.kind === 'here' && flags.folder === undefined;
    const fresh = await startRun(parts, {
      ...(own && flight.folder !== undefined && { folder: flight.folder }),
      ...(own && flight.folderId !== undefined && { folderId: flight.folderId }),
      ...session,
      store,
      prompt: continuationPrompt(run.state, {
        crossing: crosses(flight),
        chosen: flags.profile !== undefined && flags.profile !== flight.profile,
      }),
      chat: true,
      profile,
      continues: { from: id, throughSeq: run.facts.lastSeq },
    });
    cli.screen.err(`run ${fresh.id}, which continues ${oneLine(id)}\n`);
    return drive(fresh, driven(cli, flags));
  });
}

async function mayGoThere(cli: Cli, flight: Preflight, flags: ResumeFlags): Promise<boolean> {
  const { recordedEndpoint: from, currentEndpoint: to = 'no service at all' } = flight;
  if (from === undefined || from === to || flags.acceptEndpoint) return true;
  if (cli.screen.interactive && (await askEndpoint(from, to, cli.screen))) return true;
  cli.screen.err(
    `holdfast: this conversation went to ${oneLine(from)}, and an excerpt of it would be sent to ${oneLine(to)}\n` +
      '  nothing was changed; --accept-endpoint sends it there, --profile picks another profile\n',
  );
  return false;
}
