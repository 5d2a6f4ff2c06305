import {
  CircleCheck,
  CircleDot,
  CopyCheck,
  CopyPlus,
  Download,
  Pencil,
  Pin,
  PinOff,
  ScrollText,
  SquareArrowOutUpRight,
  Tag,
  Trash2,
} from 'lucide-react';
import type { StoreView } from '../../../shared/contract/stores';
import type { RunRow } from '../../../shared/contract/views';
import { canBeDone } from '../../../shared/run/status';
import { copyOf, exportOf, openRun } from '../../store/app';
import { continueHere } from '../../store/moving';
import { deleteRun, markDone, pinRuns, tagRuns } from '../../store/runs';
import { storeOfRun, useStores } from '../../store/stores';
import { MenuItem, MenuLine } from '../kit/menu';

/** Why nothing of a run's store can be changed, or deleted from it; for people. */
export function whyNot(store: StoreView | undefined): { change?: string; remove?: string } {
  const change = store?.writable === false ? 'Its folder is only read here' : undefined;
  const remove = change ?? (store?.keeps !== undefined ? 'Its store keeps everything' : undefined);
  return { ...(change !== undefined && { change }), ...(remove !== undefined && { remove }) };
}

export const isBusy = (row: RunRow) => row.status === 'running' || row.status === 'waiting' || row.elsewhere;

/** What can be done with one run, wherever it stands in a list. */
export function RowActions({
  row,
  onRename,
  open = false,
}: {
  row: RunRow;
  onRename: () => void;
  /** Begin with opening it: where a click alone does not. */
  open?: boolean;
}) {
  const store = useStores(({ stores }) => storeOfRun(stores, row.id));
  const { change, remove } = whyNot(store);
  const busy = isBusy(row);
  return (
    <>
      {open && (
        <MenuItem icon={<SquareArrowOutUpRight size="1rem" />} keys="enter" onSelect={() => openRun(row.id)}>
          Open
        </MenuItem>
      )}
      <MenuItem icon={<ScrollText size="1rem" />} onSelect={() => openRun(row.id, 'transcript')}>
        Read the transcript
      </MenuItem>
      {!row.private && (
        <>
          <MenuItem
            icon={<Pencil size="1rem" />}
            keys="F2"
            disabled={change !== undefined}
            hint={change}
            onSelect={onRename}
          >
            Rename
          </MenuItem>
          <MenuItem
            icon={row.pinned ? <PinOff size="1rem" /> : <Pin size="1rem" />}
            disabled={change !== undefined}
            hint={change}
            onSelect={() => void pinRuns([row.id], !row.pinned)}
          >
            {row.pinned ? 'Unpin' : 'Pin'}
          </MenuItem>
          <MenuItem
            icon={<Tag size="1rem" />}
            disabled={change !== undefined}
            hint={change}
            onSelect={() => tagRuns([row.id])}
          >
            Tags…
          </MenuItem>
          {canBeDone(row.status) && !row.elsewhere && (
            <MenuItem
              icon={row.done ? <CircleDot size="1rem" /> : <CircleCheck size="1rem" />}
              disabled={change !== undefined}
              hint={change}
              onSelect={() => void markDone([row.id], !row.done)}
            >
              {row.done ? 'Mark as not done' : 'Mark as done'}
            </MenuItem>
          )}
          <MenuLine />
          <MenuItem icon={<Download size="1rem" />} onSelect={() => exportOf([row.id])}>
            Export…
          </MenuItem>
          {store?.writable === false && row.status !== 'damaged' && row.status !== 'new' && (
            <MenuItem icon={<CopyCheck size="1rem" />} onSelect={() => continueHere(row.id)}>
              Continue here
            </MenuItem>
          )}
          <MenuItem icon={<CopyPlus size="1rem" />} onSelect={() => copyOf(row)}>
            Copy to another store…
          </MenuItem>
        </>
      )}
      <MenuLine />
      <MenuItem
        icon={<Trash2 size="1rem" />}
        tone="bad"
        keys="delete"
        disabled={busy || remove !== undefined}
        hint={remove ?? (busy ? 'Not while it is being written' : undefined)}
        onSelect={() => void deleteRun(row)}
      >
        {row.private ? 'Forget this private chat' : 'Delete'}
      </MenuItem>
    </>
  );
}
