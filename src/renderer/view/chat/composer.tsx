import { useEffect, useId, useLayoutEffect, useRef, useState, type ReactNode, type Ref } from 'react';
import { ArrowUp } from 'lucide-react';
import { MESSAGE_LIMIT } from '../../../shared/contract/pieces';
import { loadDraft, setDraft, useDrafts } from '../../store/drafts';
import { Button } from '../kit/button';
import { limited } from '../kit/limit';
import { TooLong } from './too-long';
import s from './composer.module.css';

interface ComposerProps {
  /** Where the draft is kept. */
  draft: string;
  placeholder: string;
  label: string;
  action: string;
  onSend: () => void;
  /** In the place of the one action: what sending could mean now. Enter chooses neither. */
  choices?: readonly { label: string; look?: 'danger' | 'primary'; onChoose: () => void }[] | undefined;
  disabled?: boolean;
  /** A sentence above the field: what sending means now. */
  note?: ReactNode;
  /** Controls left of the button. */
  children?: ReactNode;
  extra?: ReactNode;
  rows?: number;
  autoFocus?: boolean;
  ref?: Ref<HTMLTextAreaElement>;
}

/** Where a person writes. What stands in it survives a crash; it grows with the text. */
export function Composer(props: ComposerProps) {
  const {
    draft,
    placeholder,
    label,
    action,
    onSend,
    choices,
    disabled = false,
    note,
    children,
    extra,
    rows = 1,
  } = props;
  const text = useDrafts((state) => state.texts[draft]) ?? '';
  const field = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  useEffect(() => void loadDraft(draft), [draft]);
  useLayoutEffect(() => {
    const area = field.current;
    if (!area) return;
    area.style.height = 'auto';
    area.style.height = `${area.scrollHeight}px`;
  }, [text]);
  const autoFocus = props.autoFocus ?? false;
  useEffect(() => {
    if (autoFocus) field.current?.focus({ preventScroll: true });
  }, [autoFocus, draft]);
  const [refused, setRefused] = useState<{ draft: string; text: string }>();
  const ready = text.trim() !== '' && text.length <= MESSAGE_LIMIT && !disabled;
  return (
    <div className={s['composer']}>
      {note && <div className={s['note']}>{note}</div>}
      {refused?.draft === draft && (
        <TooLong
          text={refused.text}
          limit={MESSAGE_LIMIT}
          what="message"
          onClose={() => (setRefused(undefined), field.current?.focus())}
        />
      )}
      <div className={s['box']}>
        <label htmlFor={id} className="sr">
          {label}
        </label>
        <textarea
          id={id}
          ref={(area) => {
            field.current = area;
            const { ref } = props;
            if (typeof ref === 'function') ref(area);
            else if (ref) ref.current = area;
          }}
          data-composer
          rows={rows}
          value={text}
          placeholder={placeholder}
          dir="auto"
          spellCheck
          {...limited({
            value: text,
            limit: MESSAGE_LIMIT,
            onChange: (value) => setDraft(draft, value),
            onTooLong: (added) => setRefused({ draft, text: added }),
          })}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.altKey || event.nativeEvent.isComposing)
              return;
            event.preventDefault();
            if (ready && !choices) onSend();
          }}
        />
        <div className={s['bar']}>
          {children}
          <span className={s['grow']} />
          {extra}
          {choices ? (
            choices.map(({ label: words, look, onChoose }) => (
              <Button
                key={words}
                {...(look && { look })}
                disabled={!ready}
                onClick={onChoose}
                onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
              >
                {words}
              </Button>
            ))
          ) : (
            <Button
              look="primary"
              disabled={!ready}
              onClick={onSend}
              icon={<ArrowUp size="0.9375rem" aria-hidden="true" />}
            >
              {action}
            </Button>
          )}
        </div>
      </div>
    </div>
  );
}
