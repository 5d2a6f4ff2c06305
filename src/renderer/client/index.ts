import type { Client } from '../../shared/contract/connect';
import type { CommandInput, CommandName, CommandOutput } from '../../shared/contract/contract';
import { asFailure, type FailureInfo } from '../../shared/run/failure';

let current: Client | undefined;

/** Called once, before anything is shown. */
export function setClient(client: Client): void {
  current = client;
}

/** The window's client. Throws before `setClient`. */
export function client(): Client {
  if (!current) throw new Error('The window has no connection yet.');
  return current;
}

/** Calls a command; rejects with a Failure. */
export function call<N extends CommandName>(name: N, input: CommandInput<N>): Promise<CommandOutput<N>> {
  return client().call(name, input);
}

/** Any thrown thing as what a view shows. */
export const failureOf = (error: unknown): FailureInfo => asFailure(error).toJSON();
