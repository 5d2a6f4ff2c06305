import { useEffect, useRef } from 'react';
import { ChevronDown, Database, ListFilter, Search as Glass, X } from 'lucide-react';
import { useLibrary } from '../../store/library';
import {
  closeSearch,
  loadSearchStatus,
  searchAgain,
  setScope,
  setWords,
  takeWords,
  useSearch,
} from '../../store/search';
import { LibraryButton } from '../chat/header';
import chat from '../chat/chat.module.css';
import { Button, IconButton } from '../kit/button';
import { FailureNote } from '../kit/failure';
import { Menu, MenuItem } from '../kit/menu';
import { Name } from '../kit/shown';
import { Building, Left, NothingFound, Start } from './states';
import { focusHit, openHit, Results } from './results';
import { PART, PARTS } from './parts';
import chips from '../kit/chips.module.css';
import s from './search.module.css';

/** Looks for words in everything that was said, thought, run and answered. */
export function Search({ words }: { words: string }) {
  useEffect(() => takeWords(words), [words]);
  useEffect(loadSearchStatus, []);
  return (
    <>
      <header className={chat['header']}>
        <LibraryButton />
        <h1 className="sr">Search</h1>
        <Field />
      </header>
      <Scope />
      <Building />
      <Left />
      <Found />
    </>
  );
}

function Field() {
  const { words, focus } = useSearch();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, [focus]);
  return (
    <search className={s['field']}>
      <Glass size="1.0625rem" aria-hidden="true" />
      <input
        ref={field}
        type="text"
        enterKeyHint="search"
        spellCheck={false}
        autoComplete="off"
        aria-label="Search all text"
        placeholder="Search all text"
        data-search-field
        value={words}
        onChange={(event) => setWords(event.target.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          if (event.key === 'ArrowDown') {
            event.preventDefault();
            focusHit(0);
          }
          if (event.key === 'Enter') {
            const { hits, shownFor } = useSearch.getState();
            const [first] = hits;
            if (first && shownFor === words) openHit(first, 0);
          }
          if (event.key === 'Escape') {
            event.preventDefault();
            closeSearch();
          }
        }}
      />
      {words !== '' && (
        <IconButton
          size="s"
          label="Clear"
          icon={<X size="1rem" />}
          onClick={() => {
            setWords('');
            field.current?.focus();
          }}
        />
      )}
    </search>
  );
}

/** Where it is looked for: in which kinds of text, in which stores. */
function Scope() {
  const { parts, store, words } = useSearch();
  const stores = useLibrary((state) => state.stores);
  const chosen = stores.find((one) => one.name === store);
  const [only] = parts;
  return (
    <div className={s['scope']}>
      <div className={`${chips['chips']} ${s['chips']}`} role="group" aria-label="Kinds of text">
        <button type="button" aria-pressed={parts.length === 0} onClick={() => setScope({ parts: [] })}>
          Everything
        </button>
        {PARTS.filter((part) => part !== 'end').map((part) => (
          <button
            key={part}
            type="button"
            aria-pressed={parts.includes(part)}
            onClick={() => setScope({ parts: only === part ? [] : [part] })}
          >
            {PART[part].many}
          </button>
        ))}
      </div>
      {stores.length > 1 && (
        <Menu
          label="Stores"
          align="end"
          trigger={
            <Button
              size="s"
              look="ghost"
              icon={<Database size="0.8125rem" />}
              aria-label={`Store: ${chosen?.label ?? 'All stores'}`}
            >
              {chosen ? <Name text={chosen.label} /> : 'All stores'}{' '}
              <ChevronDown size="0.75rem" aria-hidden="true" />
            </Button>
          }
        >
          <MenuItem checked={!chosen} onSelect={() => setScope({ store: undefined })}>
            All stores
          </MenuItem>
          {stores.map((one) => (
            <MenuItem
              key={one.name}
              checked={one.name === store}
              onSelect={() => setScope({ store: one.name })}
            >
              <Name text={one.label} />
            </MenuItem>
          ))}
        </Menu>
      )}
      {words.trim() !== '' && (parts.length > 0 || store !== undefined) && (
        <Button
          size="s"
          look="quiet"
          icon={<ListFilter size="0.8125rem" />}
          onClick={() => setScope({ parts: [], store: undefined })}
        >
          Clear filters
        </Button>
      )}
    </div>
  );
}

function Found() {
  const { words, shownFor, hits, searching, failure, empty, next } = useSearch();
  if (words.trim() === '') return <Start />;
  if (failure && hits.length === 0) {
    return (
      <div className={s['hold']}>
        <FailureNote
          title="The search did not work"
          failure={failure}
          actions={
            <Button size="s" onClick={searchAgain}>
              Search again
            </Button>
          }
        />
      </div>
    );
  }
  if (hits.length > 0) return <Results />;
  if (shownFor !== words || (searching && next !== undefined)) {
    return (
      <p className={s['wait']} role="status">
        Searching…
      </p>
    );
  }
  return <NothingFound empty={empty} />;
}
