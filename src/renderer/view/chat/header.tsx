import { useState } from 'react';
import {
  Columns2,
  Copy,
  Download,
  Ellipsis,
  FolderClosed,
  GitFork,
  Menu as MenuIcon,
  PanelLeft,
  Pause,
  Pencil,
  ScanSearch,
  Search,
  Square,
  TriangleAlert,
  Trash2,
  CopyPlus,
  EyeOff,
} from 'lucide-react';
import type { RunHead } from '../../../shared/contract/views';
import { call } from '../../client';
import { copyOf, exportOf, go, openRun, toastFailure, useApp, type Place } from '../../store/app';
import { deleteRun } from '../../store/runs';
import { compareWith, continueHere, forkOf } from '../../store/moving';
import { inspect, startFind } from '../../store/reading';
import { pausing } from '../../store/run';
import { Button, IconButton, Tip } from '../kit/button';
import { Menu, MenuItem, MenuLine } from '../kit/menu';
import { baseName, tilde } from '../kit/paths';
import { count, many } from '../kit/numbers';
import { Name } from '../kit/shown';
import { StatusBadge, STATUS_WORD } from '../kit/status';
import { fullTime, rowTime } from '../kit/time';
import { plainVisible } from '../kit/visible';
import { Rename } from '../library/rename';
import { useReadOnly } from '../moving/continue-here';
import { ModelMenu } from './model-menu';
import { isDamaged, needsResume } from './state';
import s from './chat.module.css';

/** Shows the library where it is hidden. */
export function LibraryButton() {
  const { narrow, folded } = useApp();
  if (!narrow && !folded) return null;
  return (
    <IconButton
      label="Show the library"
      keys="mod+b"
      icon={narrow ? <MenuIcon size="1.125rem" /> : <PanelLeft size="1.125rem" />}
      onClick={() => useApp.setState(narrow ? { drawer: true } : { folded: false })}
    />
  );
}

export function RunHeader({ head, pane }: { head: RunHead; pane: Extract<Place, { view: 'run' }>['pane'] }) {
  const { row } = head;
  const [renaming, setRenaming] = useState(false);
  const active =
    head.mode === 'live' && head.phase !== undefined && head.phase !== 'idle' && head.phase !== 'ended';
  const pause = () => {
    call('run.pause', { id: row.id }).then(({ done }) => done && pausing(row.id), toastFailure);
  };
  return (
    <header className={s['header']}>
      <LibraryButton />
      <div className={s['title']}>
        {renaming ? (
          <Rename
            className={s['title-field']}
            id={row.id}
            title={row.title}
            onDone={() => setRenaming(false)}
          />
        ) : (
          <h1 onDoubleClick={() => setRenaming(true)}>
            <Name text={row.title || 'Untitled'} />
          </h1>
        )}
        <StatusBadge status={row.status} word={statusWord(head)} />
        {row.private && (
          <Tip text="Nothing of this chat is written anywhere; it ends with the window.">
            <span className={s['private']} tabIndex={0}>
              <EyeOff size="0.8125rem" aria-hidden="true" /> Private
            </span>
          </Tip>
        )}
        {head.warnings.length > 0 && (
          <Tip text={warningsTip(head)}>
            <button type="button" className={s['alerts']} onClick={() => openRun(row.id, 'transcript')}>
              <TriangleAlert size="0.8125rem" aria-hidden="true" />
              {many(head.warnings.length, 'warning')}
            </button>
          </Tip>
        )}
      </div>
      <div className={s['head-actions']}>
        {(row.model ?? head.profile) !== undefined && <ModelMenu head={head} />}
        <HeadChips head={head} />
        {active && (
          <Button
            size="s"
            icon={<Pause size="0.875rem" />}
            disabled={head.pausing}
            title="Stops at the next safe point and keeps everything"
            onClick={pause}
          >
            {head.pausing ? 'Pausing…' : 'Pause'}
          </Button>
        )}
        <PaneSwitch head={head} pane={pane} />
        <Menu
          label="Run"
          align="end"
          trigger={<IconButton label="More" icon={<Ellipsis size="1.125rem" />} />}
        >
          <MenuItem icon={<Search size="1rem" />} keys="mod+f" onSelect={startFind}>
            Find in this run
          </MenuItem>
          <MenuItem icon={<ScanSearch size="1rem" />} onSelect={() => inspect(Math.max(1, head.lastSeq))}>
            Look at its records
          </MenuItem>
          <MenuLine />
          <MenuItem icon={<Pencil size="1rem" />} onSelect={() => setRenaming(true)}>
            Rename
          </MenuItem>
          {!row.private && <MovingItems head={head} />}
          {active && (
            <MenuItem icon={<Square size="1rem" />} keys="mod+." onSelect={() => stop(row.id)}>
              Stop now
            </MenuItem>
          )}
          <MenuItem
            icon={<Trash2 size="1rem" />}
            tone="bad"
            disabled={active || row.elsewhere}
            hint={active || row.elsewhere ? 'Not while it is being written' : undefined}
            onSelect={() => void deleteRun(row)}
          >
            {row.private ? 'Forget this private chat' : 'Delete'}
          </MenuItem>
        </Menu>
      </div>
    </header>
  );
}

