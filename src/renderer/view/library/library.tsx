import {
  Cpu,
  Database,
  HardDrive,
  History,
  Keyboard,
  Monitor,
  Moon,
  PanelLeftClose,
  Plus,
  Search,
  Settings2,
  ShieldAlert,
  ShieldCheck,
  Sun,
  Table2,
  TextSearch,
  Trash2,
  Upload,
  WrapText,
  X,
} from 'lucide-react';
import { go, importRuns, setBreaks, setTheme, show, useApp, type Theme } from '../../store/app';
import { refreshLibrary, setFilter, useLibrary, type Filter } from '../../store/library';
import { openSearch } from '../../store/search';
import { Button, IconButton, Tip } from '../kit/button';
import { FailureNote } from '../kit/failure';
import { Menu, MenuItem, MenuLabel, MenuLine } from '../kit/menu';
import { count, many } from '../kit/numbers';
import { Name } from '../kit/shown';
import { Brand } from './brand';
import { Runs } from './runs';
import { AwayStores, StoreFilter } from './shelves';
import { stateWords } from '../stores/state';
import { WordsField } from '../kit/words-field';
import chips from '../kit/chips.module.css';
import s from './library.module.css';

/** Every run, newest first. */
export function Library() {
  const selected = useApp((state) => (state.place.view === 'run' ? state.place.id : undefined));
  const narrow = useApp((state) => state.narrow);
  return (
    <nav className={s['library']} aria-label="Library">
      <div className={s['top']}>
        <Brand />
        <IconButton
          label={narrow ? 'Close the library' : 'Hide the library'}
          keys="mod+b"
          icon={narrow ? <X size="1.0625rem" /> : <PanelLeftClose size="1.0625rem" />}
          onClick={() => useApp.setState(narrow ? { drawer: false } : { folded: true })}
        />
      </div>
      <div className={s['tools']}>
        <Button className={s['new'] ?? ''} icon={<Plus size="1rem" />} onClick={() => go({ view: 'new' })}>
          New chat
        </Button>
        <IconButton
          label="Commands and runs"
          keys="mod+k"
          className={s['palette'] ?? ''}
          icon={<Search size="1.0625rem" />}
          onClick={() => show('palette')}
        />
      </div>
      <Places />
      <Filters />
      <AwayStores />
      <List selected={selected} />
      <Foot />
    </nav>
  );
}

/** The ways to all runs that are wider than this list. */
function Places() {
  const view = useApp((state) => state.place.view);
  const all = useLibrary((state) => state.all);
  return (
    <ul className={s['places']}>
      <li>
        <button
          type="button"
          aria-current={view === 'browse' ? 'page' : undefined}
          onClick={() => go({ view: 'browse' })}
        >
          <Table2 size="1rem" aria-hidden="true" />
          <span>All runs</span>
          {all > 0 && <small>{count(all)}</small>}
        </button>
      </li>
      <li>
        <button
          type="button"
          aria-current={view === 'search' ? 'page' : undefined}
          onClick={() => openSearch()}
        >
          <TextSearch size="1rem" aria-hidden="true" />
          <span>Search all text</span>
        </button>
      </li>
    </ul>
  );
}

const FILTER_WORDS: [Filter, string][] = [
  ['all', 'All'],
  ['needs_you', 'Needs you'],
  ['running', 'Running'],
];

function Filters() {
  const { filter, words, counts, all } = useLibrary();
  const number = (one: Filter) =>
    one === 'all' ? 0 : one === 'running' ? sum(counts, ['running', 'waiting']) : (counts['needs_you'] ?? 0);
  return (
    <div className={s['filters']}>
      {(all > 6 || words !== '') && (
        <div className={s['words']}>
          <WordsField
            label="Filter by title"
            placeholder="Filter by title"
            value={words}
            rows="[data-run-row]"
            onChange={(value) => setFilter({ words: value })}
          />
          {words.trim() !== '' && (
            <button type="button" onClick={() => openSearch(words.trim())}>
              <TextSearch size="0.875rem" aria-hidden="true" />
              <span>
                Search all text for “<Name text={words.trim()} />”
              </span>
            </button>
          )}
        </div>
      )}
      <div className={`${chips['chips']} ${s['chips']}`} role="group" aria-label="Show">
        {FILTER_WORDS.map(([one, word]) => (
          <button
            key={one}
            type="button"
            aria-pressed={filter === one}
            onClick={() => setFilter({ filter: one })}
          >
            {word}
            {number(one) > 0 && <span> {count(number(one))}</span>}
          </button>
        ))}
      </div>
      <StoreFilter />
    </div>
  );
}

const sum = (counts: Record<string, number>, keys: string[]) =>
  keys.reduce((all, key) => all + (counts[key] ?? 0), 0);

