import { HardDrive } from 'lucide-react';
import { SPACE_LEVELS, type StoreView } from '../../../shared/contract/stores';
import { go } from '../../store/app';
import { useLibrary } from '../../store/library';
import { useStores } from '../../store/stores';
import { Button } from '../kit/button';
import { bytes } from '../kit/numbers';
import { Name } from '../kit/shown';
import s from './disk.module.css';

/** Said before it hurts: a record that does not fit ends its run. Goes away by itself when there is space again. */
export function DiskBanner() {
  const stores = useStores((state) => state.stores);
  const trashed = useLibrary((state) => state.trashed);
  const low = stores.filter((store) => store.space !== undefined).sort((a, b) => rank(a) - rank(b));
  const [worst] = low;
  if (!worst?.space) return null;
  const { level, free } = worst.space;
  return (
    <div className={s['disk']} data-level={level} role={level === 'low' ? 'status' : 'alert'}>
      <HardDrive size="1rem" aria-hidden="true" />
      <p>
        {HOW[level]} on the disk of{' '}
        <b>
          <Name text={worst.label} />
        </b>
        {low.length > 1 && ` and ${low.length - 1} more`}: {bytes(free)} free.{' '}
        {level !== 'low'
          ? 'A run stops where its next record does not fit. Everything recorded is kept; free some space before you go on.'
          : 'Everything is recorded as always; free some space before it runs out.'}
      </p>
      {trashed > 0 && (
        <Button size="s" look="ghost" onClick={() => go({ view: 'browse', trash: true })}>
          Look at the trash
        </Button>
      )}
    </div>
  );
}

const HOW = {
  low: 'Space is getting low',
  critical: 'Almost no space is left',
  full: 'No space is left',
} as const;

const rank = ({ space }: StoreView) => -SPACE_LEVELS.indexOf(space?.level ?? 'low');
