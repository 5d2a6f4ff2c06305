import { useEffect, useState } from 'react';
import { ChevronDown, CornerLeftUp, FolderClosed, FolderOpen, Sparkles, X } from 'lucide-react';
import type { CommandOutput } from '../../../shared/contract/contract';
import type { FailureInfo } from '../../../shared/run/failure';
import { call, failureOf } from '../../client';
import { toastFailure, useApp } from '../../store/app';
import { Button } from '../kit/button';
import { Dialog } from '../kit/dialog';
import { FailureNote } from '../kit/failure';
import { Menu, MenuItem, MenuLabel, MenuLine } from '../kit/menu';
import { many } from '../kit/numbers';
import { baseName, tilde } from '../kit/paths';
import { Name, Shown } from '../kit/shown';
import s from './folder.module.css';

/** The folder that tools work in: recent ones, a sample, or any other. */
export function FolderButton({
  folder,
  onChange,
  look = 'quiet',
}: {
  folder: string | undefined;
  onChange: (folder: string | undefined) => void;
  look?: 'quiet' | 'plain';
}) {
  const home = useApp((state) => state.hello?.home);
  const native = useApp((state) => state.hello?.nativeDialogs ?? false);
  const [{ folders, sample }, setRecent] = useState<CommandOutput<'folder.recent'>>({ folders: [] });
  const [picking, setPicking] = useState(false);
  useEffect(() => {
    call('folder.recent', {}).then(setRecent, () => undefined);
  }, [folder]);
  // It has an entry of its own.
  const recent = folders.filter((path) => path !== sample);
  const useSample = () => {
    call('folder.sample', {}).then((reply) => onChange(reply.folder), toastFailure);
  };
  const choose = () => {
    if (!native) {
      setPicking(true);
      return;
    }
    call('folder.pick', {}).then((reply) => {
      if (reply.folder) onChange(reply.folder);
    }, toastFailure);
  };
  return (
    <>
      <Menu
        label="Folder"
        trigger={
          <Button
            look={look}
            size={look === 'quiet' ? 's' : 'm'}
            icon={<FolderClosed size="0.875rem" />}
            className={s['pick'] ?? ''}
            aria-label={folder === undefined ? 'Choose a folder' : `Folder: ${tilde(folder, home)}`}
            title={folder}
          >
            {folder === undefined ? 'Folder' : <Name text={baseName(folder)} />}
            <ChevronDown size="0.75rem" aria-hidden="true" />
          </Button>
        }
      >
        <MenuItem icon={<FolderOpen size="1rem" />} onSelect={choose}>
          Choose a folder…
        </MenuItem>
        <MenuItem
          icon={<Sparkles size="1rem" />}
          hint="A few files to try things on"
          {...(sample !== undefined && { checked: sample === folder })}
          onSelect={useSample}
        >
          Sample folder
        </MenuItem>
        {folder !== undefined && (
          <MenuItem
            icon={<X size="1rem" />}
            hint="Tools that need files will say so"
            onSelect={() => onChange(undefined)}
          >
            No folder
          </MenuItem>
        )}
        {recent.length > 0 && (
          <>
            <MenuLine />
            <MenuLabel>Recent</MenuLabel>
            {recent.slice(0, 6).map((path) => (
              <MenuItem
                key={path}
                checked={path === folder}
                onSelect={() => onChange(path)}
                hint={tilde(path, home)}
              >
                <Name text={baseName(path)} />
              </MenuItem>
            ))}
          </>
        )}
      </Menu>
      {picking && (
        <FolderPicker
          from={folder ?? home ?? '/'}
          onClose={() => setPicking(false)}
          onPick={(path) => {
            setPicking(false);
            onChange(path);
          }}
        />
      )}
    </>
  );
}

/** A folder dialog for doors that have none of their own. */
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
  const [path, setPath] = useState(from);
  const [typed, setTyped] = useState(from);
  const [list, setList] = useState<CommandOutput<'folder.list'>>();
  // What is listed may be the folder before, until the answer for this one is here: that one is not to be used.
  const [listed, setListed] = useState<string>();
  const [failure, setFailure] = useState<FailureInfo>();
  useEffect(() => {
    let live = true;
    call('folder.list', { path }).then(
      (reply) => {
        if (!live) return;
        setList(reply);
        setListed(path);
        // What was typed meanwhile stays.
        setTyped((old) => (old === path ? reply.path : old));
        setFailure(undefined);
      },
      (error: unknown) => live && setFailure(failureOf(error)),
    );
    return () => {
      live = false;
    };
  }, [path]);
  const move = (to: string) => {
    setPath(to);
    setTyped(to);
  };
  const enter = (name: string) => move(`${(list?.path ?? path).replace(/[\\/]+$/, '')}/${name}`);
  return (
    <Dialog label="Choose a folder" onClose={onClose}>
      <form
        className={s['where']}
        onSubmit={(event) => {
          event.preventDefault();
          setPath(typed);
        }}
      >
        <Button
          size="s"
          type="button"
          aria-label="Folder above"
          icon={<CornerLeftUp size="0.9375rem" />}
          disabled={list?.parent === undefined}
          onClick={() => list?.parent !== undefined && move(list.parent)}
        />
        <input
          aria-label="Path"
          value={typed}
          spellCheck={false}
          onChange={(event) => setTyped(event.target.value)}
        />
        <Button size="s" type="submit" disabled={typed === path}>
          Go
        </Button>
      </form>
      {failure && (
        <div className={s['problem']}>
          <FailureNote failure={failure} />
        </div>
      )}
      <ul className={s['list']} aria-label="Folders">
        {list?.folders.map((name) => (
          <li key={name}>
            <button type="button" onClick={() => enter(name)}>
              <FolderClosed size="1rem" aria-hidden="true" />
              <Name text={name} />
            </button>
          </li>
        ))}
        {list && list.folders.length === 0 && <li className={s['none']}>No folders in here</li>}
      </ul>
      <footer className={s['footer']}>
        <span>
          {list && (
            <>
              <Shown text={tilde(list.path, home)} /> · {many(list.files, 'file')}
            </>
          )}
        </span>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          look="primary"
          disabled={!list || listed !== path || failure !== undefined || list.path === home}
          onClick={() => list && onPick(list.path)}
        >
          Use this folder
        </Button>
      </footer>
    </Dialog>
  );
}
