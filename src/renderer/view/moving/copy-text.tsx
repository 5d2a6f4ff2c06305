import { useState } from 'react';
import { Check, Copy } from 'lucide-react';
import { announce } from '../../store/announce';
import { IconButton } from '../kit/button';

/** Copies a text that is shown short, or that one may want elsewhere. `what` is its name: "path", "hash". */
export function CopyText({ text, what }: { text: string; what: string }) {
  const [done, setDone] = useState(false);
  return (
    <IconButton
      size="s"
      side="top"
      label={done ? `Copied` : `Copy the whole ${what}`}
      icon={done ? <Check size="0.8125rem" /> : <Copy size="0.8125rem" />}
      onClick={() => {
        navigator.clipboard.writeText(text).then(
          () => {
            setDone(true);
            announce(`Copied the ${what}.`);
            window.setTimeout(() => setDone(false), 1500);
          },
          () => announce('It could not be copied.'),
        );
      }}
    />
  );
}
