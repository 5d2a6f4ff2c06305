import type { PreflightView } from '../../../shared/contract/views';
import { Name, Shown } from '../kit/shown';
import { Mark } from '../kit/status';
import s from './resume.module.css';

type Tool = PreflightView['pending'][number];

const FATE: Record<Tool['fate'], { word: string; mark: React.ComponentProps<typeof Mark>['of'] }> = {
  answered: { word: 'has its result, does not run again', mark: 'ok' },
  run: { word: 'runs', mark: 'unanswered' },
  ask: { word: 'asks you first, then runs', mark: 'waiting' },
  unknown: { word: 'outcome unknown', mark: 'unknown' },
  foreign: { word: 'came with the run: runs only if you allow it above', mark: 'waiting' },
  not_run: { word: 'is answered as not run', mark: 'not_run' },
  missing: { word: 'this profile has no such tool: it is answered as failed', mark: 'error' },
};

/** The calls of the step that was under way: which have results, which would run, with what input. */
export function Pending({ tools }: { tools: readonly Tool[] }) {
  return (
    <section className={s['panel']} aria-labelledby="pending-title">
      <div className={s['intro']}>
        <h2 id="pending-title">The step that was under way</h2>
      </div>
      <ul className={s['tools']}>
        {tools.map((tool) => {
          const fate = FATE[tool.fate];
          return (
            <li key={tool.toolUseId}>
              <Mark of={fate.mark} />
              <div>
                <p>
                  <Name text={tool.tool} className={s['tool']} />{' '}
                  <span className={s['fate']}>{fate.word}</span>
                </p>
                <pre tabIndex={0} aria-label={`Input of ${tool.tool}`}>
                  <Shown text={tool.line} />
                </pre>
              </div>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
