import type { PreflightView } from '../../../shared/contract/views';
import { many, short } from '../kit/numbers';
import { Shown } from '../kit/shown';
import s from './resume.module.css';

/** What a resume would do first, and what it would send. */
export function Next({ flight, waiting }: { flight: PreflightView; waiting: number }) {
  const calls = flight.resume.then === 'call';
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
            A reply was cut off while it arrived. What came of it ({many(flight.lost.characters, 'character')}
            ) can be read in the transcript; it is not part of the conversation, and the call is made again.
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

/** What a resume does first, and what follows. */
function nextWords({ resume, pending }: PreflightView): string {
  const runs = resume.calls.filter(({ fate }) => fate === 'run' || fate === 'ask').length;
  const open = resume.calls.some(({ fate }) => fate !== 'answered');
  const { then } = resume;
  if (pending.length === 0 || !open || then === 'budget') return sentence(THEN[then]);
  if (runs === 0) return `The open calls are answered, then ${THEN[then]}.`;
  if (runs === 1) return `One tool that has no result yet runs, then ${THEN[then]}.`;
  return `${runs} tools that have no result yet run, then ${THEN[then]}.`;
}

const sentence = (words: string) => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;

const THEN: Record<PreflightView['resume']['then'], string> = {
  call: 'the model is called with the conversation as it is',
  input: 'the chat waits for your next message',
  finish: 'the last record, the only one that is missing, is written',
  nothing: 'there is nothing left to do in this run',
  cut_short: 'the run ends as failed: its last answer was cut short',
  budget: 'the run stops at once: its tokens are used up',
  steps: 'the run stops: its steps are used up',
};
