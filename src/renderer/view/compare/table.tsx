import type { RunSide } from '../../../shared/contract/moving';
import { bareId } from '../../../shared/contract/run-key';
import { spentOf, tokensOf } from '../../../shared/run/tokens';
import { useApp } from '../../store/app';
import { bytes, count, listed, many } from '../kit/numbers';
import { tilde } from '../kit/paths';
import { Shown } from '../kit/shown';
import { fullTime } from '../kit/time';
import { CopyText } from '../moving/copy-text';
import { FIELD_MEANS, FIELD_NAME, fieldValue, isHash } from '../resume/fields';
import d from '../kit/differences.module.css';
import s from './compare.module.css';

interface Row {
  name: string;
  means?: string | undefined;
  a: string | undefined;
  b: string | undefined;
  /** Full values, where what is shown is short. */
  whole?: { a: string; b: string } | undefined;
  /** Shown to the letter, as it is kept. */
  exact?: boolean;
  /** That they differ goes without saying, but for this word. */
  plain?: string;
}

const OUTCOME: Record<string, string> = {
  completed: 'finished',
  suspended: 'paused',
  error: 'failed',
  budget: 'out of budget',
  max_iterations: 'hit the step limit',
};

const COUNTERS: [string, (counters: NonNullable<RunSide['counters']>) => number][] = [
  ['Tokens in all', (counters) => tokensOf(spentOf(counters)).all],
  ['Tokens in', (counters) => tokensOf(spentOf(counters)).in],
  ['Tokens in, read from the cache', (counters) => counters.cache_read_tokens],
  ['Tokens in, written to the cache', (counters) => counters.cache_create_tokens],
  ['Tokens out', (counters) => counters.out_tokens],
  ['Model calls', (counters) => counters.llm_calls],
  ['Tool calls', (counters) => counters.tool_calls],
  ['Tool calls on the service’s side', (counters) => counters.remote_tool_calls],
];

/** Everything that can be told in one line, by what it is about. */
export function Table({ a, b }: { a: RunSide; b: RunSide }) {
  const home = useApp((state) => state.hello?.home);
  const both = <T,>(of: (side: RunSide) => T) => ({ a: of(a), b: of(b) });
  const groups: [string, Row[]][] = [
    [
      'Configuration',
      [
        ...Object.keys(FIELD_NAME).map((field) => fingerprintRow(field, a, b)),
        { name: 'Profile', ...both((side) => side.profile) },
        { name: 'Service', means: 'Where the conversation is sent.', ...both((side) => side.endpoint) },
        { name: 'Folder', ...both((side) => side.folder && tilde(side.folder, home)) },
      ],
    ],
    [
      'Run',
      [
        { name: 'Id', plain: 'id', exact: true, ...both((side) => bareId(side.id)) },
        { name: 'Store', ...both((side) => side.store) },
        {
          name: 'Kind',
          ...both((side) => (side.chat === undefined ? undefined : side.chat ? 'chat' : 'one task')),
        },
        { name: 'Begun', plain: 'times', ...both((side) => side.created && fullTime(side.created)) },
        { name: 'Last change', plain: 'times', ...both((side) => side.updated && fullTime(side.updated)) },
        { name: 'Outcome', ...both(outcome) },
        { name: 'Made from', plain: 'origin', ...both((side) => side.origin?.from) },
      ],
    ],
    [
      'Usage',
      [
        { name: 'Steps', ...both((side) => count(side.steps)) },
        ...COUNTERS.map(([name, of]): Row => ({ name, ...both(({ counters: c }) => c && count(of(c))) })),
        { name: 'Tools used', ...both(tools) },
        {
          name: 'Journal',
          plain: 'the journal’s length',
          ...both((side) => `${many(side.records, 'record')}, ${bytes(side.bytes)}`),
        },
      ],
    ],
  ];
  return (
    <>
      {groups.map(([name, rows]) => (
        <Group
          key={name}
          name={name}
          rows={rows.filter((row) => row.a !== undefined || row.b !== undefined)}
        />
      ))}
    </>
  );
}

function Group({ name, rows }: { name: string; rows: readonly Row[] }) {
  const differing = rows.filter((row) => row.a !== row.b);
  const changed = differing.filter((row) => row.plain === undefined).length;
  const apart = [...new Set(differing.flatMap((row) => row.plain ?? []))];
  return (
    <section className={s['group']}>
      <h2>
        {name}
        <small>
          {changed > 0
            ? many(changed, 'difference')
            : apart.length > 0
              ? `the same apart from ${listed(apart)}`
              : 'the same'}
        </small>
      </h2>
      <table className={d['table']}>
        <caption className="sr">{name} of both runs</caption>
        <colgroup>
          <col className={s['what']} />
          <col />
          <col />
        </colgroup>
        <thead className="sr">
          <tr>
            <th scope="col">What</th>
            <th scope="col">Left</th>
            <th scope="col">Right</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const differs = row.plain === undefined && row.a !== row.b;
            return (
              <tr key={row.name} data-changed={differs}>
                <th scope="row">
                  {row.name}
                  {row.means !== undefined && <small>{row.means}</small>}
                </th>
                <Cell text={row.a} exact={row.exact} whole={row.whole?.a} />
                <Cell
                  text={row.b}
                  exact={row.exact}
                  whole={row.whole?.b}
                  note={differs ? 'differs' : undefined}
                />
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

function Cell({
  text,
  exact = false,
  whole,
  note,
}: {
  text: string | undefined;
  exact?: boolean | undefined;
  whole?: string | undefined;
  note?: string | undefined;
}) {
  return (
    <td>
      {text === undefined || text === '' ? (
        <span className={s['quiet']}>not known</span>
      ) : (
        <span className={exact ? d['value'] : undefined}>
          <Shown text={text} />
        </span>
      )}
      {whole !== undefined && whole !== '' && <CopyText text={whole} what="hash" />}
      {note !== undefined && <span className={d['changed']}>{note}</span>}
    </td>
  );
}

function fingerprintRow(field: string, a: RunSide, b: RunSide): Row {
  const value = (side: RunSide) => side.fingerprint?.[field];
  const shown = (side: RunSide) => {
    const text = value(side);
    return text === undefined ? undefined : fieldValue(field, text);
  };
  return {
    name: FIELD_NAME[field] ?? field,
    means: FIELD_MEANS[field],
    a: shown(a),
    b: shown(b),
    exact: true,
    ...(isHash(field) && { whole: { a: value(a) ?? '', b: value(b) ?? '' } }),
  };
}

const outcome = (side: RunSide): string | undefined =>
  side.outcome &&
  [OUTCOME[side.outcome.reason] ?? side.outcome.reason, side.outcome.message].filter(Boolean).join(': ');

const tools = (side: RunSide): string =>
  side.tools.length === 0
    ? 'none'
    : side.tools
        .map(
          ({ name, calls, errors }) =>
            `${name} ${count(calls)}${errors > 0 ? ` (${many(errors, 'error')})` : ''}`,
        )
        .join(', ');
