import { useRef, useState } from 'react';
import { Button } from '../kit/button';
import { Field, inputClass } from '../kit/field';
import s from './models.module.css';

/** Another value for a saved secret. Like every such field, it hands it on and forgets it. */
export function ReplaceField({
  onEnter,
  onCancel,
}: {
  /** Resolves to why it was not taken. */
  onEnter: (value: string) => Promise<string | undefined>;
  onCancel: () => void;
}) {
  const field = useRef<HTMLInputElement>(null);
  const [wrong, setWrong] = useState<string>();
  const hand = async () => {
    const input = field.current;
    if (!input) return;
    const value = input.value;
    const refused = value === '' ? 'Enter the new key.' : await onEnter(value);
    setWrong(refused);
    if (refused === undefined && field.current) field.current.value = '';
  };
  return (
    <Field label="New key" problem={wrong}>
      {(ids) => (
        <div className={s['with-button']}>
          <input
            {...ids}
            ref={field}
            className={inputClass}
            type="password"
            autoComplete="off"
            autoFocus
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return;
              event.preventDefault();
              void hand();
            }}
          />
          <Button onClick={() => void hand()}>Replace</Button>
          <Button look="ghost" onClick={onCancel}>
            Cancel
          </Button>
        </div>
      )}
    </Field>
  );
}
