import { useEffect, useState } from 'react';
import { Command } from 'cmdk';
import {
  Cpu,
  Database,
  Eye,
  Keyboard,
  MessageSquarePlus,
  Monitor,
  Moon,
  PanelLeft,
  Search,
  Sun,
  ZoomIn,
  ZoomOut,
} from 'lucide-react';
import type { RunRow } from '../../../shared/contract/views';
import { call } from '../../client';
import { go, openRun, setTheme, show, stepZoom, useApp } from '../../store/app';
import { startFind } from '../../store/reading';
import { toggleLibrary } from '../keyboard';
import { Dialog } from '../kit/dialog';
import { Keys } from '../kit/button';
import { Name } from '../kit/shown';
import { Mark, STATUS_WORD } from '../kit/status';
import { rowTime } from '../kit/time';
import s from './palette.module.css';

interface Entry {
  label: string;
  icon: typeof Sun;
  keys?: string;
  run: () => void;
}

/** Everything that can be done and every run, by a few letters. */
export function Palette() {
  const [words, setWords] = useState('');
  const [runs, setRuns] = useState<RunRow[]>([]);
  const inRun = useApp((state) => state.place.view === 'run');
  useEffect(() => {
    let live = true;
    const timer = window.setTimeout(
      () => {
        call('library.page', {
          offset: 0,
          limit: 20,
          ...(words.trim() && { words: words.trim().slice(0, 200) }),
        }).then(
          ({ rows }) => live && setRuns(rows),
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
  const close = () => show(undefined);
  const act = (run: () => void) => () => {
    close();
    run();
  };
  const entries: Entry[] = [
    { label: 'New chat', icon: MessageSquarePlus, keys: 'mod+n', run: () => go({ view: 'new' }) },
    ...(inRun ? [{ label: 'Find in this run', icon: Search, keys: 'mod+f', run: startFind }] : []),
    ...(inRun ? [{ label: 'Read the transcript of this run', icon: Eye, run: readTranscript }] : []),
    { label: 'Profiles', icon: Cpu, keys: 'mod+,', run: () => go({ view: 'profiles' }) },
    { label: 'Stores', icon: Database, run: () => go({ view: 'stores' }) },
    { label: 'Show or hide the library', icon: PanelLeft, keys: 'mod+b', run: toggleLibrary },
    { label: 'Keyboard shortcuts', icon: Keyboard, keys: 'mod+/', run: () => show('shortcuts') },
    { label: 'Theme: like the system', icon: Monitor, run: () => setTheme('system') },
    { label: 'Theme: light', icon: Sun, run: () => setTheme('light') },
    { label: 'Theme: dark', icon: Moon, run: () => setTheme('dark') },
    { label: 'Larger', icon: ZoomIn, keys: 'mod+=', run: () => stepZoom(1) },
    { label: 'Smaller', icon: ZoomOut, keys: 'mod+-', run: () => stepZoom(-1) },
    { label: 'Normal size', icon: ZoomIn, keys: 'mod+0', run: () => stepZoom(0) },
  ];
  const wanted = words.trim().toLowerCase();
  const shown = entries.filter((entry) => matches(entry.label, wanted));
  return (
    <Dialog label="Commands and runs" heading={false} place="top" onClose={close}>
      <Command shouldFilter={false} label="Commands and runs" className={s['palette']} loop>
        <Command.Input
          autoFocus
          className={s['input']}
          placeholder="What do you want to do? Or the title of a run…"
          value={words}
          onValueChange={setWords}
        />
        <Command.List className={s['list']}>
          {shown.length === 0 && runs.length === 0 && <p className={s['none']}>Nothing is called that.</p>}
          {wanted !== '' && runs.length > 0 && <Runs runs={runs} act={act} />}
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
          {wanted === '' && runs.length > 0 && <Runs runs={runs.slice(0, 8)} act={act} />}
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
          value={`run ${row.id}`}
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

function readTranscript(): void {
  const { place } = useApp.getState();
  if (place.view === 'run') openRun(place.id, 'transcript');
}

/** All letters in their order, words by their beginnings first. */
function matches(label: string, wanted: string): boolean {
  if (wanted === '') return true;
  const text = label.toLowerCase();
  return wanted.split(/\s+/).every((word) => text.includes(word));
}
