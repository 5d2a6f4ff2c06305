import { Check, Hand, X } from 'lucide-react';
import type { PreflightView } from '../../../shared/contract/views';
import { Shown } from '../kit/shown';
import s from './resume.module.css';

const ICON = { pass: Check, refuse: X, forced: Hand } as const;
const SAID = { pass: 'Passed', refuse: 'Refused', forced: 'Forced' } as const;

/** The gates in the order in which they are judged, and whether somebody else writes the run. */
export function Gates({ flight }: { flight: PreflightView }) {
  return (
    <ol className={s['gates']} aria-label="Gates">
      {flight.gates.map((gate) => {
        const soft = gate.gate === 'drift' && gate.outcome === 'refuse';
        const Icon = soft ? Hand : ICON[gate.outcome];
        return (
          <li key={gate.gate} data-outcome={soft ? 'ask' : gate.outcome}>
            <Icon size="1rem" aria-hidden="true" />
            <span>
              <span className="sr">{SAID[gate.outcome]}: </span>
              <Shown text={gate.text} prose />
            </span>
          </li>
        );
      })}
      <li data-outcome={flight.writer === 'none' ? 'pass' : flight.writer === 'unknown' ? 'ask' : 'refuse'}>
        {flight.writer === 'none' ? (
          <Check size="1rem" aria-hidden="true" />
        ) : (
          <Hand size="1rem" aria-hidden="true" />
        )}
        <span>
          {flight.writer === 'none'
            ? 'Nobody else is writing to it.'
            : flight.writer === 'unknown'
              ? 'Whether somebody else is writing to it cannot be seen on this kind of disk.'
              : 'Somebody is writing to it now.'}
        </span>
      </li>
    </ol>
  );
}
