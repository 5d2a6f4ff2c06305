import { useId, useRef, useState, type ReactNode } from 'react';
import { Popover } from 'radix-ui';
import { Calendar, ChevronDown, Columns3, Pin, Search } from 'lucide-react';
import { folded } from '../../../shared/text/fold';
import type { RunStatus } from '../../../shared/contract/views';
import { clearFilters, isFiltered, setQuery, showColumn, useBrowse, type Query } from '../../store/browse';
import { Button, IconButton } from '../kit/button';
import { Menu, MenuItem, MenuLabel } from '../kit/menu';
import { count } from '../kit/numbers';
import { Name } from '../kit/shown';
import { Mark, STATUS_WORD } from '../kit/status';
import { WordsField } from '../kit/words-field';
import { ALL_COLUMNS, type Column } from './columns';
import s from './filters.module.css';

/** What the table shows: words, states, models, stores, tags, days, pinned ones. */
export function Filters({ shown }: { shown: readonly Column[] }) {
  const query = useBrowse((state) => state.query);
  const facets = useBrowse((state) => state.facets);
  const stores = useBrowse((state) => state.stores);
  const several = stores.length > 1;
  return (
    <div className={s['filters']} role="search" aria-label="Filter the runs">
      <Words />
      <Choices
        label="State"
        chosen={query.states ?? []}
        options={facets?.states ?? []}
        show={(value) => (
          <>
            <Mark of={value as RunStatus} /> {STATUS_WORD[value as RunStatus]}
          </>
        )}
        name={(value) => STATUS_WORD[value as RunStatus]}
        onChange={(states) => setQuery({ states: states as RunStatus[] })}
      />
      <Choices
        label="Model"
        chosen={query.models ?? []}
        options={facets?.models ?? []}
        onChange={(models) => setQuery({ models })}
      />
      {several && (
        <Choices
          label="Store"
          chosen={query.stores ?? []}
          options={facets?.stores ?? []}
          name={(value) => stores.find((one) => one.name === value)?.label ?? value}
          onChange={(names) => setQuery({ stores: names })}
        />
      )}
      <Choices
        label="Tag"
        chosen={query.tags ?? []}
        options={facets?.tags ?? []}
        none="No run has a tag yet. Choose some runs, then Tags."
        onChange={(tags) => setQuery({ tags })}
      />
      <Days query={query} />
      <button
        type="button"
        className={s['filter']}
        aria-pressed={query.pinned === true}
        data-on={query.pinned === true}
        onClick={() => setQuery({ pinned: query.pinned ? undefined : true })}
      >
        <Pin size="0.8125rem" aria-hidden="true" /> Pinned
      </button>
      {isFiltered(query) && (
        <Button size="s" look="quiet" onClick={clearFilters}>
          Clear filters
        </Button>
      )}
      <span className={s['push']} />
      <ColumnMenu shown={shown} />
    </div>
  );
}

function Words() {
  const words = useBrowse((state) => state.query.words ?? '');
  const [typed, setTyped] = useState(words);
  // Cleared from elsewhere.
  if (typed.trim() !== words) setTyped(words);
  const type = (text: string) => {
    setTyped(text);
    if (text.trim() !== words) setQuery({ words: text.trim() });
  };
  return (
    <label className={s['words']}>
      <Search size="0.875rem" aria-hidden="true" />
      <WordsField
        label="Words in the title"
        placeholder="Find by title"
        value={typed}
        rows="[data-browse-row]"
        className={s['words-field']}
        onChange={type}
      />
    </label>
  );
}

