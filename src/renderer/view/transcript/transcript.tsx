import { Brain, Search, Wrench } from 'lucide-react';
import type { RunHead } from '../../../shared/contract/views';
import { fold, startFind, useReading } from '../../store/reading';
import { Button } from '../kit/button';
import { StatusBar } from '../chat/status-bar';
import { Shown } from '../kit/shown';
import s from './transcript.module.css';

/** The same items, only to read: no profile, key or folder is needed, and nothing can be set going. */
export function ReadingTools({ head }: { head: RunHead }) {
  const { thinking, output } = useReading();
  return (
    <>
      <div className={s['tools']} role="toolbar" aria-label="Reading">
        <Button
          look="quiet"
          size="s"
          icon={<Brain size="0.875rem" />}
          aria-pressed={thinking === true}
          onClick={() => fold({ thinking: !thinking })}
        >
          {thinking ? 'Fold thinking' : 'Unfold thinking'}
        </Button>
        <Button
          look="quiet"
          size="s"
          icon={<Wrench size="0.875rem" />}
          aria-pressed={output === true}
          onClick={() => fold({ output: !output })}
        >
          {output ? 'Fold tool output' : 'Unfold tool output'}
        </Button>
        <span className={s['grow']} />
        <Button look="quiet" size="s" icon={<Search size="0.875rem" />} onClick={startFind}>
          Find
        </Button>
      </div>
      {head.warnings.length > 0 && (
        <ul className={s['warnings']} aria-label="About this journal">
          {head.warnings.slice(0, 4).map((warning) => (
            <li key={warning.code + warning.detail}>
              <Shown text={warning.detail} prose />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

export function ReadingFoot({ head }: { head: RunHead }) {
  return (
    <div className={s['foot']}>
      <StatusBar head={head} />
    </div>
  );
}
