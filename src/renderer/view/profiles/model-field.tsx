import { useId, useState } from 'react';
import { call, failureOf } from '../../client';
import { Button } from '../kit/button';
import { Field, inputClass } from '../kit/field';
import { many } from '../kit/numbers';
import type { Form } from './form';
import s from './profiles.module.css';

/**
 * The model's name. The service is asked what it offers only on a click: its address may be half typed before, and a new
 * address is a question that Holdfast asks outside this page.
 */
export function ModelField({
  form,
  held,
  problem,
  disabled,
  onChange,
  onEndpoint,
}: {
  form: Form;
  /** Id of a key that was just entered. */
  held: string | undefined;
  problem: string | undefined;
  disabled: boolean;
  onChange: (model: string) => void;
  /** The person takes the address that the models were found at. */
  onEndpoint: (endpoint: string) => void;
}) {
  const list = useId();
  const [models, setModels] = useState<string[]>();
  const [note, setNote] = useState('');
  const [versioned, setVersioned] = useState<string>();
  const [busy, setBusy] = useState(false);
  const { provider, endpoint, key_env } = form;
  const ask = () => {
    setBusy(true);
    setNote('Asking. A new address is confirmed outside this page first.');
    call('profiles.models', {
      provider,
      ...(endpoint.trim() && { endpoint: endpoint.trim() }),
      ...(key_env.trim() && { key_env: key_env.trim() }),
      ...(held !== undefined && { key: held }),
    })
      .then(
        (reply) => {
          setModels(reply.models);
          setVersioned(reply.endpoint);
          const offered = `${many(reply.models.length, 'model')} offered; the field suggests them`;
          setNote(reply.endpoint === undefined ? offered : `${offered}. They are at ${reply.endpoint}`);
        },
        (error: unknown) => {
          const { message, todo } = failureOf(error);
          setModels(undefined);
          setNote([message, todo].filter(Boolean).join(' '));
        },
      )
      .finally(() => setBusy(false));
  };
  return (
    <Field label="Model" help={note || 'The name that the service knows it by'} problem={problem}>
      {(ids) => (
        <div className={s['with-button']}>
          <input
            {...ids}
            className={inputClass}
            value={form.model}
            disabled={disabled}
            list={list}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => onChange(event.target.value)}
          />
          {!disabled && (
            <Button disabled={busy} onClick={ask}>
              List
            </Button>
          )}
          {!disabled && versioned !== undefined && (
            <Button onClick={() => onEndpoint(versioned)}>Add /v1</Button>
          )}
          <datalist id={list}>
            {models?.slice(0, 200).map((model) => (
              <option key={model} value={model} />
            ))}
          </datalist>
        </div>
      )}
    </Field>
  );
}
