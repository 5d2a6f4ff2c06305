import { useId, type ReactNode } from 'react';
import { Switch as RadixSwitch } from 'radix-ui';
import s from './field.module.css';

/** A labelled control with help and, when there is one, a problem; the control gets the ids that tie them together. */
export function Field({
  label,
  help,
  problem,
  children,
}: {
  label: string;
  help?: ReactNode;
  problem?: string | undefined;
  children: (ids: {
    id: string;
    'aria-describedby': string | undefined;
    'aria-invalid': boolean;
  }) => ReactNode;
}) {
  const id = useId();
  const note = useId();
  const described = help !== undefined || problem ? note : undefined;
  return (
    <div className={s['field']}>
      <label htmlFor={id}>{label}</label>
      {children({ id, 'aria-describedby': described, 'aria-invalid': !!problem })}
      {described && (
        <p id={note} className={problem ? s['problem'] : s['help']}>
          {problem ?? help}
        </p>
      )}
    </div>
  );
}

/** A name, an address or a path: nothing completes or corrects it. */
export function TextField({
  label,
  help,
  problem,
  value,
  placeholder,
  disabled = false,
  onChange,
}: {
  label: string;
  help?: string | undefined;
  problem?: string | undefined;
  value: string;
  placeholder?: string | undefined;
  disabled?: boolean;
  onChange: (value: string) => void;
}) {
  return (
    <Field label={label} help={help} problem={problem}>
      {(ids) => (
        <input
          {...ids}
          className={inputClass}
          value={value}
          placeholder={placeholder}
          disabled={disabled}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

export const inputClass = s['input'];

export function Switch({
  label,
  help,
  checked,
  onChange,
  disabled = false,
}: {
  label: string;
  help?: ReactNode;
  checked: boolean;
  onChange: (on: boolean) => void;
  disabled?: boolean;
}) {
  const id = useId();
  return (
    <div className={s['switch-row']}>
      <RadixSwitch.Root
        id={id}
        className={s['switch']}
        checked={checked}
        onCheckedChange={onChange}
        disabled={disabled}
      >
        <RadixSwitch.Thumb className={s['thumb']} />
      </RadixSwitch.Root>
      <div>
        <label htmlFor={id}>{label}</label>
        {help !== undefined && <p className={s['help']}>{help}</p>}
      </div>
    </div>
  );
}
