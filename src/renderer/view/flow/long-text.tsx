import { memo, useMemo } from 'react';
import { Shown } from '../kit/shown';
import s from './flow.module.css';

const CHUNK = 80;

/** Plain text of any length: laid out in pieces, so that only what is near the screen costs anything. */
export const LongText = memo(function LongText({ text, prose = false }: { text: string; prose?: boolean }) {
  const chunks = useMemo(() => {
    const lines = text.split(/\r?\n/);
    const out: { text: string; lines: number }[] = [];
    for (let at = 0; at < lines.length; at += CHUNK) {
      const part = lines.slice(at, at + CHUNK);
      out.push({ text: part.join('\n'), lines: part.length });
    }
    return out;
  }, [text]);
  if (chunks.length <= 2) return <Shown text={text} prose={prose} />;
  return chunks.map((chunk, at) => (
    <span
      key={at}
      className={s['text-chunk']}
      style={{ containIntrinsicBlockSize: `auto calc(${chunk.lines} * 1.2rem)` }}
    >
      <Shown text={chunk.text} prose={prose} />
    </span>
  ));
});
