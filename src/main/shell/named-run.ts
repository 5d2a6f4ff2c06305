import { runKey, splitKey } from '../../shared/contract/run-key';
import { RUN_ID } from '../journal/journal';
import { isStoreName } from '../settings/stores';

/** `--run ID` or `--run STORE.ID` among the words of a start: the run to bring to the front; empty: none. */
export function runOf(argv: readonly string[]): string {
  const at = argv.findIndex((word) => word === '--run' || word.startsWith('--run='));
  if (at < 0) return '';
  const key = argv[at]?.startsWith('--run=') ? argv[at].slice('--run='.length) : (argv[at + 1] ?? '');
  const { store, id } = splitKey(key);
  if (key !== runKey(store, id)) return '';
  return RUN_ID.test(id) && (store === '' || isStoreName(store)) ? key : '';
}
