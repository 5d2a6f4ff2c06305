import { useCallback, useEffect, useId } from 'react';
import { answerLeaving, leaving, setUnsaved, useUnsaved } from '../../store/unsaved';
import { Button } from './button';
import { Dialog } from './dialog';
import s from './unsaved.module.css';

/**
 * Ties a form to the question that is asked before its changes go.
 *
 * @param what what the changes are to, as in "the profile “Work”"
 */
export function useUnsavedForm(changed: boolean, what: string) {
  const form = useId();
  useEffect(() => {
    setUnsaved(form, changed ? what : undefined);
    return () => setUnsaved(form, undefined);
  }, [form, changed, what]);
  return {
    /** Takes the form away, after a yes where something in it is unsaved. */
    leave: useCallback((how: () => void) => leaving(how, form), [form]),
    /** It is saved, or gone on purpose: nothing is asked. */
    settled: useCallback(() => setUnsaved(form, undefined), [form]),
  };
}

export function LeaveQuestion() {
  const question = useUnsaved((state) => state.question);
  if (!question) return null;
  return (
    <Dialog label="Discard your changes?" size="s" onClose={() => answerLeaving(false)}>
      <div className={s['question']}>
        <p>Your changes to {question.what} aren’t saved.</p>
        <div className={s['actions']}>
          <Button look="primary" data-first onClick={() => answerLeaving(false)}>
            Keep editing
          </Button>
          <Button look="danger" onClick={() => answerLeaving(true)}>
            Discard changes
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
