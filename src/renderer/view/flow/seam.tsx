import { Scissors } from 'lucide-react';
import type { TranscriptItem } from '../../../shared/contract/items';
import { many } from '../kit/numbers';
import { Shown } from '../kit/shown';
import { clockTime } from '../kit/time';
import { FIELD_NAME, fieldValue } from '../resume/fields';
import { Fold } from './fold';
import s from './flow.module.css';

/** Where the run went on with another configuration than it was written with, and somebody said yes to that. */
export function Seam({ item }: { item: Extract<TranscriptItem, { kind: 'seam' }> }) {
  const changes = item.changed.length + (item.endpoint ? 1 : 0);
  return (
    <section className={s['rule']} data-reason="seam" aria-label="Configuration changed here">
      <p>
        <Scissors size="0.8125rem" aria-hidden="true" />
        <span>
          {item.forced ? 'Resumed by force' : 'Resumed'}
          {changes > 0 && `, ${many(changes, 'setting')} changed`}
          {item.at && <time dateTime={item.at}> · {clockTime(item.at)}</time>}
        </span>
      </p>
      {changes > 0 && (
        <Fold label="What changed" quiet>
          <dl className={s['changes']}>
            {item.changed.map((change) => (
              <div key={change.field}>
                <dt>{FIELD_NAME[change.field] ?? change.field}</dt>
                <dd>
                  <del>
                    <Shown text={fieldValue(change.field, change.recorded)} />
                  </del>{' '}
                  <ins>
                    <Shown text={fieldValue(change.field, change.current)} />
                  </ins>
                </dd>
              </div>
            ))}
            {item.endpoint && (
              <div>
                <dt>Endpoint</dt>
                <dd>
                  <del>
                    <Shown text={item.endpoint.from} />
                  </del>{' '}
                  <ins>
                    <Shown text={item.endpoint.to} />
                  </ins>
                </dd>
              </div>
            )}
          </dl>
        </Fold>
      )}
    </section>
  );
}
