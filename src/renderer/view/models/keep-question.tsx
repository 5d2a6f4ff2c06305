import { Button } from '../kit/button';
import { Dialog } from '../kit/dialog';
import { useKeys } from '../../store/keys';
import s from './models.module.css';

/** Asked once, before the first key is saved where the system cannot encrypt it. */
export function KeepQuestion({
  what = 'key',
  onAnswer,
}: {
  what?: string;
  /** Undefined: neither, stay here. */
  onAnswer: (keep: 'disk' | 'session' | undefined) => void;
}) {
  const { protection, file } = useKeys();
  return (
    <Dialog label={`Save the ${what} on this computer?`} size="s" onClose={() => onAnswer(undefined)}>
      <div className={s['question']}>
        {protection === 'unprotected' ? (
          <p>
            This desktop has no unlocked keyring, so Holdfast can’t encrypt the {what}. It would be saved in a
            file that only your account can read, and so can programs that you start.
          </p>
        ) : (
          <p>
            Here, Holdfast can’t use the keychain of your system. The {what} would be saved, without
            encryption, in a file that only your account can read.
          </p>
        )}
        <p className={s['file']}>
          <code>{file}</code>
        </p>
        <div className={s['question-actions']}>
          <Button look="primary" data-first onClick={() => onAnswer('disk')}>
            {protection === 'unprotected' ? 'Save without encryption' : 'Save in this file'}
          </Button>
          <Button onClick={() => onAnswer('session')}>Only until I quit</Button>
        </div>
      </div>
    </Dialog>
  );
}
