import { useRef, useState, type ReactNode } from 'react';
import { Button } from '../kit/button';
import { Field, inputClass } from '../kit/field';
import s from './models.module.css';

/**
 * A field for a secret. What is typed stays in the field itself until it is handed on, and is gone from the page then:
 * neither the page's state nor a draft ever has it, and no password manager is asked to keep it.
 */
export function SecretInput({
  label,
  help,
  problem,
  action,
  disabled = false,
  focus = false,
  onEnter,
  children,
}: {
  label: string;
  help?: ReactNode;
  problem?: string | undefined;
  /** The words of its button. */
  action: string;
  disabled?: boolean;
  /** Whether it has the keyboard as soon as it is shown. */
  focus?: boolean;
  /** Resolves to why it was not taken. */
  onEnter: (value: string) => Promise<string | undefined>;
  /** More buttons. */
  children?: ReactNode;
}) {
  const field = useRef<HTMLInputElement>(null);
  const [wrong, setWrong] = useState<string>();
  const [busy, setBusy] = useState(false);
  const hand = async () => {
    const input = field.current;
    if (!input || busy) return;
    setBusy(true);
    const refused = await onEnter(input.value);
    if (refused === undefined) input.value = '';
    setWrong(refused);
    setBusy(false);
  };
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
            autoFocus={focus}
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
          {children}
        </div>
      )}
    </Field>
  );
}
