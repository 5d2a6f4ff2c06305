import { Fragment, memo } from 'react';
import { pieces } from './visible';

/** Text from outside, with whatever would not be seen in it made visible. */
export const Shown = memo(function Shown({ text, prose = false }: { text: string; prose?: boolean }) {
  const parts = pieces(text, prose);
  if (parts.length === 1 && typeof parts[0] === 'string') return parts[0];
  return parts.map((part, at) =>
    typeof part === 'string' ? (
      <Fragment key={at}>{part}</Fragment>
    ) : (
      <span key={at} className="ctl" title={`${part.name} (${part.code})`}>
        {part.code}
      </span>
    ),
  );
});

/** A title, file or tool name: one line, isolated from the direction of the text around it. */
export function Name({ text, className }: { text: string; className?: string | undefined }) {
  return (
    <bdi className={className ? `iso ${className}` : 'iso'}>
      <Shown text={text} />
    </bdi>
  );
}
