import { useId, useState, type ReactNode } from 'react';
import { ChevronRight } from 'lucide-react';
import s from './flow.module.css';

/** Something that is there but not always wanted. `force` folds or unfolds it from outside until it is clicked. */
export function Fold({
  label,
  children,
  force,
  quiet = false,
  busy = false,
  note,
}: {
  label: ReactNode;
  children: ReactNode;
  force?: boolean;
  quiet?: boolean;
  busy?: boolean;
  note?: ReactNode;
}) {
  const [mine, setMine] = useState<{ open: boolean; against: boolean | undefined }>();
  const id = useId();
  const open = mine && mine.against === force ? mine.open : (force ?? false);
  return (
    <div className={s['fold']} data-quiet={quiet}>
      <button
        type="button"
        className={s['fold-button']}
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setMine({ open: !open, against: force })}
      >
        <ChevronRight size="0.875rem" className={s['chevron']} aria-hidden="true" />
        <span className={busy ? s['shimmer'] : undefined}>{label}</span>
        {note}
      </button>
      {open && (
        <div id={id} className={s['fold-body']}>
          {children}
        </div>
      )}
    </div>
  );
}
