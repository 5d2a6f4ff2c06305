import { Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../kit/button';
import { FailureNote, type Told } from '../kit/failure';
import { LibraryButton } from '../chat/header';
import chat from '../chat/chat.module.css';
import s from './profiles.module.css';

/** What a settings file holds: its entries on the side, the one that is chosen beside them. */
export function SettingsPage<Entry>({
  title,
  file,
  entries,
  keyOf,
  row,
  add,
  onAdd,
  more,
  failure,
  problem,
  onLookAgain,
  children,
}: {
  title: string;
  file: string;
  entries: readonly Entry[];
  keyOf: (entry: Entry) => string;
  row: (entry: Entry) => ReactNode;
  add: string;
  onAdd: () => void;
  /** Beside the button that adds one. */
  more?: ReactNode;
  failure: Told | undefined;
  /** Why the file cannot be used. */
  problem: Told | undefined;
  onLookAgain: () => void;
  children: ReactNode;
}) {
  return (
    <>
      <header className={chat['header']}>
        <LibraryButton />
        <div className={chat['title']}>
          <h1>{title}</h1>
        </div>
        <span className={s['file']} title={file}>
          {file && (
            <>
              Kept in <code>{file}</code>
            </>
          )}
        </span>
      </header>
      <div className={s['page']}>
        <div className={s['side']}>
          <ul aria-label={title}>
            {entries.map((entry) => (
              <li key={keyOf(entry)}>{row(entry)}</li>
            ))}
          </ul>
          <Button look="ghost" size="s" icon={<Plus size="0.9375rem" />} onClick={onAdd}>
            {add}
          </Button>
          {more}
        </div>
        <div className={s['main']}>
          {failure && <FailureNote failure={failure} />}
          {problem && (
            <FailureNote
              failure={problem}
              actions={
                <Button size="s" onClick={onLookAgain}>
                  Look again
                </Button>
              }
            />
          )}
          {children}
        </div>
      </div>
    </>
  );
}
