import type { StoreState } from '../../../shared/contract/stores';
import type { FailureInfo } from '../../../shared/run/failure';
import s from './stores.module.css';

export const STATE_WORD: Record<StoreState, string> = {
  ok: 'Ready',
  connecting: 'Connecting…',
  unreachable: 'Not reached',
};

/** Waiting changes nothing: the settings are wrong, or what answers there is no store. */
const isWrong = (reason: Pick<FailureInfo, 'code'> | undefined): boolean =>
  reason?.code === 'store_config' || reason?.code === 'store_protocol';

/** Half a sentence on a store that is away: its settings are wrong, or nobody answers. */
export const awayWords = (reason: Pick<FailureInfo, 'code'> | undefined): string =>
  isWrong(reason) ? 'cannot be used' : 'is not reached';

/** The state of a store in a word or two. */
export const stateWords = (state: StoreState, reason: Pick<FailureInfo, 'code'> | undefined): string =>
  state === 'unreachable' && isWrong(reason) ? 'Cannot be used' : STATE_WORD[state];

/** Whether a store is there, as a shape; the word stands beside it. */
export const StoreDot = ({ state }: { state: StoreState }) => (
  <i className={s['dot']} data-state={state} aria-hidden="true" />
);
