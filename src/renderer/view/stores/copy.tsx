import { useState } from 'react';
import type { CommandOutput } from '../../../shared/contract/contract';
import { splitKey } from '../../../shared/contract/run-key';
import { USUAL_STORE, type StoreView } from '../../../shared/contract/stores';
import type { RunRow } from '../../../shared/contract/views';
import type { FailureInfo } from '../../../shared/run/failure';
import { call, failureOf } from '../../client';
import { copyOf, go, openRun, useApp } from '../../store/app';
import { libraryChanged } from '../../store/library';
import { useStores } from '../../store/stores';
import { Button } from '../kit/button';
import { Dialog } from '../kit/dialog';
import { FailureNote } from '../kit/failure';
import { bytes, many } from '../kit/numbers';
import { Name } from '../kit/shown';
import { StoreDot, stateWords } from './state';
import s from './stores.module.css';

type Done = CommandOutput<'run.copy'>;

/** Where a run is copied to, and how that went. */
export function CopyDialog() {
  const row = useApp((state) => state.copying);
  if (!row) return null;
  return <Copy key={row.id} row={row} />;
}

function Copy({ row }: { row: RunRow }) {
  const stores = useStores((state) => state.stores);
  const [busy, setBusy] = useState<string>();
  const [done, setDone] = useState<Done>();
  const [failure, setFailure] = useState<FailureInfo>();
  const here = splitKey(row.id).store || USUAL_STORE;
  const others = stores.filter((store) => store.name !== here);
  const close = () => copyOf(undefined);
  const copy = (to: StoreView) => {
    setBusy(to.name);
    setFailure(undefined);
    call('run.copy', { id: row.id, to: to.name })
      .then(
        (reply) => {
          setDone(reply);
          libraryChanged();
        },
        (error: unknown) => setFailure(failureOf(error)),
      )
      .finally(() => setBusy(undefined));
  };
  const label = (name: string) => stores.find((store) => store.name === name)?.label ?? name;
  return (
    <Dialog label="Copy to another store" size="s" onClose={close}>
      <div className={s['copy']}>
        {done ? (
          <>
            <p role="status">
              “<Name text={row.title} />” is in <Name text={label(done.store)} /> now:{' '}
              {many(done.records, 'record')}, {bytes(done.bytes)}, compared byte for byte.
            </p>
            <p className={s['quiet']}>
              SHA-256 <code>{done.sha256}</code>
            </p>
            {done.dropped > 0 && (
              <p className={s['quiet']}>
                {bytes(done.dropped)} at the end of the original are no record and were left out.
              </p>
            )}
            {done.missingTexts > 0 && (
              <p className={s['quiet']}>
                {many(done.missingTexts, 'long result')} of the original could not be read any more.
              </p>
            )}
            <div className={s['copy-actions']}>
              <Button look="ghost" onClick={close}>
                Close
              </Button>
              <Button
                look="primary"
                onClick={() => {
                  close();
                  openRun(done.id);
                }}
              >
                Open the copy
              </Button>
            </div>
          </>
        ) : (
          <>
            <p>
              Every record of “<Name text={row.title} />” is copied as it is. The original stays.
            </p>
            <ul aria-label="Stores">
              {others.map((store) => {
                const why =
                  store.state !== 'ok'
                    ? stateWords(store.state, store.reason)
                    : store.writable
                      ? undefined
                      : 'Runs are only read there';
                return (
                  <li key={store.name}>
                    <button
                      type="button"
                      disabled={why !== undefined || busy !== undefined}
                      onClick={() => copy(store)}
                    >
                      <StoreDot state={store.state} />
                      <span>
                        <Name text={store.label} />
                        <small>{busy === store.name ? 'Copying…' : (why ?? store.url)}</small>
                      </span>
                    </button>
                  </li>
                );
              })}
            </ul>
            {others.length === 0 && <p className={s['quiet']}>There is no other store yet.</p>}
            {failure && <FailureNote failure={failure} />}
            <div className={s['copy-actions']}>
              <Button
                look="ghost"
                onClick={() => {
                  close();
                  go({ view: 'stores', name: '' });
                }}
              >
                Add a store…
              </Button>
            </div>
          </>
        )}
      </div>
    </Dialog>
  );
}
