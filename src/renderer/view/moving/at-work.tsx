import { ArrowDownToLine, ArrowUpFromLine } from 'lucide-react';
import { atWork, showJob, useMoving } from '../../store/moving';
import { many, percent } from '../kit/numbers';
import s from './report.module.css';

/** Exports and imports that go on while something else is looked at: each can be had again. */
export function AtWork() {
  const jobs = useMoving((state) => state.jobs);
  const shown = useMoving((state) => state.shown);
  const hidden = jobs.filter((job) => atWork(job) && job.id !== shown);
  if (hidden.length === 0) return null;
  return (
    <ul className={s['at-work']} aria-label="At work">
      {hidden.map(({ id, kind, state, done, total, bytes, size }) => {
        const Icon = kind === 'export' ? ArrowUpFromLine : ArrowDownToLine;
        const part = state === 'receiving' ? percent(bytes, size) : total > 1 ? percent(done, total) : '';
        return (
          <li key={id}>
            <button type="button" onClick={() => showJob(id)}>
              <Icon size="0.875rem" aria-hidden="true" />
              {kind === 'export' ? `Exporting ${many(total, 'run')}` : 'Importing'}
              {part !== '' && <small>{part}</small>}
            </button>
          </li>
        );
      })}
    </ul>
  );
}
