import { useId, useState } from 'react';
import { RadioGroup } from 'radix-ui';
import { WORDS_LIMIT } from '../../../shared/contract/pieces';
import type { PreflightView } from '../../../shared/contract/views';
import { TooLong } from '../chat/too-long';
import { limited } from '../kit/limit';
import { Name, Shown } from '../kit/shown';
import { Mark } from '../kit/status';
import { clockTime } from '../kit/time';
import s from './resume.module.css';

type Tool = PreflightView['unknown'][number];
type Decision = 'run' | 'skip' | 'happened';
/** By the hash of the call, so that an answer is never taken for one to another call. */
export type Answers = Record<string, { decision: Decision; words: string } | undefined>;

/** Every tool with an unknown outcome has an answer, and "what happened" has words. */
export const answersReady = (tools: readonly Tool[], answers: Answers): boolean =>
  tools.every((tool) => {
    const answer = answers[tool.hash];
    return answer !== undefined && (answer.decision !== 'happened' || answer.words.trim() !== '');
  });

const CHOICES: [Decision, string, string][] = [
  ['run', 'Run it again', 'It may happen twice if it did finish'],
  ['skip', 'Skip it', 'The model is told that nobody knows whether it finished'],
  ['happened', 'Say what happened', 'Your words become its result'],
];

/** Tools that started and have no result. Nobody can know whether they finished, so a person says how to go on. */
export function Unknown({
  tools,
  answers,
  onChange,
}: {
  tools: readonly Tool[];
  answers: Answers;
  onChange: (answers: Answers) => void;
}) {
  return (
    <section className={s['panel']} data-tone="stop" aria-labelledby="unknown-title">
      <div className={s['intro']}>
        <h2 id="unknown-title">
          {tools.length === 1
            ? 'One tool was running when it stopped'
            : `${tools.length} tools were running when it stopped`}
        </h2>
        <p>Whether {tools.length === 1 ? 'it' : 'each of them'} finished is not known. Look, then choose.</p>
      </div>
      {tools.map((tool) => (
        <One
          key={tool.hash}
          tool={tool}
          choices={CHOICES}
          answer={answers[tool.hash]}
          onChange={(answer) => onChange({ ...answers, [tool.hash]: answer })}
        />
      ))}
    </section>
  );
}

const FOREIGN_CHOICES: typeof CHOICES = [
  ['skip', 'Don’t run it', 'The model is told that the call was not run'],
  ['run', 'Run it here', 'It may have run already where it comes from'],
];

/** Open calls that came with a run from elsewhere. None of them runs unless a person says so, for this call. */
export function Foreign({
  tools,
  answers,
  onChange,
}: {
  tools: readonly Tool[];
  answers: Answers;
  onChange: (answers: Answers) => void;
}) {
  return (
    <section className={s['panel']} data-tone="stop" aria-labelledby="foreign-title">
      <div className={s['intro']}>
        <h2 id="foreign-title">
          {tools.length === 1
            ? 'One open call came with this run'
            : `${tools.length} open calls came with this run`}
        </h2>
        <p>Nothing runs on this computer unless you allow that call.</p>
      </div>
      {tools.map((tool) => (
        <One
          key={tool.hash}
          tool={tool}
          choices={FOREIGN_CHOICES}
          answer={answers[tool.hash]}
          onChange={(answer) => onChange({ ...answers, [tool.hash]: answer })}
        />
      ))}
    </section>
  );
}

function One({
  tool,
  choices,
  answer,
  onChange,
}: {
  tool: Tool;
  choices: typeof CHOICES;
  answer: Answers[string];
  onChange: (answer: Answers[string]) => void;
}) {
  const id = useId();
  return (
    <div className={s['unknown']}>
      <div className={s['what']}>
        <p>
          <Mark of="unknown" />
          <Name text={tool.tool} className={s['tool']} />
          {tool.startedAt && <small>started {clockTime(tool.startedAt)}</small>}
        </p>
        <pre tabIndex={0} aria-label={`Input of ${tool.tool}`}>
          <Shown text={tool.line} />
        </pre>
        {tool.fate === 'foreign' && tool.path !== undefined && (
          <p className={s['path']}>
            on <Shown text={tool.path} />
          </p>
        )}
      </div>
      <RadioGroup.Root
        className={s['radios']}
        aria-label={`What about ${tool.tool}?`}
        value={answer?.decision ?? ''}
        onValueChange={(decision) => onChange({ decision: decision as Decision, words: answer?.words ?? '' })}
      >
        {choices.map(([decision, label, help]) => (
          <div key={decision} className={s['radio-row']}>
            <RadioGroup.Item id={`${id}${decision}`} value={decision} className={s['radio']}>
              <RadioGroup.Indicator className={s['radio-dot']} />
            </RadioGroup.Item>
            <label htmlFor={`${id}${decision}`}>
              {label}
              <small>{help}</small>
            </label>
          </div>
        ))}
      </RadioGroup.Root>
      {answer?.decision === 'happened' && (
        <Happened words={answer.words} onChange={(words) => onChange({ decision: 'happened', words })} />
      )}
    </div>
  );
}

function Happened({ words, onChange }: { words: string; onChange: (words: string) => void }) {
  const [refused, setRefused] = useState<string>();
  return (
    <>
      <textarea
        className={s['words']}
        aria-label="What happened"
        rows={2}
        placeholder="For example: the file was written, all 120 lines"
        value={words}
        {...limited({ value: words, limit: WORDS_LIMIT, onChange, onTooLong: setRefused })}
      />
      {refused !== undefined && (
        <TooLong
          text={refused}
          limit={WORDS_LIMIT}
          what="description"
          onClose={() => setRefused(undefined)}
        />
      )}
    </>
  );
}
