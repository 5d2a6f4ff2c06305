import type { Approvals } from './approvals';
import type { Clock } from './clock';
import type { GrantedFolder, RunConfig } from './config';
import type { Control } from './control';
import type { Ledger } from './ledger';
import type { AgentParts } from './session';
import type { Stage } from './stage';

/** What the pieces of one session work on together. */
export interface Run {
  readonly parts: AgentParts;
  readonly config: RunConfig;
  readonly clock: Clock;
  readonly control: Control;
  readonly approvals: Approvals;
  readonly stage: Stage;
  readonly folder: GrantedFolder | undefined;
  /** Tools that need no question: a flag or a profile allowed them. */
  readonly allow: ReadonlySet<string>;
  /** Whether somebody is there to ask. */
  readonly ask: 'ask' | 'auto-deny';
  /** Another one after a reset. */
  ledger: Ledger;
  /** The session took up an older run, so the model is reminded that things may have changed. */
  reminded: boolean;
}
