import type { CommandOutput } from '../../../shared/contract/contract';
import { Field, inputClass } from '../kit/field';

type Stores = CommandOutput<'stores.list'>['stores'];

/** Which store a run is to be made in; nothing to choose where there is but one. */
export function IntoStore({
  stores,
  value,
  onChange,
}: {
  stores: readonly Stores[number][];
  value: string;
  onChange: (name: string) => void;
}) {
  if (stores.length < 2) return null;
  return (
    <Field label="Into the store">
      {(ids) => (
        <select
          {...ids}
          className={inputClass}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        >
          {stores.map(({ name, label }) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
