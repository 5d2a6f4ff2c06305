import { Fragment, memo } from 'react';
import { breakable, pieces } from './visible';

/** Text from outside, with whatever would not be seen in it made visible. */
export const Shown = memo(function Shown({ text, prose = false }: { text: string; prose?: boolean }) {
  const parts = pieces(text, prose);
  if (parts.length === 1 && typeof parts[0] === 'string') return <Run text={parts[0]} />;
  return parts.map((part, at) =>
    typeof part === 'string' ? (
      <Run key={at} text={part} />
    ) : (
      <span key={at} className="ctl" title={`${part.name} (${part.code})`}>
        {part.code}
      </span>
    ),
  );
});

function Run({ text }: { text: string }) {
  const parts = breakable(text);
  if (parts.length === 1) return text;
  return parts.map((part, at) => (
    <Fragment key={at}>
      {part}
      <wbr />
    </Fragment>
  ));
}

/** A title, file or tool name: one line, isolated from the direction of the text around it. */
export function Name({ text, className }: { text: string; className?: string | undefined }) {
  return (
    <bdi className={className ? `iso ${className}` : 'iso'}>
      <Shown text={text} />
    </bdi>
  );
}
