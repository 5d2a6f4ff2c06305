import { create } from 'zustand';
import type { CommandOutput } from '../../shared/contract/contract';
import type { SecretEntry } from '../../shared/contract/keys';
import type { FailureInfo } from '../../shared/run/failure';
import { call, failureOf } from '../client';

export type { SecretEntry };

interface KeysState extends CommandOutput<'keys.list'> {
  ready: boolean;
  failure: FailureInfo | undefined;
}

/** What is known of the saved keys: never a value. */
export const useKeys = create<KeysState>(() => ({
  keys: [],
  protection: 'encrypted',
  file: '',
  problem: undefined,
  ready: false,
  failure: undefined,
}));

export async function loadKeys(): Promise<void> {
  try {
    useKeys.setState({
      problem: undefined,
      ...(await call('keys.list', {})),
      ready: true,
      failure: undefined,
    });
  } catch (error) {
    useKeys.setState({ failure: failureOf(error), ready: true });
  }
}

/** Whether a person has to be asked before a key is saved here: it would not be encrypted, and nobody agreed to that yet. */
export function mustAskToKeep(): boolean {
  const { protection, keys } = useKeys.getState();
  return protection !== 'encrypted' && !keys.some((key) => key.where === 'disk');
}
