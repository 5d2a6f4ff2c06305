import { useEffect, useMemo, useState } from 'react';
import type { RunHead } from '../../../shared/contract/views';
import type { TurnRow } from '../../../shared/contract/reading';
import { editPrices, loadPrices, modelAt, useTurns } from '../../store/turns';
import { Button } from '../kit/button';
import { count, percent, short } from '../kit/numbers';
import { Shown } from '../kit/shown';
import {
  allOf,
  barsOf,
  costOfSteps,
  money,
  stepsOf,
  totalOf,
  usedUpTo,
  type Bar,
  type Step,
  placesFor,
} from './usage-data';
import s from './panel.module.css';

/** Bars that can be told apart in a panel. */
const BARS = 90;
/** Rows of the table that come at a time. */
const ROWS = 200;

/** What the run used, step by step and in all, and what that cost where prices are known. */
export function UsagePanel({ head, rows }: { head: RunHead; rows: readonly TurnRow[] }) {
  const steps = useMemo(() => stepsOf(rows), [rows]);
  const bars = useMemo(() => barsOf(steps, BARS), [steps]);
  const [table, setTable] = useState(false);
  const { cap } = head.budget;
  if (steps.length === 0) return <p className={s['note']}>No model was asked in this run.</p>;
  return (
    <div className={s['usage']} tabIndex={0} role="region" aria-label="What the run used">
      <Totals steps={steps} />
      <Chart bars={bars} steps={steps.length} />
      {cap > 0 && <Budget bars={bars} used={head.budget.used} cap={cap} />}
      <Cost steps={steps} />
      <div className={s['actions']}>
        <Button size="s" aria-expanded={table} onClick={() => setTable(!table)}>
          {table ? 'Hide the table' : 'Show as a table'}
        </Button>
      </div>
      {table ? <Table steps={steps} budget={cap > 0} /> : <BarTable bars={bars} budget={cap > 0} />}
    </div>
  );
}

const PARTS = [
  { part: 'in', label: 'In, not cached', of: 'in' },
  { part: 'write', label: 'In, written to the cache', of: 'cacheWrite' },
  { part: 'read', label: 'In, read from the cache', of: 'cacheRead' },
  { part: 'out', label: 'Out', of: 'out' },
] as const;

function Totals({ steps }: { steps: readonly Step[] }) {
  const total = totalOf(steps);
  return (
    <dl className={s['totals']} aria-label="Tokens in all">
      {PARTS.map(({ part, label, of }) => (
        <Fact key={part} label={label} value={count(total[of])} part={part} />
      ))}
      <dt className={s['sum']}>Tokens in {count(steps.length)} model calls</dt>
      <dd className={s['sum']}>{count(allOf(total))}</dd>
    </dl>
  );
}

function Fact({ label, value, part }: { label: string; value: string; part: string }) {
  return (
    <>
      <dt>
        <i className={s['key']} data-part={part} aria-hidden="true" />
        {label}
      </dt>
      <dd>{value}</dd>
    </>
  );
}

/** A bar for each step (or some), its parts one on the other; the table below has the same numbers. */
function Chart({ bars, steps }: { bars: readonly Bar[]; steps: number }) {
  const most = Math.max(1, ...bars.map(allOf));
  const first = bars[0];
  const each = first ? first.to - first.from + 1 : 1;
  const from = first?.from ?? 1;
  const to = bars.at(-1)?.to ?? from;
  const places = placesFor(bars.length);
  return (
    <div className={s['figure']}>
      <div className={s['caption']}>
        <span>{bars.length < steps ? `Tokens for every ${count(each)} steps` : 'Tokens for each step'}</span>
        <span>up to {short(most)}</span>
      </div>
      <svg
        className={s['chart']}
        viewBox={`0 0 ${places * 10} 100`}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        {bars.map((bar, at) => {
          let top = 100;
          return (
            <g key={at}>
              <title>{`${nameOf(bar)}: ${count(allOf(bar))} tokens`}</title>
              {PARTS.map(({ part, of }) => {
                const height = (bar[of] / most) * 100;
                top -= height;
                return height === 0 ? null : (
                  <rect key={part} data-part={part} x={at * 10 + 1} y={top} width={8} height={height} />
                );
              })}
            </g>
          );
        })}
      </svg>
      <div className={s['under']} style={{ width: `${(bars.length / places) * 100}%` }}>
        <span>Step {count(from)}</span>
        {to > from && <span>Step {count(to)}</span>}
      </div>
    </div>
  );
}

