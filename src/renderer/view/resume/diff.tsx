import { useState } from 'react';
import { Lock } from 'lucide-react';
import type { PreflightView } from '../../../shared/contract/views';
import { Name, Shown } from '../kit/shown';
import { CopyText } from '../moving/copy-text';
import { FIELD_MEANS, FIELD_NAME, FIELD_RISK, fieldValue, isHash } from './fields';
import d from '../kit/differences.module.css';
import s from './resume.module.css';

/** Recorded and current configuration, side by side, field by field. */
export function Diff({ flight, prompt }: { flight: PreflightView; prompt: string | undefined }) {
  const [shown, setShown] = useState(false);
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
            <tr
              key={field.field}
              data-changed={field.changed}
              data-hard={field.changed && field.force === 'hard'}
            >
              <th scope="row">
                {FIELD_NAME[field.field] ?? field.field}
                <small>{FIELD_MEANS[field.field]}</small>
              </th>
              <td>
                <Value field={field.field} value={field.recorded} />
              </td>
              <td>
                {field.changed ? (
                  <>
                    <Value field={field.field} value={field.current} />
                    <span className={d['changed']}>changed</span>
                    {field.field === 'system_hash' && prompt !== undefined && (
                      <button
                        type="button"
                        className={s['reveal']}
                        aria-expanded={shown}
                        onClick={() => setShown(!shown)}
                      >
                        {shown ? 'hide current prompt' : 'show current prompt'}
                      </button>
                    )}
                    <small className={s['risk']}>
                      {field.force === 'hard' && <Lock size="0.75rem" aria-hidden="true" />}{' '}
                      {FIELD_RISK[field.field]}
                    </small>
                  </>
                ) : (
                  <span className={s['same']}>same</span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {shown && prompt !== undefined && (
        <pre className={s['prompt']} tabIndex={0} aria-label="Current system prompt">
          {prompt === '' ? 'The prompt is empty.' : <Shown text={prompt} />}
        </pre>
      )}
    </div>
  );
}

function Value({ field, value }: { field: string; value: string }) {
  return (
    <>
      <span className={d['value']} title={isHash(field) ? value : undefined}>
        <Shown text={fieldValue(field, value)} />
      </span>
      {isHash(field) && value !== '' && <CopyText text={value} what="hash" />}
    </>
  );
}
