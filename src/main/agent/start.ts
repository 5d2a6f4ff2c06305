import { Approvals } from './approvals';
import { systemClock } from './clock';
import { placeEntry, realFolder, runConfig, versionTexts } from './config';
import type { GrantedFolder, RunConfig } from './config';
import { Control } from './control';
import { Ledger } from './ledger';
import { LiveSession } from './live';
import { metaRecord } from './meta';
import type { Run } from './run';
import type { AgentParts, Session, StartOptions } from './session';
import { Stage } from './stage';

/** Puts together what the pieces of a session share. */
export function assemble(
  parts: AgentParts,
  config: RunConfig,
  options: Pick<StartOptions, 'store' | 'allow' | 'approvals'> & {
    id: string;
    reminded: boolean;
    folder: GrantedFolder | undefined;
  },
): Run {
  const stage = new Stage();
  const approvals = new Approvals();
  const control = new Control(() => approvals.withdraw());
  const ledger = new Ledger(options.id, options.store, stage.emit, parts.now, parts.witness);
  ledger.onDead((failure) => control.lose(failure));
  return {
    parts,
    config,
    clock: parts.clock ?? systemClock,
    control,
    approvals,
    stage,
    folder: options.folder,
    allow: new Set(options.allow),
    ask: options.approvals,
    ledger,
    reminded: options.reminded,
  };
}

/**
 * Begins a run: its meta record (the prompt) is durable when this resolves, and its first model call follows. A
 * listener that is added at once hears everything, the meta record included.
 *
 * Rejects, with nothing written, with what the profile's model or tools fail with, with `not_found` for a folder that is
 * not there, and with what the store fails with. Rejects with `journaling` when the run was made but cannot be used.
 */
export async function startRun(parts: AgentParts, options: StartOptions): Promise<Session> {
  await parts.lookAround?.();
  const config = runConfig(parts, options.profile);
  const folder = await realFolder(options.folder, options.folderId);
  const id = options.id ?? parts.newId();
  const run = assemble(parts, config, {
    ...options,
    folder,
    id,
    reminded: false,
  });
  const { prompt, chat } = options;
  const begun = await run.ledger.beginQuietly(metaRecord(parts, config, { id, prompt, chat }));
  try {
    await run.ledger.note(placeEntry(parts, config, folder), 'where the run works');
    if (options.continues) await noteOrigin(run, options.continues, options.store?.url);
  } catch (error) {
    await run.ledger.release();
    throw error;
  }
  // For the eye of a later pre-flight; of a private run there is none.
  if (options.store) {
    void parts.versions?.keep(versionTexts(config));
    void parts.used?.note(config.profile.name);
  }
  setImmediate(begun);
  return new LiveSession(run, { how: 'turn', warnings: run.ledger.warnings });
}

function noteOrigin(
  run: Run,
  { from, throughSeq }: NonNullable<StartOptions['continues']>,
  store: string | undefined,
): Promise<void> {
  return run.ledger.note(
    {
      kind: 'lineage',
      at: run.parts.now().toISOString(),
      from,
      ...(store !== undefined && { store }),
      through_seq: throughSeq,
      why: 'continue',
    },
    'where the run came from',
  );
}
