import { useEffect, useRef, useState } from 'react';
import { Command } from 'cmdk';
import { folded } from '../../../shared/text/fold';
import type { RunRow } from '../../../shared/contract/views';
import { call } from '../../client';
import { Search } from 'lucide-react';
import { openRun, show, useApp } from '../../store/app';
import { openSearch } from '../../store/search';
import { Dialog } from '../kit/dialog';
import { Keys } from '../kit/button';
import { Name } from '../kit/shown';
import { Mark, STATUS_WORD } from '../kit/status';
import { rowTime } from '../kit/time';
import { entriesFor } from './entries';
import s from './palette.module.css';

/** Items are told apart by these. */
const EVERYWHERE = 'search all text';
const valueOf = (row: RunRow) => `run ${row.id}`;

/** Everything that can be done and every run, by a few letters. */
export function Palette() {
  const [words, setWords] = useState('');
  const [found, setFound] = useState<{ words: string; rows: RunRow[] }>({ words: '', rows: [] });
  const run = useApp(({ place }) => (place.view === 'run' ? place.id : undefined));
  useEffect(() => {
    let live = true;
    const timer = window.setTimeout(
      () => {
        call('library.page', {
          offset: 0,
          limit: 20,
          ...(words.trim() && { words: words.trim().slice(0, 200) }),
        }).then(
          ({ rows }) => live && setFound({ words: words.trim(), rows }),
          () => undefined,
        );
      },
      words === '' ? 0 : 100,
    );
    return () => {
      live = false;
      window.clearTimeout(timer);
    };
  }, [words]);
  const field = useRef<HTMLInputElement>(null);
  // A dialog that opens gives the focus to the first thing that can have it, which is not the field.
  useEffect(() => field.current?.focus(), []);
  const close = () => show(undefined);
  const act = (run: () => void) => () => {
    close();
    run();
  };
  const wanted = folded(words.trim());
  const shown = entriesFor(run).filter((entry) => matches(entry.label, wanted));
  // Runs that were found for other words are not offered for these: who types fast and presses Enter would open one.
  const rows =
    found.words === words.trim() ? found.rows : found.rows.filter((row) => matches(row.title, wanted));
  const runs = wanted === '' ? rows.slice(0, 8) : rows;
  // What is called exactly so comes first.
  const named = shown.some((entry) => folded(entry.label).startsWith(wanted));
  const runsOf = wanted !== '' && runs.length > 0 && <Runs runs={runs} act={act} />;
  const commands = shown.map(({ label }) => label);
  const places = runs.map(valueOf);
  const all = [
    ...(named ? [...commands, ...places] : [...places, ...commands]),
    ...(wanted === '' ? [] : [EVERYWHERE]),
  ];
  // Enter takes the first of what is shown, also where that came late, until somebody goes to another.
  const [picked, setPicked] = useState<string>();
  const moving = useRef(false);
  const selected = picked !== undefined && all.includes(picked) ? picked : (all[0] ?? '');
  return (
    <Dialog label="Commands and runs" heading={false} place="top" onClose={close}>
      <Command
        shouldFilter={false}
        label="Commands and runs"
        className={s['palette']}
        loop
        value={selected}
        onValueChange={(value) => moving.current && setPicked(value)}
        onPointerMoveCapture={() => (moving.current = true)}
        onKeyDownCapture={({ key, ctrlKey }) => {
          if (ctrlKey || /^(Arrow|Home|End)/.test(key)) moving.current = true;
        }}
      >
        <Command.Input
          ref={field}
          className={s['input']}
          placeholder="What do you want to do? Or the title of a run…"
          value={words}
          onValueChange={(text) => {
            moving.current = false;
            setPicked(undefined);
            setWords(text);
          }}
        />
        <Command.List className={s['list']}>
          {!named && runsOf}
          {shown.length > 0 && (
            <Command.Group heading="Commands" className={s['group']}>
              {shown.map(({ label, icon: Icon, keys, run }) => (
                <Command.Item key={label} value={label} onSelect={act(run)} className={s['item']}>
                  <Icon size="1rem" aria-hidden="true" />
                  <span className={s['label']}>{label}</span>
                  {keys && <Keys keys={keys} />}
                </Command.Item>
              ))}
            </Command.Group>
          )}
          {named && runsOf}
          {wanted !== '' && (
            <Command.Group heading="Everywhere" className={s['group']}>
              <Command.Item
                value={EVERYWHERE}
                onSelect={act(() => openSearch(words.trim()))}
                className={s['item']}
              >
                <Search size="1rem" aria-hidden="true" />
                <span className={s['label']}>
                  Search all text for “<Name text={words.trim().slice(0, 100)} />”
                </span>
                <Keys keys="mod+shift+f" />
              </Command.Item>
            </Command.Group>
          )}
          {wanted === '' && runs.length > 0 && <Runs runs={runs} act={act} />}
        </Command.List>
      </Command>
    </Dialog>
  );
}

function Runs({ runs, act }: { runs: readonly RunRow[]; act: (run: () => void) => () => void }) {
  return (
    <Command.Group heading="Runs" className={s['group']}>
      {runs.map((row) => (
        <Command.Item
          key={row.id}
          value={valueOf(row)}
          onSelect={act(() => openRun(row.id))}
          className={s['item']}
        >
          <Mark of={row.status} />
          <span className={s['label']}>
            <Name text={row.title || 'Untitled'} />
          </span>
          <small>
            {STATUS_WORD[row.status]} · {rowTime(row.updated)}
          </small>
        </Command.Item>
      ))}
    </Command.Group>
  );
}

/** All letters in their order, words by their beginnings first. */
function matches(label: string, wanted: string): boolean {
  if (wanted === '') return true;
  const text = folded(label);
  return wanted.split(/\s+/).every((word) => text.includes(word));
}
