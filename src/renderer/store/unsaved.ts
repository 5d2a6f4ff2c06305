import { create } from 'zustand';

/**
 * What people changed in forms and did not save yet. Whatever would take such a form away (another view, Back, closing its
 * dialog) goes through here and asks first.
 */
interface Unsaved {
  /** By form: what the changes are to, as in "the profile “Work”". */
  forms: ReadonlyMap<string, string>;
  question: { what: string; leave: () => void } | undefined;
}
export const useUnsaved = create<Unsaved>(() => ({ forms: new Map(), question: undefined }));

/** `what` undefined: nothing in this form is unsaved any more. */
export function setUnsaved(form: string, what: string | undefined): void {
  const { forms } = useUnsaved.getState();
  if (forms.get(form) === what) return;
  const next = new Map(forms);
  if (what === undefined) next.delete(form);
  else next.set(form, what);
  useUnsaved.setState({ forms: next });
}

/** Leaves at once where nothing is unsaved, else after a yes. `form`: only this one goes away; absent: all of them. */
export function leaving(leave: () => void, form?: string): void {
  const { forms } = useUnsaved.getState();
  const what = form === undefined ? [...forms.values()][0] : forms.get(form);
  if (what === undefined) {
    leave();
    return;
  }
  useUnsaved.setState({
    question: {
      what,
      leave: () => {
        useUnsaved.setState({
          forms: form === undefined ? new Map() : new Map([...forms].filter(([id]) => id !== form)),
        });
        leave();
      },
    },
  });
}

export function answerLeaving(discard: boolean): void {
  const { question } = useUnsaved.getState();
  useUnsaved.setState({ question: undefined });
  if (discard) question?.leave();
}

/** A browser asks by itself before it closes or reloads a page with changes. */
export function askBeforeUnload(page: Pick<Window, 'addEventListener'>, asks: () => boolean): void {
  page.addEventListener('beforeunload', (event) => {
    if (asks() && useUnsaved.getState().forms.size > 0) event.preventDefault();
  });
}
