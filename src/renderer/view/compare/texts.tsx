import type { RunSide } from '../../../shared/contract/moving';
import { openRecord } from '../../store/reading';
import { count, many } from '../kit/numbers';
import { Shown } from '../kit/shown';
import s from './compare.module.css';

interface Text {
  seq: number;
  text: string;
  more: number;
}

/** What was said, step by step, and what came out in the end. */
export function Texts({ a, b }: { a: RunSide; b: RunSide }) {
  const rows = Math.max(a.prompts.length, b.prompts.length);
  const left = Math.max(a.promptCount, b.promptCount) - rows;
  return (
    <>
      <section className={s['group']}>
        <h2>
          What was asked
          <small>
            {many(a.promptCount, 'message')} and {many(b.promptCount, 'message')}
          </small>
        </h2>
        {Array.from({ length: rows }, (_, n) => (
          <Pair key={n} name={`Message ${n + 1}`} a={a} b={b} left={a.prompts[n]} right={b.prompts[n]} />
        ))}
        {left > 0 && <p className={s['quiet']}>and {many(left, 'more message')}</p>}
      </section>
      <section className={s['group']}>
        <h2>Last answer</h2>
        <Pair name="Last answer" a={a} b={b} left={a.answer} right={b.answer} />
      </section>
    </>
  );
}

function Pair({
  name,
  a,
  b,
  left,
  right,
}: {
  name: string;
  a: RunSide;
  b: RunSide;
  left: Text | undefined;
  right: Text | undefined;
}) {
  if (left && right && left.text === right.text && left.more === right.more)
    return (
      <div className={s['pair']} data-same="true">
        <Block name={name} side={a} text={left} note="the same in both" />
      </div>
    );
  return (
    <div className={s['pair']}>
      <Block name={`${name}, left`} side={a} text={left} />
      <Block name={`${name}, right`} side={b} text={right} />
    </div>
  );
}

function Block({
  name,
  side,
  text,
  note,
}: {
  name: string;
  side: RunSide;
  text: Text | undefined;
  note?: string;
}) {
  if (!text) return <p className={s['none']}>nothing here</p>;
  return (
    <div className={s['text']}>
      <p>
        <button type="button" className={s['record']} onClick={() => openRecord(side.id, text.seq)}>
          Record {count(text.seq)}
        </button>
        {note !== undefined && <small>{note}</small>}
      </p>
      <div tabIndex={0} role="region" aria-label={name} dir="auto">
        <Shown text={text.text} prose />
        {text.more > 0 && <em>… and {many(text.more, 'more character')}</em>}
      </div>
    </div>
  );
}
