import { useEffect, type RefObject } from 'react';
import { CircleAlert } from 'lucide-react';
import { announce } from '../../store/announce';
import s from './form-problems.module.css';

/** Brings the first field with a problem into view and puts the cursor there, once React has marked it. */
export function toFirstProblem(form: HTMLElement | null): void {
  requestAnimationFrame(() => {
    const field = form?.querySelector<HTMLElement>('[aria-invalid="true"]');
    // Opened first: what is folded away can neither be seen nor have the focus.
    const fold = field?.closest('details');
    if (fold) fold.open = true;
    field?.scrollIntoView({ block: 'center' });
    field?.focus({ preventScroll: true });
  });
}

/**
 * Why the button of a form did nothing, right above that button: the fields that need attention by their names, each
 * leading to its field. Nothing while there are none.
 */
export function FormProblems({
  names,
  problems,
  form,
}: {
  names: Readonly<Record<string, string>>;
  problems: Readonly<Partial<Record<string, string>>>;
  form: RefObject<HTMLElement | null>;
}) {
  const wrong = Object.entries(names).flatMap(([name, label]) => (problems[name] ? [label] : []));
  const said = wrong.join(', ');
  useEffect(() => {
    if (said !== '') announce(`Not saved yet. Check: ${said}.`);
  }, [said]);
  if (wrong.length === 0) return null;
  return (
    <div className={s['note']} role="group" aria-label="Fields that need attention">
      <CircleAlert size="0.9375rem" aria-hidden="true" />
      <span>Not saved yet. Check:</span>
      {wrong.map((label) => (
        <button key={label} type="button" onClick={() => toField(form.current, label)}>
          {label}
        </button>
      ))}
    </div>
  );
}

function toField(form: HTMLElement | null, label: string): void {
  const found = [...(form?.querySelectorAll('label') ?? [])].find((one) => one.textContent === label);
  const field = found?.control;
  const fold = field?.closest('details');
  if (fold) fold.open = true;
  field?.scrollIntoView({ block: 'center' });
  field?.focus({ preventScroll: true });
}
