import { Check, TriangleAlert } from 'lucide-react';
import type { Counts, ExportReportView, ImportReportView } from '../../../shared/contract/moving';
import { bareId } from '../../../shared/contract/run-key';
import { isNewRunId } from '../../../shared/run/names';
import { openRun } from '../../store/app';
import { forgetJob, useMoving } from '../../store/moving';
import { bytes, count, many } from '../kit/numbers';
import { Name, Shown } from '../kit/shown';
import r from './report.module.css';

const COUNTED: [keyof Counts, string][] = [
  ['records', 'Records'],
  ['calls', 'Tool calls'],
  ['results', 'Results'],
];

/** The count check, and whatever there is to know. */
export function ExportReport({ report }: { report: ExportReportView }) {
  const { found, written } = report;
  const telling = report.rows.filter((row) => row.damage ?? (!row.complete || row.missingTexts > 0));
  const only = report.runs === 1 ? report.rows[0] : undefined;
  return (
    <>
      <table className={r['counts']}>
        <caption className="sr">What was found in the journals, and what was written</caption>
        <thead>
          <tr>
            <th scope="col">Counted</th>
            <th scope="col">Found</th>
            <th scope="col">Written</th>
            <th scope="col">
              <span className="sr">Same</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {COUNTED.map(([key, word]) => (
            <tr key={key} data-same={found[key] === written[key]}>
              <th scope="row">{word}</th>
              <td>{count(found[key])}</td>
              <td>{count(written[key])}</td>
              <td>
                {found[key] === written[key] ? (
                  <Check size="0.9375rem" aria-label="all of them" />
                ) : (
                  <TriangleAlert size="0.9375rem" aria-label="not all of them" />
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <ul className={r['notes']}>
        {report.redacted > 0 && <li>{many(report.redacted, 'secret')} taken out</li>}
        {only?.remarks.map((remark) => (
          <li key={remark}>
            <Shown text={remark} />
          </li>
        ))}
        {!only &&
          telling.map((row) => (
            <li key={row.id}>
              <Name text={row.title} />:{' '}
              <Shown text={row.remarks.join(' ') || (row.damage?.message ?? 'Not complete.')} />
            </li>
          ))}
        {only?.damage && (
          <li data-tone="warn">
            <Shown text={only.damage.message} />
          </li>
        )}
        {report.failures.map(({ id, failure }) => (
          <li key={id} data-tone="bad">
            <Name text={bareId(id)} /> was not exported: <Shown text={failure.message} />
          </li>
        ))}
        {report.failed > report.failures.length && (
          <li>and {many(report.failed - report.failures.length, 'other run')} were not exported</li>
        )}
      </ul>
    </>
  );
}

/** What came in and as what, and what did not and why. */
export function ImportReport({ report }: { report: ImportReportView }) {
  const job = useMoving((state) => state.shown);
  const left = report.imported + report.failed - report.rows.length;
  return (
    <ul className={r['came']} aria-label="Files">
      {report.rows.map((row, at) => (
        <li key={at} data-tone={row.outcome === 'failed' ? 'bad' : undefined}>
          {row.outcome === 'failed' ? (
            <TriangleAlert size="0.9375rem" aria-label="Not imported" />
          ) : (
            <Check size="0.9375rem" aria-label="Imported" />
          )}
          <div>
            <p className={r['run']}>
              <b>
                <Name text={row.outcome === 'failed' ? row.source : row.title} />
              </b>
              {row.outcome === 'imported' && (
                <small>
                  <span className="sr">from </span>
                  <Name text={row.source} />
                </small>
              )}
            </p>
            {row.outcome === 'failed' ? (
              <p>
                <Shown text={[row.failure.message, row.failure.todo].filter(Boolean).join(' ')} prose />
              </p>
            ) : (
              <>
                <p>
                  {many(row.records, 'record')}
                  {bareId(row.id) !== row.wanted &&
                    (isNewRunId(row.wanted)
                      ? ', under a new name because its own was taken: '
                      : ', under a new name: ')}
                  {bareId(row.id) !== row.wanted && <code>{bareId(row.id)}</code>}
                  {' · '}
                  <button
                    type="button"
                    className={r['link']}
                    onClick={() => {
                      if (job !== undefined) forgetJob(job);
                      openRun(row.id);
                    }}
                  >
                    Open
                  </button>
                </p>
                {row.dropped > 0 && <p>{bytes(row.dropped)} at its end are no record and were left out.</p>}
                {row.warnings.map((warning) => (
                  <p key={warning.code + warning.detail}>
                    <Shown text={warning.detail} />
                  </p>
                ))}
                {row.schema.map(({ line, message }) => (
                  <p key={`${line}${message}`}>
                    Line {line} differs from the schema: <Shown text={message} />
                  </p>
                ))}
              </>
            )}
          </div>
        </li>
      ))}
      {left > 0 && <li>and {many(left, 'more file')}</li>}
    </ul>
  );
}
