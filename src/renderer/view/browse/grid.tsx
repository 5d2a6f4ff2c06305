import { useEffect, useEffectEvent, useRef, type ReactNode } from 'react';
import type { GroupedVirtuosoHandle } from 'react-virtuoso';
import type { Choice } from '../../store/choice';
import { isMac, pressed } from '../kit/keys';
import { many } from '../kit/numbers';
import { placeBy, useActiveRow, type Rows } from '../library/active-row';
import s from './browse.module.css';

/** A long list of runs with a check box each: the table of all runs and the trash. */

export const rowAt = (index: number) => `[data-browse-row="${index}"]`;

interface Grid<Row> {
  /** What the list is asked for: another text is another list. */
  asked: string;
  rows: Rows<Row>;
  total: number;
  chosen: ReadonlySet<string>;
  choice: Choice;
  /** What other keys do with the row that they act on; whether they did. */
  act: (key: string, row: Row) => boolean;
}

/**
 * One stop of the Tab key: arrows move, Space chooses, Shift extends; what else a row has belongs to the one that has
 * the focus.
 */
export function useGrid<Row extends { id: string }>({ asked, rows, total, chosen, choice, act }: Grid<Row>) {
  const list = useRef<GroupedVirtuosoHandle>(null);
  const box = useRef<HTMLDivElement>(null);
  const row = useActiveRow({ asked, rows, total, list, box, rowAt });
  const { active, move } = row;
  const onKeyDown = (event: React.KeyboardEvent) => {
    const target = event.target as HTMLElement;
    if (target.closest('[role="menu"], input[type="text"]')) return;
    if (pressed(event, 'mod+a')) {
      event.preventDefault();
      void choice.all();
      return;
    }
    if (event.key === 'Escape' && chosen.size > 0) {
      event.preventDefault();
      choice.none();
      return;
    }
    const onRow = target.hasAttribute('data-browse-row') || target === event.currentTarget;
    if (!onRow || event.altKey || event.ctrlKey || event.metaKey) return;
    const to = placeBy(event.key, active, total);
    if (to !== undefined) {
      event.preventDefault();
      if (event.shiftKey && chosen.size === 0) choice.one(active, 'only');
      const next = move(to);
      if (event.shiftKey) void choice.to(next);
      return;
    }
    const held = rows[active];
    if (!held) return;
    if (event.key === ' ') choice.one(active, 'toggle');
    else if (!act(event.key, held)) return;
    event.preventDefault();
  };
  return { ...row, list, box, onKeyDown };
}

/** Chooses all of a list, or none. */
export function CheckAll({
  chosen,
  total,
  choice,
}: {
  chosen: ReadonlySet<string>;
  total: number;
  choice: Choice;
}) {
  const all = chosen.size > 0 && chosen.size >= total;
  return (
    <Check
      label={all ? 'Select none' : `Select all ${many(total, 'run')}`}
      checked={all}
      some={chosen.size > 0 && !all}
      onChange={() => (all ? choice.none() : void choice.all())}
    />
  );
}

interface GridRowProps {
  index: number;
  title: string;
  className: string | undefined;
  chosen: boolean;
  /** Whether anything is chosen that a range could go on from. */
  some: () => boolean;
  choice: Choice;
  tabbable: boolean;
  onFocus: () => void;
  /** It is in the page now, and may be waited for. */
  onShown: () => void;
  onOpen?: () => void;
  children: ReactNode;
}

/** A row that is chosen by a press anywhere on it, several with the keys that a system has for that. */
export function GridRow({
  index,
  title,
  className,
  chosen,
  some,
  choice,
  tabbable,
  onFocus,
  onShown,
  onOpen,
  children,
}: GridRowProps) {
  const shown = useEffectEvent(onShown);
  useEffect(() => shown(), []);
  const pick = (event: React.MouseEvent, alone: 'only' | 'toggle') => {
    if (event.shiftKey && some()) void choice.to(index);
    else choice.one(index, (isMac ? event.metaKey : event.ctrlKey) ? 'toggle' : alone);
  };
  const onControl = (event: React.MouseEvent) =>
    (event.target as HTMLElement).closest('button, input, [role="menu"]') !== null;
  return (
    <div
      role="row"
      className={className}
      aria-rowindex={index + 2}
      aria-selected={chosen}
      data-browse-row={index}
      tabIndex={tabbable ? 0 : -1}
      onFocus={onFocus}
      onClick={(event) => {
        if (!onControl(event)) pick(event, 'only');
      }}
      onDoubleClick={(event) => {
        if (!onControl(event)) onOpen?.();
      }}
      onContextMenu={(event) => {
        if ((event.target as HTMLElement).closest('input, [role="menu"]')) return;
        const more = event.currentTarget.querySelector<HTMLElement>('[aria-haspopup="menu"]');
        if (!more) return;
        event.preventDefault();
        // A menu button opens on a press; a key is the press that needs no place.
        more.focus();
        more.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
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
      {children}
    </div>
  );
}

/** The place of a row that is on its way. */
export const Ghost = ({ index }: { index: number }) => (
  <div role="row" aria-rowindex={index + 2} className={s['ghost']}>
    <span role="gridcell">
      <span className="sr">Loading</span>
    </span>
  </div>
);

/** A check box that can also stand between on and off. */
function Check({
  label,
  checked,
  some = false,
  onChange,
  onClick,
}: {
  label: string;
  checked: boolean;
  some?: boolean;
  onChange: () => void;
  onClick?: (event: React.MouseEvent) => void;
}) {
  const ref = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (ref.current) ref.current.indeterminate = some;
  });
  return (
    <input
      ref={ref}
      type="checkbox"
      className={s['check']}
      aria-label={label}
      title={label}
      tabIndex={onClick ? -1 : 0}
      checked={checked}
      onChange={onChange}
      onClick={onClick}
    />
  );
}

/** The grid is reached by its rows: what scrolls them is neither a stop nor a part of it. */
export const Scroller = ({ ref, ...rest }: React.ComponentProps<'div'> & { context?: unknown }) => {
  const { context: _, tabIndex: __, ...props } = rest;
  return <div {...props} ref={ref} />;
};
