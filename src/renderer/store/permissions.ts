import { create } from 'zustand';
import type { CommandInput, CommandOutput } from '../../shared/contract/contract';
import type { FailureInfo } from '../../shared/run/failure';
import { call, failureOf } from '../client';
import { toastFailure } from './app';

type Permissions = CommandOutput<'permissions.list'> & { ready: boolean; failure: FailureInfo | undefined };

/** What the person allowed, and what is being asked now. */
export const usePermissions = create<Permissions>(() => ({
  asking: [],
  addresses: [],
  folders: [],
  ready: false,
  failure: undefined,
}));

let asked = 0;

export async function loadPermissions(): Promise<void> {
  const mine = ++asked;
  try {
    const list = await call('permissions.list', {});
    if (mine === asked) usePermissions.setState({ ...list, ready: true, failure: undefined });
  } catch (error) {
    if (mine === asked) usePermissions.setState({ asking: [], ready: true, failure: failureOf(error) });
  }
}

export function revoke(what: CommandInput<'permissions.revoke'>['what'], target: string): void {
  call('permissions.revoke', { what, target }).catch(toastFailure);
}

export function decline(id: string): void {
  usePermissions.setState((state) => ({ asking: state.asking.filter((one) => one.id !== id) }));
  call('permissions.decline', { question: id }).catch(() => undefined);
}