/** A button that opens a small layer with controls, within the part of the window that it belongs to. */
function Drop({
  label,
  value,
  icon,
  children,
}: {
  label: string;
  /** What is chosen, in a word or two; empty: nothing. */
  value: string;
  icon?: ReactNode;
  children: ReactNode;
}) {
  const button = useRef<HTMLButtonElement>(null);
  const [home, setHome] = useState<HTMLElement | null>(null);
  return (
    <Popover.Root
      onOpenChange={(open) => {
        if (open) setHome(button.current?.closest('main') ?? null);
      }}
    >
      <Popover.Trigger asChild>
        <button ref={button} type="button" className={s['filter']} data-on={value !== ''}>
          {icon}
          <span className={s['filter-name']}>{label}</span>
          {value !== '' && (
            <b>
              <span className="sr">: </span>
              <Name text={value} />
            </b>
          )}
          <ChevronDown size="0.75rem" aria-hidden="true" />
        </button>
      </Popover.Trigger>
      <Popover.Portal container={home}>
        <Popover.Content
          className={s['drop']}
          aria-label={label}
          align="start"
          sideOffset={4}
          collisionPadding={8}
        >
          {children}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

/** So many options can be looked through without a field to find one. */
const PLENTY = 12;

function Choices({
  label,
  chosen,
  options,
  onChange,
  show,
  name = (value) => value,
  none = 'There is nothing to choose from.',
}: {
  label: string;
  chosen: readonly string[];
  options: readonly { value: string; count: number }[];
  onChange: (chosen: string[]) => void;
  show?: (value: string) => ReactNode;
  name?: (value: string) => string;
  none?: string;
}) {
  const [find, setFind] = useState('');
  const wanted = folded(find.trim());
  const shown = options.filter(({ value }) => folded(name(value)).includes(wanted));
  const [first] = chosen;
  const value =
    first === undefined ? '' : chosen.length === 1 ? name(first) : `${name(first)} +${chosen.length - 1}`;
  return (
    <Drop label={label} value={value}>
      {options.length > PLENTY && (
        <input
          type="search"
          className={s['find']}
          aria-label={`Find a ${label.toLowerCase()}`}
          placeholder="Find…"
          value={find}
          onChange={(event) => setFind(event.target.value)}
        />
      )}
      {options.length === 0 && <p className={s['drop-none']}>{none}</p>}
      <ul className={s['options']} aria-label={label}>
        {shown.map((option) => (
          <li key={option.value}>
            <label>
              <input
                type="checkbox"
                checked={chosen.includes(option.value)}
                onChange={(event) =>
                  onChange(
                    event.target.checked
                      ? [...chosen, option.value]
                      : chosen.filter((value) => value !== option.value),
                  )
                }
              />
              <span className={s['option']}>
                {show ? show(option.value) : <Name text={name(option.value)} />}
              </span>
              <small>{count(option.count)}</small>
            </label>
          </li>
        ))}
      </ul>
      {chosen.length > 0 && (
        <Button size="s" look="ghost" onClick={() => onChange([])}>
          Show all
        </Button>
      )}
    </Drop>
  );
}

const two = (value: number) => String(value).padStart(2, '0');
const dayOf = (date: Date) => `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
const ago = (days: number) => {
  const now = new Date();
  return dayOf(new Date(now.getFullYear(), now.getMonth(), now.getDate() - days));
};
const PRESETS: [string, () => Pick<Query, 'from' | 'to'>][] = [
  ['Today', () => ({ from: ago(0), to: undefined })],
  ['Last 7 days', () => ({ from: ago(6), to: undefined })],
  ['Last 30 days', () => ({ from: ago(29), to: undefined })],
  ['This year', () => ({ from: `${new Date().getFullYear()}-01-01`, to: undefined })],
];

function Days({ query: { from, to } }: { query: Query }) {
  const ids = { from: useId(), to: useId() };
  const preset = PRESETS.find(([, range]) => range().from === from && to === undefined)?.[0];
  const value = preset ?? (from && to ? `${from} – ${to}` : from ? `from ${from}` : to ? `until ${to}` : '');
  const whole = (text: string) => (/^\d{4}-\d\d-\d\d$/.test(text) ? text : undefined);
  return (
    <Drop label="Changed" value={value} icon={<Calendar size="0.8125rem" aria-hidden="true" />}>
      <div className={s['presets']}>
        {PRESETS.map(([word, range]) => (
          <Button
            key={word}
            size="s"
            look={word === preset ? 'primary' : 'plain'}
            aria-pressed={word === preset}
            onClick={() => setQuery(word === preset ? { from: undefined, to: undefined } : range())}
          >
            {word}
          </Button>
        ))}
      </div>
      <div className={s['range']}>
        <label htmlFor={ids.from}>From</label>
        <input
          id={ids.from}
          type="date"
          value={from ?? ''}
          max={to}
          onChange={(event) => setQuery({ from: whole(event.target.value) })}
        />
        <label htmlFor={ids.to}>To</label>
        <input
          id={ids.to}
          type="date"
          value={to ?? ''}
          min={from}
          onChange={(event) => setQuery({ to: whole(event.target.value) })}
        />
      </div>
      {(from ?? to) !== undefined && (
        <Button size="s" look="ghost" onClick={() => setQuery({ from: undefined, to: undefined })}>
          Any day
        </Button>
      )}
    </Drop>
  );
}

function ColumnMenu({ shown }: { shown: readonly Column[] }) {
  const columns = useBrowse((state) => state.columns);
  return (
    <Menu
      label="Columns"
      align="end"
      trigger={<IconButton size="s" label="Columns" icon={<Columns3 size="1rem" />} />}
    >
      <MenuLabel>Columns</MenuLabel>
      {ALL_COLUMNS.map(({ id, label }) => {
        const wanted = columns.includes(id);
        return (
          <MenuItem
            key={id}
            stays
            checked={wanted}
            disabled={id === 'title'}
            hint={
              wanted && !shown.some((one) => one.id === id) ? 'Shown where the window is wider' : undefined
            }
            onSelect={() => showColumn(id, !wanted)}
          >
            {label}
          </MenuItem>
        );
      })}
    </Menu>
  );
}
