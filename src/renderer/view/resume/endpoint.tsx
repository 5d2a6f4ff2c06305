import { useId } from 'react';
import { Globe } from 'lucide-react';
import type { PreflightView } from '../../../shared/contract/views';
import { Shown } from '../kit/shown';
import s from './resume.module.css';

/** The conversation would go to somebody else than before: asked for itself, and Force does not answer it. */
export function Endpoint({
  endpoint,
  ok,
  onChange,
}: {
  endpoint: NonNullable<PreflightView['endpoint']>;
  ok: boolean;
  onChange: (ok: boolean) => void;
}) {
  const id = useId();
  return (
    <div className={s['endpoint']}>
      <Globe size="1.0625rem" aria-hidden="true" />
      <div>
        <h3>The conversation would go to another place</h3>
        <p>
          So far it went to{' '}
          <code>
            <Shown text={endpoint.recorded ?? 'no server'} />
          </code>
          . With this profile all of it, tool results included, goes to{' '}
          <code>
            <Shown text={endpoint.current ?? 'no server'} />
          </code>
          .
        </p>
        <p className={s['agree']}>
          <input id={id} type="checkbox" checked={ok} onChange={(event) => onChange(event.target.checked)} />
          <label htmlFor={id}>Yes, send this conversation there</label>
        </p>
      </div>
    </div>
  );
}
