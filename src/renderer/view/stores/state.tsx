import type { StoreState } from '../../../shared/contract/stores';
import s from './stores.module.css';

export const STATE_WORD: Record<StoreState, string> = {
  ok: 'Ready',
  connecting: 'Connecting…',
  unreachable: 'Not reached',
};

/** Whether a store is there, as a shape; the word stands beside it. */
export const StoreDot = ({ state }: { state: StoreState }) => (
  <i className={s['dot']} data-state={state} aria-hidden="true" />
);