function Budget({ bars, used, cap }: { bars: readonly Bar[]; used: number; cap: number }) {
  const top = Math.max(cap, used) * 1.1;
  const width = Math.max(1, bars.length);
  const points = [`0,100`, ...bars.map((bar, at) => `${at + 1},${100 - (bar.used / top) * 100}`)].join(' ');
  return (
    <div className={s['figure']}>
      <div className={s['caption']}>
        <span>Budget, tokens in and out</span>
        <span>
          {percent(used, cap)}: {count(used)} of {count(cap)}
        </span>
      </div>
      <svg className={s['budget']} viewBox={`0 0 ${width} 100`} preserveAspectRatio="none" aria-hidden="true">
        <line x1={0} x2={width} y1={100 - (cap / top) * 100} y2={100 - (cap / top) * 100} />
        <polyline points={points} />
      </svg>
    </div>
  );
}

function Cost({ steps }: { steps: readonly Step[] }) {
  const { models, prices } = useTurns();
  useEffect(() => void loadPrices(), []);
  if (!prices) return null;
  const { sum, unknown } = costOfSteps(steps, (seq) => modelAt(models, seq), prices.prices);
  const none = prices.prices.length === 0;
  const partly = unknown.length < new Set(models.map(({ model }) => model)).size || sum > 0;
  return (
    <section className={s['cost']} aria-label="Cost">
      <h3>Cost</h3>
      {prices.problem !== '' ? (
        <p>
          <Shown text={prices.problem} />
        </p>
      ) : none ? (
        <p>Write down what your models cost, and the sum of a run is shown here.</p>
      ) : (
        <>
          {partly && <strong>{money(sum, prices.currency)}</strong>}
          {unknown.length > 0 && (
            <p>
              No price is known for <Shown text={unknown.join(', ')} />
              {partly ? '; its calls are not in this sum.' : '.'}
            </p>
          )}
        </>
      )}
      <div className={s['actions']}>
        <Button size="s" onClick={() => editPrices(true)}>
          {none ? 'Set prices…' : 'Prices…'}
        </Button>
      </div>
    </section>
  );
}

const nameOf = (bar: Bar) =>
  bar.from === bar.to ? `Step ${count(bar.from)}` : `Steps ${count(bar.from)} to ${count(bar.to)}`;

/** The charts for those who do not see them. */
function BarTable({ bars, budget }: { bars: readonly Bar[]; budget: boolean }) {
  return (
    // A table is never smaller than its words; what is around it is.
    <div className="sr">
      <table>
        <caption>Tokens by step</caption>
        <Head budget={budget} />
        <tbody>
          {bars.map((bar) => (
            <tr key={bar.from}>
              <th scope="row">{nameOf(bar)}</th>
              <Cells spent={bar} used={budget ? bar.used : undefined} />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Table({ steps, budget }: { steps: readonly Step[]; budget: boolean }) {
  const [rows, setRows] = useState(ROWS);
  const used = useMemo(() => usedUpTo(steps), [steps]);
  return (
    <div className={s['scroll']} tabIndex={0} role="region" aria-label="Tokens by step">
      <table className={s['table']}>
        <Head budget={budget} />
        <tbody>
          {steps.slice(0, rows).map((step, at) => (
            <tr key={step.seq}>
              <th scope="row">{count(step.iteration + 1)}</th>
              <Cells spent={step} used={budget ? used[at] : undefined} />
            </tr>
          ))}
        </tbody>
      </table>
      {rows < steps.length && (
        <Button size="s" onClick={() => setRows(rows + 5 * ROWS)}>
          Show more ({count(steps.length - rows)} left)
        </Button>
      )}
    </div>
  );
}

const Head = ({ budget }: { budget: boolean }) => (
  <thead>
    <tr>
      <th scope="col">Step</th>
      <th scope="col">In, not cached</th>
      <th scope="col">In, cache written</th>
      <th scope="col">In, cache read</th>
      <th scope="col">Out</th>
      {budget && <th scope="col">Budget used</th>}
    </tr>
  </thead>
);
const Cells = ({
  spent,
  used,
}: {
  spent: { in: number; cacheWrite: number; cacheRead: number; out: number };
  used: number | undefined;
}) => (
  <>
    <td>{count(spent.in)}</td>
    <td>{count(spent.cacheWrite)}</td>
    <td>{count(spent.cacheRead)}</td>
    <td>{count(spent.out)}</td>
    {used !== undefined && <td>{count(used)}</td>}
  </>
);
