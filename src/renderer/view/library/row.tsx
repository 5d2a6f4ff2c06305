import { memo, useEffect, useEffectEvent, useState } from 'react';
import { Ellipsis, EyeOff, Pin, Users } from 'lucide-react';
import { splitKey } from '../../../shared/contract/run-key';
import type { RunRow } from '../../../shared/contract/views';
import { openRun } from '../../store/app';
import { useLibrary } from '../../store/library';
import { IconButton } from '../kit/button';
import { Menu, MenuHere } from '../kit/menu';
import { Alert } from '../kit/alert';
import { Name, Shown } from '../kit/shown';
import { Mark, STATUS_WORD } from '../kit/status';
import { fullTime, rowTime } from '../kit/time';
import { Rename } from './rename';
import { RowActions } from './row-menu';
import { Tags } from './tags';
import s from './library.module.css';

export const LibraryRow = memo(function LibraryRow({
  row,
  index,
  selected,
  tabbable,
  onFocus,
  onShown,
}: {
  row: RunRow;
  index: number;
  selected: boolean;
  tabbable: boolean;
  onFocus: () => void;
  /** It is in the page now, and may be waited for. */
  onShown: () => void;
}) {
  const [renaming, setRenaming] = useState(false);
  const shown = useEffectEvent(onShown);
  useEffect(() => shown(), []);
  // The usual store goes without saying.
  const named = useLibrary((state) => state.store === undefined) && splitKey(row.id).store !== '';
  const title = row.title || 'Untitled';
  if (renaming)
    return (
      <div className={s['row']}>
        <Rename id={row.id} title={row.title} className={s['rename']} onDone={() => setRenaming(false)} />
      </div>
    );
  const actions = <RowActions row={row} onRename={() => setRenaming(true)} />;
  return (
    <MenuHere label={`Actions for ${title}`} entries={actions}>
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
            if (event.key === 'F2' && !row.private) setRenaming(true);
          }}
        >
          <Mark of={row.status} />
          <span className={s['title']}>
            {row.pinned && <Pin size="0.75rem" className={s['pin']} aria-label="Pinned" />}
            <Name text={title} />
          </span>
          <time dateTime={row.updated} title={fullTime(row.updated)}>
            {rowTime(row.updated)}
          </time>
          <span className={s['detail']}>
            {row.private && <EyeOff size="0.75rem" aria-label="Private" />}
            {row.elsewhere && <Users size="0.75rem" aria-label="Open elsewhere" />}
            <Alert of={row.warnings} size="0.75rem" />
            <span>
              <span className={s['word']}>
                {STATUS_WORD[row.status]}
                {row.done && ', done'}
              </span>
              {row.detail && (
                <>
                  {' · '}
                  <Shown text={row.detail} />
                </>
              )}
            </span>
            <Tags tags={row.tags} most={1} />
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
          {actions}
        </Menu>
      </div>
    </MenuHere>
  );
});
