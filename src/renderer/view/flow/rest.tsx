import { useState } from 'react';
import { call } from '../../client';
import { useRun } from '../../store/run';
import { toastFailure } from '../../store/app';
import { Button } from '../kit/button';
import { short } from '../kit/numbers';
import { LongText } from './long-text';
import s from './flow.module.css';

/** Characters that one click brings. */
const STEP = 200_000;

/** The part of a long text that did not come with its item: asked for piece by piece. */
export function Rest({
  item,
  part,
}: {
  item: { key: string; text: string; more?: number | undefined };
  part: 'text' | 'input' | 'result';
}) {
  const id = useRun((state) => state.id);
  const [got, setGot] = useState('');
  const [busy, setBusy] = useState(false);
  const left = (item.more ?? 0) - got.length;
  if (!item.more || id === undefined) return null;
  const load = async () => {
    setBusy(true);
    try {
      const { text } = await call('run.text', {
        id,
        key: item.key,
        part,
        from: item.text.length + got.length,
        limit: STEP,
      });
      setGot((old) => old + text);
    } catch (error) {
      toastFailure(error);
    }
    setBusy(false);
  };
  return (
    <>
      {got !== '' && <LongText text={got} prose={part === 'text'} />}
      {left > 0 && (
        <div className={s['rest']} data-chrome>
          <Button size="s" disabled={busy} onClick={() => void load()}>
            {left > STEP
              ? `Show ${short(STEP)} of ${short(left)} more characters`
              : `Show ${short(left)} more characters`}
          </Button>
        </div>
      )}
    </>
  );
}

/** A text that is kept whole beside the journal, because only a part of it fits into a record. */
export function Kept({ name }: { name: string }) {
  const id = useRun((state) => state.id);
  const [got, setGot] = useState('');
  const [total, setTotal] = useState<number>();
  const [busy, setBusy] = useState(false);
  if (id === undefined) return null;
  const load = async () => {
    setBusy(true);
    try {
      const reply = await call('run.kept', { id, name, from: got.length, limit: STEP });
      setGot((old) => old + reply.text);
      setTotal(reply.total);
    } catch (error) {
      toastFailure(error);
    }
    setBusy(false);
  };
  const done = total !== undefined && got.length >= total;
  return (
    <>
      {got !== '' && (
        <div className={s['kept']}>
          <LongText text={got} />
        </div>
      )}
      {!done && (
        <div className={s['rest']} data-chrome>
          <span>The model got the part above. The whole is kept beside the journal.</span>
          <Button size="s" disabled={busy} onClick={() => void load()}>
            {total === undefined
              ? 'Show the whole'
              : `Show more (${short(total - got.length)} characters left)`}
          </Button>
        </div>
      )}
    </>
  );
}
