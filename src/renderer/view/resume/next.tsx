import type { PreflightView } from '../../../shared/contract/views';
import { many, short } from '../kit/numbers';
import { Shown } from '../kit/shown';
import s from './resume.module.css';

/** What a resume would do first, and what it would send. */
export function Next({ flight, waiting }: { flight: PreflightView; waiting: number }) {
  const calls = flight.next === 'tools' || flight.next === 'call';
  return (
    <section className={s['panel']} aria-labelledby="next-title">
      <div className={s['intro']}>
        <h2 id="next-title">What happens next</h2>
        <p>{nextWords(flight)}</p>
        {calls && flight.nextCallChars > 0 && (
          <p className={s['small']}>
            The next call sends about {short(flight.nextCallChars)} characters of conversation to{' '}
            <Shown text={flight.endpoint?.current ?? 'the model on this computer'} />.
          </p>
        )}
        {flight.pausedTurn && (
          <p className={s['small']}>
            The model had paused its turn. What the service kept for it may have expired; then it starts that
            turn again.
          </p>
        )}
        {flight.lost && (
          <p className={s['small']}>
            A reply was cut off while it arrived. What came of it (
            {many(flight.lost.text.length, 'character')}) can be read in the transcript; it is not part of the
            conversation, and the call is made again.
          </p>
        )}
        {waiting > 0 && (
          <p className={s['small']}>
            {waiting === 1 ? 'One message was not sent.' : `${waiting} messages were not sent.`} Resume does
            not send {waiting === 1 ? 'it' : 'them'}. Send, below, answers calls that have not begun as not
            run; then the model gets that message.
          </p>
        )}
      </div>
    </section>
  );
}

function nextWords(flight: PreflightView): string {
  const run = flight.pending.filter((tool) => tool.fate === 'run' || tool.fate === 'ask').length;
  switch (flight.next) {
    case 'tools':
      if (run === 0) return 'The open calls are answered, then the model is called.';
      if (run === 1) return 'One tool that has no result yet runs, then the model is called.';
      return `${run} tools that have no result yet run, then the model is called.`;
    case 'call':
      return 'The model is called with the conversation as it is.';
    case 'input':
      return 'It waits for your next message.';
    case 'finish':
      return 'Everything is done; only the last record is missing, and it is written.';
    case 'nothing':
      return 'There is nothing left to do in this run.';
  }
}
