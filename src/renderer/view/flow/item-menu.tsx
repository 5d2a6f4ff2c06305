import { Copy, GitFork, History, ScanSearch } from 'lucide-react';
import type { TranscriptItem } from '../../../shared/contract/items';
import { copyable, copyWhole } from '../../store/copy';
import { forkOf } from '../../store/moving';
import { inspect } from '../../store/reading';
import { useRun } from '../../store/run';
import { IconButton } from '../kit/button';
import { Menu, MenuItem } from '../kit/menu';
import { count } from '../kit/numbers';
import { clockTime } from '../kit/time';
import s from './flow.module.css';

/** What can be done with the record that an item stands in. */
export function ItemActions({ item }: { item: TranscriptItem }) {
  const id = useRun((state) => state.id);
  const isPrivate = useRun((state) => state.head?.row.private ?? false);
  const { seq, fork } = item;
  const copy = copyable(item);
  // A call stands as it was once it was answered.
  const stands = item.kind === 'call' && item.result ? item.result.seq : seq;
  return (
    <>
      {copy && id !== undefined && (
        <MenuItem icon={<Copy size="1rem" />} onSelect={() => void copyWhole(id, item)}>
          Copy {copy.word}
        </MenuItem>
      )}
      <MenuItem icon={<ScanSearch size="1rem" />} onSelect={() => inspect(seq)}>
        Look at record {count(seq)}
      </MenuItem>
      <MenuItem icon={<History size="1rem" />} onSelect={() => inspect(Math.max(1, stands), 'stand')}>
        As it stood here
      </MenuItem>
      {fork !== undefined && id !== undefined && !isPrivate && (
        <MenuItem icon={<GitFork size="1rem" />} onSelect={() => forkOf(id, fork)}>
          Fork from here…
        </MenuItem>
      )}
    </>
  );
}

export const itemLabel = ({ seq }: TranscriptItem) => `Record ${count(seq)}`;

/** The same behind a button beside the item. */
export function ItemMenu({ item }: { item: TranscriptItem }) {
  const label = itemLabel(item);
  return (
    <Menu
      label={label}
      align="end"
      trigger={
        <IconButton
          className={s['inspect'] ?? ''}
          size="s"
          side="left"
          data-chrome
          label={`${label}${item.at ? `, ${clockTime(item.at)}` : ''}`}
          icon={<ScanSearch size="0.875rem" />}
        />
      }
    >
      <ItemActions item={item} />
    </Menu>
  );
}