/** What makes something of a run elsewhere, or another run of it. */
function MovingItems({ head }: { head: RunHead }) {
  const { row } = head;
  const { id } = row;
  const readOnly = useReadOnly(id);
  const damaged = isDamaged(head);
  return (
    <>
      {readOnly && !damaged && (
        <MenuItem icon={<CopyPlus size="1rem" />} onSelect={() => continueHere(id)}>
          Continue here
        </MenuItem>
      )}
      <MenuItem icon={<GitFork size="1rem" />} disabled={damaged} onSelect={() => forkOf(id)}>
        Fork…
      </MenuItem>
      <MenuItem
        icon={<Columns2 size="1rem" />}
        onSelect={() => compareWith({ id, onPick: (other) => go({ view: 'compare', a: id, b: other }) })}
      >
        Compare with…
      </MenuItem>
      <MenuItem
        icon={<Download size="1rem" />}
        disabled={row.status === 'new'}
        onSelect={() => exportOf([id])}
      >
        Export…
      </MenuItem>
      <MenuItem icon={<Copy size="1rem" />} disabled={damaged} onSelect={() => copyOf(row)}>
        Copy to another store…
      </MenuItem>
    </>
  );
}

export function stop(id: string): void {
  call('run.cancel', { id }).catch(toastFailure);
}

/** The first few; the transcript has all of them. */
function warningsTip({ warnings }: RunHead): string {
  const few = warnings.slice(0, 3).map(({ detail }) => plainVisible(detail));
  const left = warnings.length - few.length;
  return [...few, ...(left > 0 ? [`And ${count(left)} more.`] : [])].join('\n');
}

function statusWord(head: RunHead): string {
  if (head.mode === 'watch') return 'Open elsewhere';
  if (head.row.status === 'interrupted') return `Interrupted ${rowTime(head.row.updated)}`;
  return STATUS_WORD[head.row.status];
}

function HeadChips({ head }: { head: RunHead }) {
  const home = useApp((state) => state.hello?.home);
  return (
    <div className={s['chips']}>
      {head.folder && (
        <Tip text={tilde(head.folder, home)}>
          <span className={s['chip']} tabIndex={0}>
            <FolderClosed size="0.8125rem" aria-hidden="true" />
            <Name text={baseName(head.folder)} />
          </span>
        </Tip>
      )}
      <span className="sr">Last change {fullTime(head.row.updated)}</span>
    </div>
  );
}

function PaneSwitch({ head, pane }: { head: RunHead; pane: string }) {
  const { id, status } = head.row;
  const readOnly = useReadOnly(id);
  if (status === 'damaged' || status === 'new') return null;
  const panes = [
    ...(needsResume(head) && !readOnly ? (['resume'] as const) : []),
    'chat' as const,
    'transcript' as const,
  ];
  const words = { resume: 'Resume', chat: 'Chat', transcript: 'Transcript' };
  return (
    <div className={s['switch']} role="group" aria-label="View">
      {panes.map((one) => (
        <button key={one} type="button" aria-pressed={pane === one} onClick={() => openRun(id, one)}>
          {words[one]}
        </button>
      ))}
    </div>
  );
}
