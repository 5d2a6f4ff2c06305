import { Unplug } from 'lucide-react';
import { storeOfRun, useStores } from '../../store/stores';
import { go } from '../../store/app';
import { Button } from '../kit/button';
import { Name, Shown } from '../kit/shown';
import { awayWords } from './state';
import s from './stores.module.css';

/** The store of the run that is shown is away: said where the run is, since nothing of it may move until it is back. */
export function StoreAway({ id, live }: { id: string; live: boolean }) {
  const store = useStores((state) => storeOfRun(state.stores, id));
  if (!store || store.state === 'ok') return null;
  return (
    <div className={s['away']} role="status">
      <Unplug size="1rem" aria-hidden="true" />
      <span>
        <b>
          <Name text={store.label} /> {awayWords(store.reason)}.
        </b>{' '}
        {live
          ? 'Everything that was acknowledged is kept; the run waits and goes on when the store is back.'
          : 'What is shown is as it was last seen; it goes on by itself when the store is back.'}
        {store.reason && !live && (
          <>
            {' '}
            <Shown text={store.reason.message} prose />
          </>
        )}
      </span>
      <Button size="s" look="ghost" onClick={() => go({ view: 'stores', name: store.name })}>
        Look at the store
      </Button>
    </div>
  );
}
