import { CopyPlus } from 'lucide-react';
import { continueHere } from '../../store/moving';
import { storeOfRun, useStores } from '../../store/stores';
import { Button } from '../kit/button';
import chat from '../chat/chat.module.css';

/** Runs of this store are only read: another program may write them. */
export const useReadOnly = (id: string): boolean =>
  useStores((state) => storeOfRun(state.stores, id)?.writable === false);

/** Instead of a field to answer in: the run goes on as a copy of one's own. */
export function ContinueHere({ id }: { id: string }) {
  return (
    <div className={chat['bar']}>
      <span>
        Runs of this store are only read. To go on with this one, it is copied into a store of your own first.
      </span>
      <Button look="primary" icon={<CopyPlus size="0.875rem" />} onClick={() => continueHere(id)}>
        Continue here
      </Button>
    </div>
  );
}
