import { useEffect, useState } from 'react';
import { ChevronDown, FolderClosed, FolderOpen, Sparkles, X } from 'lucide-react';
import type { CommandOutput } from '../../../shared/contract/contract';
import { call } from '../../client';
import { toastFailure, useApp } from '../../store/app';
import { Button } from '../kit/button';
import { Menu, MenuItem, MenuLabel, MenuLine } from '../kit/menu';
import { baseName, tilde } from '../kit/paths';
import { Name } from '../kit/shown';
import { FolderPicker } from './folder-picker';
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
          from={folder ?? ''}
          onClose={() => setPicking(false)}
          onPick={(path) => {
            setPicking(false);
            // Asked outside of this page, the first time.
            call('folder.use', { path }).then((reply) => onChange(reply.folder), toastFailure);
          }}
        />
      )}
    </>
  );
}
