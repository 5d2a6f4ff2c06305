import { memo, useState } from 'react';
import { CopyPlus, Ellipsis, EyeOff, Pencil, ScrollText, Trash2, Users } from 'lucide-react';
import { splitKey } from '../../../shared/contract/run-key';
import type { RunRow } from '../../../shared/contract/views';
import { copyOf, openRun } from '../../store/app';
import { deleteRun, renameRun, useLibrary } from '../../store/library';
import { IconButton } from '../kit/button';
import { Menu, MenuItem, MenuLine } from '../kit/menu';
import { Name, Shown } from '../kit/shown';
import { Mark, STATUS_WORD } from '../kit/status';
import { fullTime, rowTime } from '../kit/time';
import s from './library.module.css';

export const LibraryRow = memo(function LibraryRow({
  row,
  index,
  selected,
  tabbable,
  onFocus,
}: {
  row: RunRow;
  index: number;
  selected: boolean;
  tabbable: boolean;
  onFocus: () => void;
}) {
  const [renaming, setRenaming] = useState(false);
  // The usual store goes without saying.
  const named = useLibrary((state) => state.store === undefined) && splitKey(row.id).store !== '';
  const busy = row.status === 'running' || row.status === 'waiting' || row.elsewhere;
  const title = row.title || 'Untitled';
  if (renaming) return <Rename row={row} onDone={() => setRenaming(false)} />;
  return (
    <div className={s['row']} data-selected={selected}>
      <button
        type="button"
        className={s['open']}
        data-run-row={index}
        tabIndex={tabbable ? 0 : -1}
        aria-current={selected ? 'page' : undefined}
        onFocus={onFocus}
        onClick={() => openRun(row.id)}
        onKeyDown={(event) => {
          if (event.key === 'F2') setRenaming(true);
        }}
      >
        <Mark of={row.status} />
        <span className={s['title']}>
          <Name text={title} />
        </span>
        <time dateTime={row.updated} title={fullTime(row.updated)}>
          {rowTime(row.updated)}
        </time>
        <span className={s['detail']}>
          {row.private && <EyeOff size="0.75rem" aria-label="Private" />}
          {row.elsewhere && <Users size="0.75rem" aria-label="Open elsewhere" />}
          <span>
            <span className={s['word']}>{STATUS_WORD[row.status]}</span>
            {row.detail && (
              <>
                {' · '}
                <Shown text={row.detail} />
              </>
            )}
          </span>
          {named && (
            <span className={s['place']}>
              <span className="sr">in </span>
              <Name text={row.store} />
            </span>
          )}
        </span>
      </button>
      <Menu
        label={`Actions for ${title}`}
        align="end"
        trigger={
          <IconButton
            size="s"
            className={s['more'] ?? ''}
            tabIndex={tabbable ? 0 : -1}
            label={`More for ${title}`}
            icon={<Ellipsis size="1rem" />}
          />
        }
      >
        <MenuItem icon={<ScrollText size="1rem" />} onSelect={() => openRun(row.id, 'transcript')}>
          Read the transcript
        </MenuItem>
        <MenuItem icon={<Pencil size="1rem" />} keys="F2" onSelect={() => setRenaming(true)}>
          Rename
        </MenuItem>
        {!row.private && (
          <MenuItem icon={<CopyPlus size="1rem" />} onSelect={() => copyOf(row)}>
            Copy to another store…
          </MenuItem>
        )}
        <MenuLine />
        <MenuItem
          icon={<Trash2 size="1rem" />}
          tone="bad"
          keys="delete"
          disabled={busy}
          hint={busy ? 'Not while it is being written' : undefined}
          onSelect={() => void deleteRun(row)}
        >
          {row.private ? 'Forget this private chat' : 'Delete'}
        </MenuItem>
      </Menu>
    </div>
  );
});

function Rename({ row, onDone }: { row: RunRow; onDone: () => void }) {
  const [text, setText] = useState(row.title);
  const done = (keep: boolean) => {
    if (keep && text.trim() !== row.title) void renameRun(row.id, text);
    onDone();
  };
  return (
    <div className={s['row']}>
      <input
        className={s['rename']}
        aria-label="Title"
        value={text}
        maxLength={300}
        autoFocus
        onFocus={(event) => event.target.select()}
        onChange={(event) => setText(event.target.value)}
        onBlur={() => done(true)}
        onKeyDown={(event) => {
          event.stopPropagation();
          if (event.key === 'Enter') done(true);
          if (event.key === 'Escape') done(false);
        }}
      />
    </div>
  );
}
