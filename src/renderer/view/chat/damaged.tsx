import { BookOpenText, Download, Trash2, Wrench } from 'lucide-react';
import { bareId } from '../../../shared/contract/run-key';
import type { RunHead } from '../../../shared/contract/views';
import { exportOf } from '../../store/app';
import { deleteRun } from '../../store/runs';
import { repairOf } from '../../store/moving';
import { Button } from '../kit/button';
import { FailureNote } from '../kit/failure';
import { bytes, count, many } from '../kit/numbers';
import s from './chat.module.css';

/** A run that is not whole: what is wrong, where, what can still be read. It is never hidden. */
export function Damaged({ head, onRead }: { head: RunHead; onRead: () => void }) {
  const { row } = head;
  const failure = head.failure ?? row.failure;
  const data = failure?.data ?? {};
  const number = (key: string) => (typeof data[key] === 'number' ? data[key] : undefined);
  const line = number('line');
  const byte = number('byte');
  const records = number('records') ?? head.records ?? head.lastSeq;
  const empty = row.status === 'new';
  const unread = data['unread'] === true;
  return (
    <div className={s['page']} tabIndex={0} role="region" aria-label="Damage">
      <div className={s['hold']}>
        <div className={s['damage']}>
          {failure ? (
            <FailureNote
              title={
                empty
                  ? 'This run never started'
                  : unread
                    ? 'This run is too large to show'
                    : 'This run is damaged'
              }
              failure={failure}
              tone={empty ? 'warn' : 'bad'}
            />
          ) : (
            <FailureNote
              title="This run never started"
              tone="warn"
              failure={{
                code: 'empty',
                message: 'Its first record was never written whole.',
                todo: 'Nothing can be read from it. It can be deleted.',
              }}
            />
          )}
          <dl className={s['places']}>
            <dt>Readable</dt>
            <dd>{records === 0 ? 'nothing' : `${many(records, 'record')} before the damage`}</dd>
            {!empty && line !== undefined && (
              <>
                <dt>Damage begins</dt>
                <dd>
                  line {count(line)}
                  {byte !== undefined && `, byte ${count(byte)}`}
                </dd>
              </>
            )}
            <dt>File</dt>
            <dd>
              {bareId(row.id)}, {bytes(head.bytes)}
            </dd>
            {head.warnings.map((warning) => (
              <div key={warning.code + warning.detail} className={s['warning']}>
                <dt>Also</dt>
                <dd>{warning.detail}</dd>
              </div>
            ))}
          </dl>
          {!empty && !unread && (
            <p>
              Holdfast does not touch a damaged journal by itself: it writes nothing to it and cuts nothing
              off, so whatever a backup or a specialist could save is still there. A repair keeps a copy of
              the whole file, then cuts off the damage and what stands after it.
            </p>
          )}
          <div className={s['row-actions']}>
            {records > 0 && head.items > 0 && (
              <Button look="primary" icon={<BookOpenText size="0.9375rem" />} onClick={onRead}>
                Read what is whole
              </Button>
            )}
            {unread && (
              <Button look="primary" icon={<Download size="0.9375rem" />} onClick={() => exportOf([row.id])}>
                Export…
              </Button>
            )}
            {!empty && !unread && (
              <>
                <Button
                  icon={<Download size="0.9375rem" />}
                  disabled={records === 0}
                  onClick={() => exportOf([row.id], true)}
                >
                  Export what is intact…
                </Button>
                <Button icon={<Wrench size="0.9375rem" />} onClick={() => repairOf(row.id)}>
                  Repair…
                </Button>
              </>
            )}
            <Button icon={<Trash2 size="0.9375rem" />} onClick={() => void deleteRun(row)}>
              Move to the trash
            </Button>
          </div>
        </div>
      </div>
    </div>
  );
}
