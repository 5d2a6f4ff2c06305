import { useState } from 'react';
import {
  Brain,
  ChartColumn,
  ChevronDown,
  ChevronUp,
  ListTree,
  MessageSquare,
  Search,
  TriangleAlert,
  Wrench,
} from 'lucide-react';
import type { RunHead } from '../../../shared/contract/views';
import { jump } from '../../store/goal';
import { fold, inspect, startFind, togglePanel, usePanel, useReading } from '../../store/reading';
import { Button, IconButton } from '../kit/button';
import { count, many } from '../kit/numbers';
import { StatusBar } from '../chat/status-bar';
import { Shown } from '../kit/shown';
import { limitedShort } from '../kit/limit';
import s from './transcript.module.css';

/** The same items, only to read: no profile, key or folder is needed, and nothing can be set going. */
export function ReadingTools({ head }: { head: RunHead }) {
  const { thinking, output } = useReading();
  const panel = usePanel((state) => state.panel);
  return (
    <>
      <div className={s['tools']} role="toolbar" aria-label="Reading">
        <Button
          look="quiet"
          size="s"
          icon={<Brain size="0.875rem" />}
          aria-pressed={thinking === true}
          aria-label={thinking ? 'Fold thinking' : 'Unfold thinking'}
          title={thinking ? 'Fold all thinking' : 'Unfold all thinking'}
          onClick={() => fold({ thinking: !thinking })}
        >
          <span className={s['word']}>Thinking</span>
        </Button>
        <Button
          look="quiet"
          size="s"
          icon={<Wrench size="0.875rem" />}
          aria-pressed={output === true}
          aria-label={output ? 'Fold tool output' : 'Unfold tool output'}
          title={output ? 'Fold all tool output' : 'Unfold all tool output'}
          onClick={() => fold({ output: !output })}
        >
          <span className={s['word']}>Output</span>
        </Button>
        <span className={s['rule']} aria-hidden="true" />
        <Jumps what="prompt" icon={<MessageSquare size="0.875rem" aria-hidden="true" />} keys="alt" />
        <Jumps what="error" icon={<TriangleAlert size="0.875rem" aria-hidden="true" />} keys="F8" />
        <StepField last={head.lastStep} />
        <span className={s['grow']} />
        <Button
          look="quiet"
          size="s"
          icon={<ListTree size="0.875rem" />}
          aria-pressed={panel === 'turns'}
          aria-label="Turns"
          title="Turns"
          onClick={() => togglePanel('turns')}
        >
          <span className={s['panel-word']}>Turns</span>
        </Button>
        <Button
          look="quiet"
          size="s"
          icon={<ChartColumn size="0.875rem" />}
          aria-pressed={panel === 'usage'}
          aria-label="Usage"
          title="Usage"
          onClick={() => togglePanel('usage')}
        >
          <span className={s['panel-word']}>Usage</span>
        </Button>
        <Button
          look="quiet"
          size="s"
          icon={<Search size="0.875rem" />}
          aria-label="Find"
          title="Find"
          onClick={startFind}
        >
          <span className={s['panel-word']}>Find</span>
        </Button>
      </div>
      <Warnings warnings={head.warnings} />
    </>
  );
}

/** Warnings that are shown before they are asked for. */
const FEW = 3;

/** What is odd about the journal, each with the record that it is about. */
function Warnings({ warnings }: Pick<RunHead, 'warnings'>) {
  const [all, setAll] = useState(false);
  if (warnings.length === 0) return null;
  return (
    <div className={s['warnings']}>
      <ul aria-label="Warnings about this journal">
        {warnings.slice(0, all ? undefined : FEW).map(({ code, detail, seq }, n) => (
          <li key={`${n} ${code}`}>
            <TriangleAlert size="0.875rem" aria-hidden="true" />
            <span>
              <Shown text={detail} prose />
            </span>
            {seq !== undefined && (
              <Button look="quiet" size="s" onClick={() => inspect(seq)}>
                Record {count(seq)}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {warnings.length > FEW && (
        <Button look="quiet" size="s" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? 'Show fewer' : `Show all ${many(warnings.length, 'warning')}`}
        </Button>
      )}
    </div>
  );
}

const JUMP = {
  prompt: { before: 'Previous message of yours', after: 'Next message of yours' },
  error: { before: 'Previous error', after: 'Next error' },
};

/** Backwards and forwards from one landmark to the next. */
function Jumps({
  what,
  icon,
  keys,
}: {
  what: 'prompt' | 'error';
  icon: React.ReactNode;
  keys: 'alt' | 'F8';
}) {
  const words = JUMP[what];
  return (
    <span className={s['jumps']}>
      <span className={s['jump-mark']}>{icon}</span>
      <IconButton
        size="s"
        label={words.before}
        keys={keys === 'alt' ? 'alt+up' : 'shift+F8'}
        icon={<ChevronUp size="0.875rem" />}
        onClick={() => jump({ previous: what })}
      />
      <IconButton
        size="s"
        label={words.after}
        keys={keys === 'alt' ? 'alt+down' : 'F8'}
        icon={<ChevronDown size="0.875rem" />}
        onClick={() => jump({ next: what })}
      />
    </span>
  );
}

/** Goes to the step whose number is typed. */
function StepField({ last }: { last: number }) {
  const [text, setText] = useState('');
  const go = () => {
    const step = Number(text);
    if (Number.isInteger(step) && step > 0) jump({ step });
  };
  return (
    <label className={s['step']}>
      <span className={s['panel-word']}>Step</span>
      <input
        type="text"
        inputMode="numeric"
        data-step
        aria-label={`Go to step, 1 to ${count(last)}`}
        placeholder={last > 0 ? `of ${count(last)}` : '–'}
        value={text}
        {...limitedShort('The number of a step', 9, text, (value) => setText(value.replace(/\D/g, '')))}
        onKeyDown={(event) => {
          if (event.key === 'Enter') go();
          if (event.key === 'Escape') setText('');
        }}
      />
    </label>
  );
}

export function ReadingFoot({ head }: { head: RunHead }) {
  return (
    <div className={s['foot']}>
      <StatusBar head={head} />
    </div>
  );
}
