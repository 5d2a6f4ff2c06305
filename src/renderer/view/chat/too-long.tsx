import { FileDown } from 'lucide-react';
import { saveText } from '../../store/save-text';
import { Button } from '../kit/button';
import { many } from '../kit/numbers';
import s from './composer.module.css';

/** Text was added that a field has no room for: none of it is in the field, all of it can be saved. */
export function TooLong({
  text,
  limit,
  what,
  onClose,
}: {
  text: string;
  limit: number;
  /** What the person writes there. */
  what: 'message' | 'description';
  onClose: () => void;
}) {
  return (
    <div className={s['too-long']} role="alert">
      <p>
        The text that you added has {many(text.length, 'character')}. A {what} can have up to{' '}
        {many(limit, 'character')}, so Holdfast did not add the text. Your {what} has not changed. To let the
        model read the text, save the text as a file in the folder that this chat uses.
      </p>
      <div>
        <Button
          size="s"
          icon={<FileDown size="0.875rem" aria-hidden="true" />}
          onClick={() => saveText(text, 'pasted-text.txt')}
        >
          Save as a file
        </Button>
        <Button size="s" look="ghost" onClick={onClose}>
          Dismiss
        </Button>
      </div>
    </div>
  );
}
