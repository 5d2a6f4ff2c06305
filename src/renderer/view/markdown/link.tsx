import type { ReactNode } from 'react';
import { ArrowUpRight } from 'lucide-react';
import { openLink } from '../../store/links';
import { hostOf } from '../kit/paths';
import { Shown } from '../kit/shown';
import { plainVisible } from '../kit/visible';
import s from './markdown.module.css';

const OPENABLE = /^(https?:\/\/|mailto:)/i;

/**
 * A link in a text from outside. It has no address of its own that a click, a middle click or a drag could follow: the
 * main process asks with the full host shown, and opens it elsewhere. The host stands beside the words that hide it.
 */
export function Link({ url, children, words }: { url: string; children: ReactNode; words: string }) {
  if (!OPENABLE.test(url)) return <span title={plainVisible(url)}>{children}</span>;
  const host = hostOf(url);
  const told = words.includes(host);
  const open = () => void openLink(url);
  return (
    <span
      role="link"
      tabIndex={0}
      className={s['link']}
      title={plainVisible(url)}
      onClick={open}
      onKeyDown={(event) => {
        if (event.key === 'Enter') open();
      }}
    >
      {children}
      {!told && (
        <span className={s['host']}>
          {' '}
          <Shown text={host} />
        </span>
      )}
      <ArrowUpRight size="0.8em" className={s['out']} aria-hidden="true" />
    </span>
  );
}
