import { limitedShort } from '../kit/limit';
import { useState } from 'react';
import { toast } from '../../store/app';
import { renameRun } from '../../store/runs';

/** The title as a field in its place: Enter and leaving it keep what was typed, Escape does not. */
export function Rename({
  id,
  title,
  className,
  onDone,
}: {
  id: string;
  title: string;
  className: string | undefined;
  onDone: () => void;
}) {
  const [text, setText] = useState(title);
  // The field that a key has closed is left once more when it goes.
  const [over, setOver] = useState(false);
  const done = (keep: boolean) => {
    if (over) return;
    setOver(true);
    const changed = text.trim() !== title;
    if (keep && changed) void renameRun(id, text);
    else if (changed && text.trim() !== '')
      toast({
        tone: 'info',
        text: 'The title stays as it was.',
        action: { label: 'Use what I typed', run: () => void renameRun(id, text) },
      });
    onDone();
  };
  return (
    <input
      type="text"
      className={className}
      aria-label="Title"
      value={text}
      autoFocus
      onFocus={(event) => event.target.select()}
      {...limitedShort('A title', 300, text, setText)}
      onBlur={() => done(true)}
      onKeyDown={(event) => {
        // A list has other uses for these keys; shortcuts of the window stay.
        if (!event.ctrlKey && !event.metaKey) event.stopPropagation();
        if (event.key === 'Enter') done(true);
        if (event.key === 'Escape') done(false);
      }}
    />
  );
}
