import { useEffect, useRef, useState } from 'react';
import { ArrowLeft, Trash2, Upload } from 'lucide-react';
import { go, importRuns } from '../../store/app';
import { clearFilters, isFiltered, openBrowse, refreshBrowse, useBrowse } from '../../store/browse';
import { useTrash } from '../../store/trash';
import { LibraryButton } from '../chat/header';
import { Button } from '../kit/button';
import { FailureNote } from '../kit/failure';
import { bytes, count, many } from '../kit/numbers';
import { AwayStores } from '../library/shelves';
import { BulkBar } from './bulk';
import { fitting } from './columns';
import { Filters } from './filters';
import { Table } from './table';
import { EmptyTrash, Trash } from './trash';
import chat from '../chat/chat.module.css';
import s from './browse.module.css';

/** All runs as a table, or what is in the trash. */
export function Browse({ trash }: { trash: boolean }) {
  return trash ? <TrashPage /> : <RunsPage />;
}

function RunsPage() {
  const { query, total, all, trashed, rows, ready, failure, columns } = useBrowse();
  useEffect(openBrowse, []);
  const [box, width] = useWidth();
  const shown = fitting(columns, width);
  const filtered = isFiltered(query);
  return (
    <>
      <header className={chat['header']}>
        <LibraryButton />
        <div className={chat['title']}>
          <h1>All runs</h1>
          <span className={s['total']} role="status">
            {ready && (filtered ? `${count(total)} of ${many(all, 'run')}` : many(all, 'run'))}
          </span>
        </div>
        <div className={chat['head-actions']}>
          <Button size="s" look="ghost" icon={<Upload size="0.9375rem" />} onClick={() => importRuns()}>
            Import…
          </Button>
          <Button
            size="s"
            look="ghost"
            icon={<Trash2 size="0.9375rem" />}
            onClick={() => go({ view: 'browse', trash: true })}
          >
            {trashed > 0 ? `Trash (${count(trashed)})` : 'Trash'}
          </Button>
        </div>
      </header>
      <div className={s['page']} ref={box}>
        <Filters shown={shown} />
        <div className={s['away']}>
          <AwayStores />
        </div>
        {failure && rows.length === 0 ? (
          <div className={s['note']}>
            <FailureNote
              failure={failure}
              actions={
                <Button size="s" onClick={refreshBrowse}>
                  Try again
                </Button>
              }
            />
          </div>
        ) : ready && total === 0 ? (
          <div className={s['empty']}>
            <p>
              {filtered
                ? 'No run fits these filters.'
                : 'There are no runs yet. Each one is kept from its first word on, and will be listed here.'}
            </p>
            {filtered ? (
              <Button onClick={clearFilters}>Show all {many(all, 'run')}</Button>
            ) : (
              <Button look="primary" onClick={() => go({ view: 'new' })}>
                New chat
              </Button>
            )}
          </div>
        ) : (
          width > 0 && <Table columns={shown} />
        )}
        <BulkBar />
      </div>
    </>
  );
}

function TrashPage() {
  const { total, bytes: size, ready } = useTrash();
  return (
    <>
      <header className={chat['header']}>
        <LibraryButton />
        <Button
          size="s"
          look="ghost"
          icon={<ArrowLeft size="0.9375rem" />}
          onClick={() => go({ view: 'browse' })}
        >
          All runs
        </Button>
        <div className={chat['title']}>
          <h1>Trash</h1>
          <span className={s['total']} role="status">
            {ready && total > 0 && `${many(total, 'run')}, ${bytes(size)}`}
          </span>
        </div>
        <EmptyTrash />
      </header>
      <Trash />
    </>
  );
}

/** The width of an element in rem, so that columns follow the window and its zoom. */
function useWidth(): [React.RefObject<HTMLDivElement | null>, number] {
  const ref = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const box = ref.current;
    if (!box) return;
    const measure = () => {
      const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
      setWidth(box.clientWidth / rem);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(box);
    return () => observer.disconnect();
  }, []);
  return [ref, width];
}
