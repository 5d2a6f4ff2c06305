import { FolderClosed, Globe } from 'lucide-react';
import type { ReactNode } from 'react';
import { useApp } from '../../store/app';
import { loadPermissions, revoke, usePermissions } from '../../store/permissions';
import { LibraryButton } from '../chat/header';
import chat from '../chat/chat.module.css';
import { Button } from '../kit/button';
import { FailureNote } from '../kit/failure';
import page from '../kit/page.module.css';
import { tilde } from '../kit/paths';
import { Shown } from '../kit/shown';
import s from './permissions.module.css';

/** What the person allowed: each can be taken back, and is then asked for again. */
export function Permissions() {
  const { addresses, folders, failure, ready } = usePermissions();
  const home = useApp((state) => state.hello?.home);
  return (
    <>
      <header className={chat['header']}>
        <LibraryButton />
        <div className={chat['title']}>
          <h1>Permissions</h1>
        </div>
      </header>
      <div className={page['page']}>
        <div className={page['column']}>
          {failure && (
            <FailureNote
              failure={failure}
              actions={
                <Button size="s" onClick={() => void loadPermissions()}>
                  Try again
                </Button>
              }
            />
          )}
          <h2 className={s['title']}>Addresses</h2>
          <p className={s['note']}>
            Chats can go to these addresses, with the key that is named. If you remove one, Holdfast asks
            before the next use. Model services with their own keys, and local servers without a key, need no
            permission.
          </p>
          <ul className={s['list']} aria-label="Addresses">
            {addresses.map(({ id, origin, key, entered, profiles }) => (
              <Allowed
                key={id}
                icon={<Globe size="1rem" aria-hidden="true" />}
                what={origin}
                onRemove={() => revoke('address', id)}
              >
                <Shown text={entered ? 'Saved key' : key === undefined ? 'No key' : `Key in ${key}`} /> ·{' '}
                <Shown
                  text={profiles.length === 0 ? 'Not used by any profile' : `Used by ${profiles.join(', ')}`}
                />
              </Allowed>
            ))}
            {ready && addresses.length === 0 && <li>You haven’t allowed any other address.</li>}
          </ul>
          <h2 className={s['title']}>Folders</h2>
          <p className={s['note']}>
            Runs can work in these folders and read everything in them. If you remove one, Holdfast asks
            before the next run works there, also for runs that worked there before.
          </p>
          <ul className={s['list']} aria-label="Folders">
            {folders.map(({ path, sample }) => (
              <Allowed
                key={path}
                icon={<FolderClosed size="1rem" aria-hidden="true" />}
                what={tilde(path, home)}
                onRemove={() => revoke('folder', path)}
              >
                {sample && 'Sample folder'}
              </Allowed>
            ))}
            {ready && folders.length === 0 && <li>You haven’t allowed any folder.</li>}
          </ul>
        </div>
      </div>
    </>
  );
}

function Allowed({
  icon,
  what,
  children,
  onRemove,
}: {
  icon: ReactNode;
  what: string;
  children: ReactNode;
  onRemove: () => void;
}) {
  return (
    <li>
      {icon}
      <span className={s['what']}>
        <Shown text={what} />
        <small>{children}</small>
      </span>
      <Button size="s" aria-label={`Remove permission for ${what}`} onClick={onRemove}>
        Remove
      </Button>
    </li>
  );
}
