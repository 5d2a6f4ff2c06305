import { Fragment } from 'react';
import { Lock } from 'lucide-react';
import type { PreflightView } from '../../../shared/contract/views';
import { Name, Shown } from '../kit/shown';
import { CopyText } from '../moving/copy-text';
import { FIELD_MEANS, FIELD_NAME, amountOf, fieldValue, isHash, riskOf } from './fields';
import { PromptThenAndNow, ToolsThenAndNow } from './texts';
import d from '../kit/differences.module.css';
import s from './resume.module.css';

/** Recorded and current configuration, side by side, field by field. */
export function Diff({ flight }: { flight: PreflightView }) {
  return (
    <div className={s['table']}>
      <table className={d['table']}>
        <caption className="sr">Settings then and now</caption>
        <thead>
          <tr>
            <th scope="col">Setting</th>
            <th scope="col">When it was saved</th>
            <th scope="col">
              Now, with “<Name text={flight.profile} />”
            </th>
          </tr>
        </thead>
        <tbody>
          {flight.diff.map((field) => (
            <Fragment key={field.field}>
              <tr data-changed={field.changed} data-hard={field.changed && field.force === 'hard'}>
                <th scope="row">
                  {FIELD_NAME[field.field] ?? field.field}
                  <small>{FIELD_MEANS[field.field]}</small>
                </th>
                <td>
                  <Value
                    field={field.field}
                    value={field.recorded}
                    words={field.changed ? amountOf(field.field, flight.texts, 'recorded') : undefined}
                  />
                </td>
                <td>
                  {field.changed ? (
                    <>
                      <Value
                        field={field.field}
                        value={field.current}
                        words={amountOf(field.field, flight.texts, 'current')}
                      />
                      <span className={d['changed']}>changed</span>
                      <small className={s['risk']}>
                        {field.force === 'hard' && <Lock size="0.75rem" aria-hidden="true" />}{' '}
                        {riskOf(field, flight)}
                      </small>
                    </>
                  ) : (
                    <span className={s['same']}>same</span>
                  )}
                </td>
              </tr>
              {field.changed && <TextsRow field={field.field} flight={flight} />}
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** What a changed hash stands for, right below it. */
function TextsRow({ field, flight }: { field: string; flight: PreflightView }) {
  const { texts, profile } = flight;
  const { prompt, tools } = texts;
  const shown = field === 'system_hash' ? prompt : field === 'tools_hash' ? tools : undefined;
  if (!shown) return null;
  return (
    <tr className={s['texts']}>
      <td colSpan={3}>
        {field === 'system_hash' && prompt && <PromptThenAndNow prompt={prompt} profile={profile} />}
        {field === 'tools_hash' && tools && <ToolsThenAndNow tools={tools} profile={profile} />}
      </td>
    </tr>
  );
}

function Value({ field, value, words }: { field: string; value: string; words: string | undefined }) {
  return (
    <>
      {words === undefined ? (
        <span className={d['value']} title={isHash(field) ? value : undefined}>
          <Shown text={fieldValue(field, value)} />
        </span>
      ) : (
        <span title={value}>{words}</span>
      )}
      {isHash(field) && words === undefined && value !== '' && <CopyText text={value} what="hash" />}
    </>
  );
}
