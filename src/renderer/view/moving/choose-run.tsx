import { useEffect, useState } from 'react';
import type { RunRow } from '../../../shared/contract/views';
import { call } from '../../client';
import { toastFailure } from '../../store/app';
import { compareWith, useMoving } from '../../store/moving';
import { Dialog } from '../kit/dialog';
import { inputClass } from '../kit/field';
import { Name } from '../kit/shown';
import { Mark, STATUS_WORD } from '../kit/status';
import { rowTime } from '../kit/time';
import { limitedShort } from '../kit/limit';
import s from './moving.module.css';

const MOST = 50;

/** Another run to lay beside one: found by its words, the newest first. */
export function ChooseRun() {
  const comparing = useMoving((state) => state.comparing);
  if (!comparing) return null;
  return <Chooser key={comparing.id} {...comparing} />;
}

function Chooser({ id, onPick }: { id: string; onPick: (other: string) => void }) {
  const [words, setWords] = useState('');
  const [rows, setRows] = useState<RunRow[]>();
  useEffect(() => {
    let live = true;
    const timer = window.setTimeout(
      () => {
        call('library.page', { offset: 0, limit: MOST, ...(words.trim() && { words: words.trim() }) }).then(
          (page) => live && setRows(page.rows.filter((row) => row.id !== id && !row.private)),
          toastFailure,
        );
      },
      words === '' ? 0 : 120,
    );
    return () => {
      live = false;
      window.clearTimeout(timer);
    };
  }, [id, words]);
  const close = () => compareWith(undefined);
  return (
    <Dialog label="Compare with" onClose={close}>
      <div className={s['form']}>
        <div className={s['scroll']}>
          <input
            className={inputClass}
            type="search"
            aria-label="Find a run"
            placeholder="Words of its title or first message"
            value={words}
            data-first
            {...limitedShort('A filter', 200, words, setWords)}
          />
          <ul className={s['points']} aria-label="Runs">
            {rows?.map((row) => (
              <li key={row.id}>
                <button
                  type="button"
                  onClick={() => {
                    close();
                    onPick(row.id);
                  }}
                >
                  <span className={s['run']}>
                    <Mark of={row.status} />
                    <Name text={row.title || 'Untitled'} />
                  </span>
                  <small>
                    {STATUS_WORD[row.status]} · {rowTime(row.updated)}
                  </small>
                  <p>
                    <Name text={[row.model, row.store].filter(Boolean).join(' · ')} />
                  </p>
                </button>
              </li>
            ))}
            {rows?.length === 0 && <li className={s['quiet']}>No other run has these words.</li>}
          </ul>
        </div>
      </div>
    </Dialog>
  );
}
