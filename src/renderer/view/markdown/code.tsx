import { memo, useEffect, useMemo, useRef, useState } from 'react';
import { Check, Copy, WrapText } from 'lucide-react';
import { IconButton } from '../kit/button';
import { Shown } from '../kit/shown';
import { useNear } from './near';
import { CodeColours, knownLanguage, type Tokens } from './highlight';
import s from './code.module.css';

/** Lines that are rendered, coloured and laid out as one. */
const CHUNK = 60;
/** Chunks of a block that is always in the page as a whole. */
const FEW = 4;

/** A text in chunks. One that grows is not cut anew: only its last chunk and what came behind it. */
class Chunks {
  private text = '';
  private chunks: string[] = [''];
  /** Where the last chunk begins. */
  private from = 0;

  of(text: string): readonly string[] {
    if (text === this.text) return this.chunks;
    const grown = text.startsWith(this.text);
    if (!grown) this.from = 0;
    const done = grown ? this.chunks.slice(0, -1) : [];
    const lines = text.slice(this.from).split('\n');
    for (let at = 0; at < lines.length; at += CHUNK) {
      const chunk = lines.slice(at, at + CHUNK).join('\n');
      done.push(chunk);
      if (at + CHUNK < lines.length) this.from += chunk.length + 1;
    }
    this.text = text;
    this.chunks = done;
    return done;
  }
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
  const [cut] = useState(() => new Chunks());
  const chunks = useMemo(() => cut.of(text), [cut, text]);
  const language = knownLanguage(lang);
  const colours = useColours(language, chunks, open);
  const [wrap, setWrap] = useState(false);
  return (
    <figure className={s['block']} dir="ltr">
      <figcaption className={s['bar']} data-chrome>
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
              lets={chunks.length > FEW && at < chunks.length - 1}
              first={at === 0}
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
  lets,
  first,
}: {
  text: string;
  tokens: Tokens | undefined;
  /** It is not in the page while it is far from what is seen. */
  lets: boolean;
  first: boolean;
}) {
  const lines = useMemo(() => text.split('\n').length, [text]);
  const { ref, near, height } = useNear(lets, first);
  const place = height === undefined ? `calc(${lines} * var(--code-line))` : `${height}rem`;
  return (
    <span ref={ref} className={s['chunk']} data-part style={near ? undefined : { height: place }}>
      {near &&
        (tokens
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
          : [<Shown key="text" text={text} />, '\n'])}
    </span>
  );
});

/** Tokens for each chunk as they become known. Closed chunks keep theirs; growing text in the open one starts nothing. */
function useColours(
  language: string | undefined,
  chunks: readonly string[],
  open: boolean,
): (Tokens | undefined)[] {
  const [tokens, setTokens] = useState<(Tokens | undefined)[]>([]);
  const done = useRef<string[]>([]);
  const worker = useRef<CodeColours | undefined>(undefined);
  const wanted = useRef(chunks);
  useEffect(() => {
    wanted.current = chunks;
  });
  // Full chunks never change while a text grows, so that their number tells whether there is something to do.
  const settled = open ? chunks.length - 1 : chunks.length;
  const last = open ? '' : (chunks.at(-1) ?? '');
  const [head] = chunks;
  useEffect(() => {
    if (!language || settled === 0) return;
    let live = true;
    const closed = wanted.current.slice(0, settled);
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
  }, [language, settled, last, head]);
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
