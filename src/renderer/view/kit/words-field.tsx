import { limitedShort } from './limit';
import s from './words-field.module.css';

/** Words that a list is filtered by: Escape takes them away, the arrow down goes on into the list. */
export function WordsField({
  label,
  placeholder,
  value,
  rows,
  className,
  onChange,
}: {
  label: string;
  placeholder: string;
  value: string;
  /** Finds the rows of the list. */
  rows: string;
  className?: string | undefined;
  onChange: (value: string) => void;
}) {
  return (
    <input
      type="search"
      className={className === undefined ? s['words'] : `${s['words']} ${className}`}
      aria-label={label}
      placeholder={placeholder}
      value={value}
      {...limitedShort('A filter', 200, value, onChange)}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && value !== '') {
          event.stopPropagation();
          onChange('');
        }
        if (event.key === 'ArrowDown') {
          event.preventDefault();
          document.querySelector<HTMLElement>(`${rows}[tabindex="0"]`)?.focus();
        }
      }}
    />
  );
}
