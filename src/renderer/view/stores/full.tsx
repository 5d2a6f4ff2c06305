import { HardDrive } from 'lucide-react';
import { storeOfRun, useStores } from '../../store/stores';
import { Name } from '../kit/shown';
import s from './stores.module.css';

/** The disk of the run that is shown is full: said where the run is, as soon as that is known. */
export function DiskFull({ id, working }: { id: string; working: boolean }) {
  const store = useStores((state) => storeOfRun(state.stores, id));
  if (store?.space?.level !== 'full') return null;
  return (
    <div className={s['away']} role="alert">
      <HardDrive size="1rem" aria-hidden="true" />
      <span>
        <b>
          The disk of <Name text={store.label} /> is full.
        </b>{' '}
        {working
          ? 'The reply is shown as it arrives, but it is not saved. Everything recorded before it is safe. Free up space now.'
          : 'New messages cannot be saved. Everything recorded is safe and stays readable. Free up space, then resume.'}
      </span>
    </div>
  );
}
