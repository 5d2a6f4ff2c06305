import { memo, useEffect, useEffectEvent, useState } from 'react';
import { Ellipsis, EyeOff, Pin, Users } from 'lucide-react';
import type { RunRow } from '../../../shared/contract/views';
import { spentOf, tokensOf } from '../../../shared/run/tokens';
import { openRun } from '../../store/app';
import { choose, chooseTo, useBrowse } from '../../store/browse';
import { renameRun } from '../../store/runs';
import { IconButton } from '../kit/button';
import { isMac } from '../kit/keys';
import { Menu } from '../kit/menu';
import { count, short } from '../kit/numbers';
import { Name, Shown } from '../kit/shown';
import { Mark, STATUS_WORD } from '../kit/status';
import { fullTime, tableTime } from '../kit/time';
import { RowActions } from '../library/row-menu';
import { Tags } from '../library/tags';
import type { Column } from './columns';
import { Check } from './table';
import s from './browse.module.css';

export const TableRow = memo(function TableRow({
  row,
  index,
  columns,
  chosen,
  tabbable,
  renaming,
  onFocus,
  onShown,
  onRename,
}: {
  row: RunRow;
  index: number;
  columns: readonly Column[];
  chosen: boolean;
  tabbable: boolean;
  renaming: boolean;
  onFocus: () => void;
  /** It is in the page now, and may be waited for. */
  onShown: () => void;
  onRename: (on: boolean) => void;
}) {
  const title = row.title || 'Untitled';
  const shown = useEffectEvent(onShown);
  useEffect(() => shown(), []);
  const pick = (event: React.MouseEvent, alone: 'only' | 'toggle') => {
    if (event.shiftKey && useBrowse.getState().chosen.size > 0) void chooseTo(index);
    else choose(index, (isMac ? event.metaKey : event.ctrlKey) ? 'toggle' : alone);
  };
  return (
    <div
      role="row"
      className={s['row']}
      aria-rowindex={index + 2}
      aria-selected={chosen}
      data-browse-row={index}
      tabIndex={tabbable ? 0 : -1}
      onFocus={onFocus}
      onClick={(event) => {
        if ((event.target as HTMLElement).closest('button, input, [role="menu"]')) return;
        pick(event, 'only');
      }}
      onDoubleClick={(event) => {
        if (!(event.target as HTMLElement).closest('button, input, [role="menu"]')) openRun(row.id);
      }}
      onContextMenu={(event) => {
        if ((event.target as HTMLElement).closest('input, [role="menu"]')) return;
        event.preventDefault();
        // A menu button opens on a press; a key is the press that needs no place.
        const more = event.currentTarget.querySelector<HTMLElement>('[aria-haspopup="menu"]');
        more?.focus();
        more?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
      }}
      onMouseDown={(event) => {
        // A range is chosen, not the text within it.
        if (event.shiftKey) event.preventDefault();
      }}
    >
      <span role="gridcell">
        <Check
          label={`Select ${title}`}
          checked={chosen}
          onChange={() => undefined}
          onClick={(event) => pick(event, 'toggle')}
        />
      </span>
      {columns.map(({ id, number }) => (
        <span key={id} role="gridcell" className={s[id]} data-number={number}>
          {id === 'title' && renaming ? (
            <Rename row={row} onDone={() => onRename(false)} />
          ) : (
            <Cell column={id} row={row} title={title} />
          )}
        </span>
      ))}
      <span role="gridcell">
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
          <RowActions row={row} open onRename={() => onRename(true)} />
        </Menu>
      </span>
    </div>
  );
});

function Cell({ column, row, title }: { column: Column['id']; row: RunRow; title: string }) {
  const { counters } = row;
  switch (column) {
    case 'title':
      return (
        <>
          {row.pinned && <Pin size="0.8125rem" className={s['pin']} aria-label="Pinned" />}
          {row.private && <EyeOff size="0.8125rem" aria-label="Private" />}
          {row.elsewhere && <Users size="0.8125rem" aria-label="Open elsewhere" />}
          <button type="button" tabIndex={-1} className={s['open']} onClick={() => openRun(row.id)}>
            <Name text={title} />
          </button>
          <Tags tags={row.tags} />
        </>
      );
    case 'status':
      return (
        <span className={s['state']} title={row.detail}>
          <Mark of={row.status} />
          <span>{STATUS_WORD[row.status]}</span>
        </span>
      );
    case 'model':
      return row.model ? <Shown text={row.model} /> : <None />;
    case 'store':
      return <Name text={row.store} />;
    case 'steps':
      return row.steps === undefined ? <None /> : count(row.steps);
    case 'tokens':
      return counters ? short(tokensOf(spentOf(counters)).all) : <None />;
    case 'updated':
      return <When at={row.updated} />;
    case 'created':
      return row.created === undefined ? <None /> : <When at={row.created} />;
  }
}

const When = ({ at }: { at: string }) => (
  <time dateTime={at} title={fullTime(at)}>
    {tableTime(at)}
  </time>
);

const None = () => (
  <>
    <span aria-hidden="true">–</span>
    <span className="sr">Not known</span>
  </>
);

function Rename({ row, onDone }: { row: RunRow; onDone: () => void }) {
  const [text, setText] = useState(row.title);
  const [over, setOver] = useState(false);
  const done = (keep: boolean) => {
    if (over) return;
    setOver(true);
    if (keep && text.trim() !== row.title) void renameRun(row.id, text);
    onDone();
  };
  return (
    <input
      type="text"
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
  );
}
