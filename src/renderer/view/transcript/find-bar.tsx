import { useEffect, useRef } from 'react';
import { ChevronDown, ChevronUp, X } from 'lucide-react';
import { endFind, find, nextHit, useReading } from '../../store/reading';
import { IconButton } from '../kit/button';
import { count } from '../kit/numbers';
import { limitedShort } from '../kit/limit';
import s from './transcript.module.css';

/** The keyboard stays where one reads when the bar goes. */
const toConversation = () =>
  document.querySelector<HTMLElement>('main [role="region"][tabindex="0"]')?.focus();

/** Find in the whole run, also in what is folded or not loaded. */
export function FindBar({ id }: { id: string }) {
  const { words, total, now, searching, focus } = useReading();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, [focus]);
  return (
    <search className={s['find']}>
      <input
        ref={field}
        type="search"
        aria-label="Find in this run"
        placeholder="Find in this run"
        value={words}
        {...limitedShort('The words to find', 500, words, (value) => find(id, value))}
        onKeyDown={(event) => {
          if (event.key === 'Enter') nextHit(event.shiftKey ? -1 : 1);
          if (event.key === 'Escape') {
            event.preventDefault();
            endFind();
            toConversation();
          }
        }}
      />
      <span className={s['hits']} role="status">
        {words.trim() === ''
          ? ''
          : searching
            ? 'Searching…'
            : total === 0
              ? 'Not found'
              : `${count(now + 1)} of ${count(total)}`}
      </span>
      <IconButton
        size="s"
        label="Previous"
        keys="shift+enter"
        disabled={total === 0}
        icon={<ChevronUp size="1rem" />}
        onClick={() => nextHit(-1)}
      />
      <IconButton
        size="s"
        label="Next"
        keys="enter"
        disabled={total === 0}
        icon={<ChevronDown size="1rem" />}
        onClick={() => nextHit(1)}
      />
      <IconButton size="s" label="Close" keys="escape" icon={<X size="1rem" />} onClick={endFind} />
    </search>
  );
}
