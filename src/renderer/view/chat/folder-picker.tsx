import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { CornerLeftUp, FolderClosed, House, Sparkles } from 'lucide-react';
import type { CommandOutput } from '../../../shared/contract/contract';
import type { FailureInfo } from '../../../shared/run/failure';
import { call, failureOf } from '../../client';
import { useApp } from '../../store/app';
import { Button } from '../kit/button';
import { Dialog } from '../kit/dialog';
import { FailureNote } from '../kit/failure';
import { many } from '../kit/numbers';
import { tilde } from '../kit/paths';
import { Name, Shown } from '../kit/shown';
import s from './folder.module.css';

type Listing = CommandOutput<'folder.list'>;

/** A folder dialog for doors that have none of their own. `from`: where it begins; empty: in the home folder. */
export function FolderPicker({
  from,
  onPick,
  onClose,
}: {
  from: string;
  onPick: (path: string) => void;
  onClose: () => void;
}) {
  const home = useApp((state) => state.hello?.home);
  const [list, setList] = useState<Listing>();
  const [typed, setTyped] = useState(from);
  const [selected, setSelected] = useState<string>();
  const [failure, setFailure] = useState<FailureInfo>();
  const [looking, setLooking] = useState(true);
  const asked = useRef(0);
  const box = useRef<HTMLUListElement>(null);

  const look = (load: () => Promise<Listing>, otherwise?: () => void) => {
    const mine = ++asked.current;
    setLooking(true);
    const before = typed;
    load().then(
      (reply) => {
        if (mine !== asked.current) return;
        setList(reply);
        setSelected(undefined);
        setFailure(undefined);
        setLooking(false);
        // What was typed meanwhile stays.
        setTyped((now) => (now === before ? reply.path : now));
      },
      (error: unknown) => {
        if (mine !== asked.current) return;
        if (otherwise) return otherwise();
        setFailure(failureOf(error));
        setLooking(false);
      },
    );
  };
  const show = (path: string) => look(() => call('folder.list', { path }));
  const sample = () =>
    look(async () => call('folder.list', { path: (await call('folder.sample', {})).folder }));
  // A folder that was used before may be gone or out of reach: home is always there.
  const begin = useEffectEvent(() =>
    look(() => call('folder.list', { path: from }), from === '' ? undefined : () => show('')),
  );
  useEffect(() => {
    void Promise.resolve().then(begin);
    return () => {
      asked.current += 1;
    };
  }, []);

  const inside = (name: string) => `${(list?.path ?? '').replace(/[\\/]+$/, '')}/${name}`;
  // While another folder is awaited, what is shown is not what a press would mean.
  const open = (name: string) => {
    if (!looking) show(inside(name));
  };
  const choice = list && (selected === undefined ? list.path : inside(selected));
  const step = (to: number) => {
    const rows = [...(box.current?.querySelectorAll<HTMLElement>('[role="option"]') ?? [])];
    const row = rows[Math.max(0, Math.min(rows.length - 1, to))];
    row?.focus();
    if (row) setSelected(list?.folders[rows.indexOf(row)]);
  };
  return (
    <Dialog label="Choose a folder" onClose={onClose}>
      <form
        className={s['where']}
        onSubmit={(event) => {
          event.preventDefault();
          show(typed);
        }}
      >
        <Button
          size="s"
          aria-label="Folder above"
          icon={<CornerLeftUp size="0.9375rem" />}
          disabled={list !== undefined && list.parent === undefined && failure === undefined}
          onClick={() => show(failure === undefined ? (list?.parent ?? '') : (list?.path ?? ''))}
        />
        <input
          aria-label="Path"
          value={typed}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => setTyped(event.target.value)}
        />
        <Button size="s" type="submit">
          Go
        </Button>
      </form>
      <div className={s['places']}>
        <Button size="s" look="quiet" icon={<House size="0.875rem" />} onClick={() => show('')}>
          Home
        </Button>
        <Button size="s" look="quiet" icon={<Sparkles size="0.875rem" />} onClick={sample}>
          Sample folder
        </Button>
      </div>
      {failure && (
        <div className={s['problem']}>
          <FailureNote failure={failure} />
        </div>
      )}
      <ul ref={box} className={s['list']} role="listbox" aria-label="Folders" aria-busy={looking}>
        {list?.folders.map((name, index) => (
          <li
            key={name}
            role="option"
            aria-selected={name === selected}
            tabIndex={name === selected || (selected === undefined && index === 0) ? 0 : -1}
            onClick={() => setSelected(name)}
            onDoubleClick={() => open(name)}
            onKeyDown={(event) => {
              if (event.key === 'Enter') open(name);
              else if (event.key === ' ') setSelected(name);
              else if (event.key === 'ArrowDown') step(index + 1);
              else if (event.key === 'ArrowUp') step(index - 1);
              else return;
              event.preventDefault();
            }}
          >
            <FolderClosed size="1rem" aria-hidden="true" />
            <Name text={name} />
          </li>
        ))}
      </ul>
      {list && list.folders.length === 0 && <p className={s['none']}>No folders in here</p>}
      <footer className={s['footer']}>
        <span>
          {choice !== undefined && (
            <>
              <Shown text={tilde(choice, home)} />
              {selected === undefined && list && ` · ${many(list.files, 'file')}`}
            </>
          )}
        </span>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          look="primary"
          disabled={looking || failure !== undefined || choice === undefined || choice === home}
          title={choice === home ? 'Choose a folder inside your home folder' : undefined}
          onClick={() => choice !== undefined && onPick(choice)}
        >
          Use this folder
        </Button>
      </footer>
    </Dialog>
  );
}
