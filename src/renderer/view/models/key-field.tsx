import { useRef, useState, type ReactNode } from 'react';
import { Check, KeyRound } from 'lucide-react';
import type { SecretEntry } from '../../../shared/contract/keys';
import { bareSecret, keyProblem } from '../../../shared/secret-text';
import { call, failureOf } from '../../client';
import { Button } from '../kit/button';
import { Field, inputClass } from '../kit/field';
import s from './models.module.css';

/**
 * A field for a secret. What is typed stays in the field itself until it is handed to the main process, and is gone from
 * the page then: neither the page's state nor a draft ever has it.
 */
export function KeyField({
  label = 'Key',
  kind = 'key',
  service,
  held,
  problem,
  help,
  action = 'Connect',
  disabled = false,
  onHeld,
}: {
  label?: string;
  kind?: SecretEntry['kind'];
  /** Where it may be sent; empty: not known yet. */
  service: string;
  held: { hint: string } | undefined;
  problem: string | undefined;
  help?: ReactNode;
  action?: string;
  disabled?: boolean;
  /** Undefined: the person wants to enter another one. */
  onHeld: (entry: SecretEntry | undefined) => void;
}) {
  const field = useRef<HTMLInputElement>(null);
  const [wrong, setWrong] = useState<string>();
  const [busy, setBusy] = useState(false);
  const hand = async () => {
    const input = field.current;
    if (!input || busy) return;
    const value = input.value;
    const refused =
      kind === 'key' ? keyProblem(bareSecret(value)) : value === '' ? 'Enter it first.' : undefined;
    setWrong(refused);
    if (refused !== undefined) return;
    setBusy(true);
    try {
      const entry = await call('keys.hold', { kind, service, value });
      input.value = '';
      onHeld(entry);
    } catch (error) {
      setWrong(failureOf(error).message);
    }
    setBusy(false);
  };
  if (held)
    return (
      <div className={s['held']} role="group" aria-label={label}>
        <span className={s['held-label']}>{label}</span>
        <span className={s['held-key']} data-bad={problem !== undefined}>
          {problem === undefined ? <Check size="0.9375rem" /> : <KeyRound size="0.9375rem" />}
          {held.hint === '' ? (
            'Entered'
          ) : (
            <>
              Ends in <code>{held.hint}</code>
            </>
          )}
          <Button size="s" look="ghost" disabled={disabled} onClick={() => onHeld(undefined)}>
            Change…
          </Button>
        </span>
        {problem !== undefined && (
          <p className={s['held-problem']} role="alert">
            {problem}
          </p>
        )}
      </div>
    );
  return (
    <Field label={label} help={help} problem={wrong ?? problem}>
      {(ids) => (
        <div className={s['with-button']}>
          <input
            {...ids}
            ref={field}
            className={inputClass}
            type="password"
            autoComplete="off"
            spellCheck={false}
            data-1p-ignore=""
            data-lpignore="true"
            disabled={disabled}
            onChange={() => setWrong(undefined)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return;
              event.preventDefault();
              void hand();
            }}
          />
          <Button disabled={disabled || busy} onClick={() => void hand()}>
            {action}
          </Button>
        </div>
      )}
    </Field>
  );
}
