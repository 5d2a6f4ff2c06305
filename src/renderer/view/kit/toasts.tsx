import { X } from 'lucide-react';
import { dismiss, useApp } from '../../store/app';
import { useAnnounce } from '../../store/announce';
import { Button, IconButton } from './button';
import { plainVisible } from './visible';
import { Shown } from './shown';
import s from './toasts.module.css';

/** Short messages that go away by themselves; whoever needs longer finds the same in the run. */
export function Toasts() {
  const toasts = useApp((state) => state.toasts);
  return (
    <div className={s['stack']} role="status" aria-label="Messages">
      {toasts.map((one) => (
        <div key={one.id} className={s['toast']} data-tone={one.tone}>
          <div className={s['text']}>
            <p>
              <Shown text={one.text} prose />
            </p>
            {one.failure?.kept && (
              <small>
                <Shown text={one.failure.kept} prose />
              </small>
            )}
            {one.failure?.todo && (
              <small>
                <Shown text={one.failure.todo} prose />
              </small>
            )}
          </div>
          {one.action && (
            <Button
              size="s"
              onClick={() => {
                one.action?.run();
                dismiss(one.id);
              }}
            >
              {one.action.label}
            </Button>
          )}
          <IconButton
            size="s"
            label="Dismiss"
            side="top"
            icon={<X size="0.875rem" />}
            onClick={() => dismiss(one.id)}
          />
        </div>
      ))}
    </div>
  );
}

/** Says finished answers and questions to those who listen; never single tokens. */
export function LiveRegion() {
  const { text, n } = useAnnounce();
  return (
    <div className="sr" role="status" aria-live="polite" aria-label="Announcements">
      <span key={n}>{plainVisible(text)}</span>
    </div>
  );
}
