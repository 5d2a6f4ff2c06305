import { memo, useEffect, useMemo, useRef, useState } from 'react';
import { Check, Copy, WrapText } from 'lucide-react';
import { IconButton } from '../kit/button';
import { Shown } from '../kit/shown';
import { CodeColours, knownLanguage, type Tokens } from './highlight';
import s from './code.module.css';

/** Lines that are rendered, coloured and laid out as one. */
const CHUNK = 60;

function chunksOf(text: string): string[] {
  const lines = text.split('\n');
  const chunks: string[] = [];
  for (let at = 0; at < lines.length; at += CHUNK) chunks.push(lines.slice(at, at + CHUNK).join('\n'));
  return chunks;
}

/** A code block. `open`: more of it may come; its last chunk is coloured only when it is full or the block is closed. */
export const CodeBlock = memo(function CodeBlock({
  lang,
  text,
  open,
}: {
  lang: string;
  text: string;
  open: boolean;
}) {
  const chunks = useMemo(() => chunksOf(text), [text]);
  const language = knownLanguage(lang);
  const colours = useColours(language, chunks, open);
  const [wrap, setWrap] = useState(false);
  return (
    <figure className={s['block']}>
      <figcaption className={s['bar']}>
        <span>{lang ? <Shown text={lang} /> : 'text'}</span>
        <span className={s['tools']}>
          <IconButton
            size="s"
            label="Wrap long lines"
            side="top"
            aria-pressed={wrap}
            icon={<WrapText size="0.875rem" />}
            onClick={() => setWrap(!wrap)}
          />
          <CopyButton text={text} />
        </span>
      </figcaption>
      <pre className={s['pre']} data-wrap={wrap} tabIndex={0} aria-label={lang ? `${lang} code` : 'code'}>
        <code>
          {chunks.map((chunk, at) => (
            <Chunk
              key={at}
              text={chunk}
              tokens={colours[at]}
              many={chunks.length > 3}
              last={at === chunks.length - 1}
            />
          ))}
        </code>
      </pre>
    </figure>
  );
});

const Chunk = memo(function Chunk({
  text,
  tokens,
  many,
  last,
}: {
  text: string;
  tokens: Tokens | undefined;
  many: boolean;
  last: boolean;
}) {
  const lines = useMemo(() => text.split('\n').length, [text]);
  return (
    <span
      className={many && !last ? s['chunk-far'] : s['chunk']}
      style={
        many && !last ? { containIntrinsicBlockSize: `auto calc(${lines} * var(--code-line))` } : undefined
      }
    >
      {tokens
        ? tokens.map((line, row) => (
            <span key={row}>
              {line.map((token, at) => (
                <span key={at} style={token.color ? { color: token.color } : undefined}>
                  <Shown text={token.content} />
                </span>
              ))}
              {'\n'}
            </span>
          ))
        : [<Shown key="text" text={text} />, '\n']}
    </span>
  );
});

/** Tokens for each chunk as they become known. Closed chunks keep theirs; growing text in the open one starts nothing. */
function useColours(language: string | undefined, chunks: string[], open: boolean): (Tokens | undefined)[] {
  const [tokens, setTokens] = useState<(Tokens | undefined)[]>([]);
  const done = useRef<string[]>([]);
  const worker = useRef<CodeColours | undefined>(undefined);
  const settled = (open ? chunks.slice(0, -1) : chunks).join('\n');
  useEffect(() => {
    if (!language || settled === '') return;
    let live = true;
    const closed = chunksOf(settled);
    if (worker.current?.lang !== language) {
      worker.current = new CodeColours(language);
      done.current = [];
    }
    const colours = worker.current;
    const changed = done.current.findIndex((text, at) => closed[at] !== text);
    if (changed >= 0) done.current.length = changed;
    const work = async () => {
      for (let at = done.current.length; at < closed.length; at++) {
        const text = closed[at] ?? '';
        const found = await colours.chunk(at, text);
        if (!live) return;
        done.current[at] = text;
        setTokens((old) => {
          const next = old.slice(0, closed.length);
          next[at] = found;
          return next;
        });
      }
    };
    void work();
    return () => {
      live = false;
    };
  }, [language, settled]);
  return tokens;
}

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = window.setTimeout(() => setCopied(false), 1_600);
    return () => window.clearTimeout(timer);
  }, [copied]);
  return (
    <IconButton
      size="s"
      side="top"
      label={copied ? 'Copied' : label}
      icon={copied ? <Check size="0.875rem" /> : <Copy size="0.875rem" />}
      onClick={() => {
        navigator.clipboard.writeText(text).then(
          () => setCopied(true),
          () => undefined,
        );
      }}
    />
  );
}