function List({ selected }: { selected: string | undefined }) {
  const { rows, total, all, ready, failure, filter, words } = useLibrary();

  if (failure && rows.length === 0) {
    return (
      <div className={s['hold']}>
        <FailureNote
          failure={failure}
          actions={
            <Button size="s" onClick={refreshLibrary}>
              Try again
            </Button>
          }
        />
      </div>
    );
  }
  if (ready && total === 0) {
    return (
      <div className={s['nothing']}>
        {all === 0 ? (
          <p>Your runs will be here. Each one is kept from its first word on.</p>
        ) : (
          <>
            <p>
              {words
                ? 'No title has these words.'
                : filter === 'running'
                  ? 'Nothing is running.'
                  : filter === 'needs_you'
                    ? 'Nothing needs you now.'
                    : 'No run is in this store.'}
            </p>
            <Button size="s" onClick={() => setFilter({ filter: 'all', words: '', store: undefined })}>
              Show all {many(all, 'run')}
            </Button>
          </>
        )}
      </div>
    );
  }

  return <Runs selected={selected} />;
}

const THEMES: [Theme, string, typeof Sun][] = [
  ['system', 'Like the system', Monitor],
  ['light', 'Light', Sun],
  ['dark', 'Dark', Moon],
];

function Foot() {
  const hello = useApp((state) => state.hello);
  const theme = useApp((state) => state.theme);
  const breaks = useApp((state) => state.breaks);
  const all = useLibrary((state) => state.all);
  const trashed = useLibrary((state) => state.trashed);
  const stores = useLibrary((state) => state.stores);
  const each = stores.map(
    (one) =>
      `${one.label}: ${one.state === 'ok' ? many(one.count, 'run') : stateWords(one.state, one.reason)}`,
  );
  return (
    <footer className={s['foot']}>
      <Tip
        side="top"
        text={
          hello
            ? stores.length > 1
              ? each.join('\n')
              : [hello.store.durability, hello.store.url, hello.store.caution].filter(Boolean).join('\n')
            : 'Not connected'
        }
      >
        <span className={s['store']} tabIndex={0} data-caution={hello?.store.caution !== undefined}>
          {hello?.store.caution ? (
            <ShieldAlert size="0.875rem" aria-hidden="true" />
          ) : (
            <HardDrive size="0.875rem" aria-hidden="true" />
          )}
          <span>
            {stores.length > 1 ? many(stores.length, 'store') : (hello?.store.label ?? 'Not connected')}
            {hello && ` · ${many(all, 'run')}`}
          </span>
        </span>
      </Tip>
      <Menu
        label="Settings"
        align="end"
        side="top"
        trigger={<IconButton label="Settings" side="top" icon={<Settings2 size="1.0625rem" />} />}
      >
        <MenuItem icon={<Cpu size="1rem" />} keys="mod+," onSelect={() => go({ view: 'profiles' })}>
          Models and keys
        </MenuItem>
        <MenuItem icon={<Database size="1rem" />} onSelect={() => go({ view: 'stores' })}>
          Stores
        </MenuItem>
        <MenuItem icon={<ShieldCheck size="1rem" />} onSelect={() => go({ view: 'permissions' })}>
          Permissions
        </MenuItem>
        <MenuItem icon={<History size="1rem" />} onSelect={() => show('versions')}>
          Earlier prompts and tools…
        </MenuItem>
        <MenuItem icon={<Upload size="1rem" />} onSelect={() => importRuns()}>
          Import runs…
        </MenuItem>
        <MenuItem
          icon={<Trash2 size="1rem" />}
          hint={trashed > 0 ? many(trashed, 'run') : undefined}
          onSelect={() => go({ view: 'browse', trash: true })}
        >
          Trash
        </MenuItem>
        <MenuLine />
        <MenuItem icon={<Keyboard size="1rem" />} keys="mod+/" onSelect={() => show('shortcuts')}>
          Keyboard shortcuts
        </MenuItem>
        <MenuLine />
        <MenuLabel>Theme</MenuLabel>
        {THEMES.map(([one, word, Icon]) => (
          <MenuItem
            key={one}
            checked={theme === one}
            icon={<Icon size="1rem" />}
            onSelect={() => setTheme(one)}
          >
            {word}
          </MenuItem>
        ))}
        <MenuLine />
        <MenuLabel>Answers</MenuLabel>
        <MenuItem checked={breaks} icon={<WrapText size="1rem" />} onSelect={() => setBreaks(!breaks)}>
          Keep single line breaks
        </MenuItem>
        {hello && (
          <>
            <MenuLine />
            <MenuLabel>Holdfast {hello.version}</MenuLabel>
          </>
        )}
      </Menu>
    </footer>
  );
}
