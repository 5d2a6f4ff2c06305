import { useEffect, useRef, type ReactNode } from 'react';
import { X } from 'lucide-react';
import { IconButton } from './button';
import s from './dialog.module.css';

interface DialogProps {
  label: string;
  onClose: () => void;
  children: ReactNode;
  /** A heading row with a close button; without it the content brings its own. */
  heading?: boolean;
  size?: 's' | 'm' | 'l';
  place?: 'centre' | 'top' | 'right';
}

/**
 * Dispatched on what a dialog was opened from when the element that had the focus has gone meanwhile (the row of a run
 * that was deleted): the list that knows what comes next gives the focus to that.
 */
export const FOCUS_RETURNS = 'focusreturns';

/** An element and everything around it. */
function around(element: Element | null): HTMLElement[] {
  const found: HTMLElement[] = [];
  for (let at = element; at instanceof HTMLElement; at = at.parentElement) found.push(at);
  return found;
}

function giveBack(opener: readonly HTMLElement[]): void {
  const { activeElement, body } = document;
  if (activeElement !== null && activeElement !== body) return;
  const there = opener.find((element) => element.isConnected);
  if (there === opener[0]) there?.focus();
  else there?.dispatchEvent(new Event(FOCUS_RETURNS, { bubbles: true }));
}

/**
 * A modal layer on the platform's own dialog: it traps focus, makes the rest inert, closes on Escape and gives the focus
 * back, all without styles written into the page.
 */
export function Dialog({
  label,
  onClose,
  children,
  heading = true,
  size = 'm',
  place = 'centre',
}: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const closing = useRef(onClose);
  useEffect(() => {
    closing.current = onClose;
  });
  useEffect(() => {
    const dialog = ref.current;
    if (!dialog) return;
    const opener = around(document.activeElement);
    if (!dialog.open) dialog.showModal();
    // Focus begins where one writes, else at the dialog, not at the button that ends it. (`autoFocus` comes too early: what
    // is not shown yet cannot have it.)
    const first = dialog.querySelector<HTMLElement>('[data-first]');
    if (first) first.focus();
    else if (document.activeElement?.hasAttribute('data-close')) dialog.focus();
    return () => {
      dialog.close();
      // A dialog that has left the page already gives nothing back, and what opened it may have left before it.
      giveBack(opener);
    };
  }, []);
  return (
    <dialog
      ref={ref}
      tabIndex={-1}
      aria-label={label}
      className={[s['dialog'], s[size], s[place]].join(' ')}
      onCancel={(event) => {
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        closing.current();
      }}
      onClose={() => closing.current()}
      onMouseDown={(event) => {
        if (event.target === event.currentTarget) closing.current();
      }}
    >
      <div className={s['body']}>
        {heading && (
          <header className={s['header']}>
            <h2>{label}</h2>
            <IconButton data-close label="Close" icon={<X size="1rem" />} onClick={onClose} />
          </header>
        )}
        {children}
      </div>
    </dialog>
  );
}
