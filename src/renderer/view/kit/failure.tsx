import { CircleAlert, ShieldCheck, ArrowRight } from 'lucide-react';
import type { ReactNode } from 'react';
import type { FailureCode } from '../../../shared/run/failure';
import { Shown } from './shown';
import s from './failure.module.css';

/** A failure's sentences; as the contract gives them, a part may be undefined. */
export interface Told {
  code: FailureCode;
  message: string;
  kept?: string | undefined;
  todo?: string | undefined;
  data?: Record<string, unknown> | undefined;
}

/** What happened, what was kept, what to do next. */
export function FailureNote({
  failure,
  tone = 'bad',
  actions,
  title,
}: {
  failure: Told;
  tone?: 'bad' | 'warn';
  actions?: ReactNode;
  title?: string;
}) {
  // What only somebody who knows the program behind it can use.
  const details = typeof failure.data?.['details'] === 'string' ? failure.data['details'] : undefined;
  return (
    <section className={s['note']} data-tone={tone} aria-label={title ?? 'What went wrong'}>
      <CircleAlert size="1.0625rem" className={s['lead']} aria-hidden="true" />
      <div className={s['text']}>
        {title && <h2>{title}</h2>}
        <p className={s['what']}>
          <Shown text={failure.message} prose />
        </p>
        {failure.kept && (
          <p>
            <ShieldCheck size="0.875rem" aria-hidden="true" />
            <span>
              <Shown text={failure.kept} prose />
            </span>
          </p>
        )}
        {failure.todo && (
          <p>
            <ArrowRight size="0.875rem" aria-hidden="true" />
            <span>
              <Shown text={failure.todo} prose />
            </span>
          </p>
        )}
        {details !== undefined && (
          <details className={s['details']}>
            <summary>Details</summary>
            <code>
              <Shown text={details} prose />
            </code>
          </details>
        )}
        {actions && <div className={s['actions']}>{actions}</div>}
      </div>
    </section>
  );
}
