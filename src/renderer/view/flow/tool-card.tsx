import { memo, useEffect, useState } from 'react';
import { ChevronRight, Copy, Pencil } from 'lucide-react';
import type { TranscriptItem } from '../../../shared/contract/items';
import { copyWhole } from '../../store/copy';
import { useApp } from '../../store/app';
import { useReading } from '../../store/reading';
import { useRun } from '../../store/run';
import { IconButton } from '../kit/button';
import { many } from '../kit/numbers';
import { Name, Shown } from '../kit/shown';
import { CALL_WORD, Mark } from '../kit/status';
import { clockTime, took } from '../kit/time';
import { CopyButton } from '../markdown/code';
import { Approval } from './approval';
import { LongText } from './long-text';
import { Kept, Rest } from './rest';
import s from './tool-card.module.css';
import { withoutEndBreaks } from '../../../shared/run/slices';

type Call = Extract<TranscriptItem, { kind: 'call' }>;

/** Lines of a result that are shown before "Show all". */
const PREVIEW = { ok: 4, error: 12 };

/** A tool call: exactly what runs, its state, its time and its result. */
export const ToolCard = memo(function ToolCard({ item }: { item: Call }) {
  const approval = useRun((state) =>
    state.head?.approval?.toolUseId === item.toolUseId ? state.head.approval : undefined,
  );
  const all = useReading((state) => state.output);
  const found = useReading((state) => state.reveal === item.key);
  const [open, setOpen] = useState(false);
  const asks = approval !== undefined && item.state === 'waiting';
  const detail = open || found;
  return (
    <article
      className={s['card']}
      data-state={item.state}
      data-asks={asks}
      aria-label={`${item.tool}: ${CALL_WORD[item.state]}`}
    >
      <header className={s['header']}>
        <button type="button" className={s['toggle']} aria-expanded={detail} onClick={() => setOpen(!open)}>
          <Mark of={item.state} />
          <Name text={item.tool} className={s['tool']} />
          {asks ? (
            <span className={s['asks']}>asks to run</span>
          ) : (
            <code className={s['line']} dir="ltr">
              <Shown text={behindName(item)} />
            </code>
          )}
          <span className="sr">, exact input</span>
        </button>
        <span className={s['facts']} data-chrome>
          {item.changes && (
            <span className={s['changes']} title="This tool can change things outside the conversation">
              <Pencil size="0.75rem" aria-hidden="true" />
              <span>changes things</span>
            </span>
          )}
          <State item={item} />
          <ChevronRight size="0.875rem" className={s['chevron']} data-open={detail} aria-hidden="true" />
        </span>
      </header>
      {(detail || asks) && <Input item={item} asks={asks} />}
      {asks && <Approval approval={approval} />}
      {item.result && <Result item={item} result={item.result} all={found ? true : all} />}
    </article>
  );
});

function State({ item }: { item: Call }) {
  if (item.state === 'running') return item.startedAt ? <Since at={item.startedAt} /> : <span>Running</span>;
  if (item.state === 'ok' && item.tookMs !== undefined) return <span>{took(item.tookMs)}</span>;
  if (item.state === 'ok') return <span className="sr">Done</span>;
  return (
    <span className={s['word']}>
      {CALL_WORD[item.state]}
      {item.state === 'unknown' && item.startedAt && `, started ${clockTime(item.startedAt)}`}
      {item.state === 'error' && item.tookMs !== undefined && ` · ${took(item.tookMs)}`}
    </span>
  );
}

/** Seconds since a tool started, while it runs. */
function Since({ at }: { at: string }) {
  const [now, setNow] = useState(() => Date.now());
  const connected = useApp((state) => state.connection === 'open');
  useEffect(() => {
    if (!connected) return;
    const timer = window.setInterval(() => setNow(Date.now()), 1_000);
    return () => window.clearInterval(timer);
  }, [connected]);
  const seconds = Math.max(0, Math.floor((now - new Date(at).getTime()) / 1_000));
  const time = seconds >= 1 && ` · ${took(seconds * 1000)}`;
  if (connected) return <span>Running{time}</span>;
  // Nobody knows what it does now.
  return <span title="As it was when the connection was lost">Was running{time}</span>;
}

function Input({ item, asks }: { item: Call; asks: boolean }) {
  return (
    <div className={s['input']}>
      {asks && (
        <pre className={s['exact']} tabIndex={0} aria-label="What would run">
          <Shown text={item.line} />
        </pre>
      )}
      <div className={s['label']} data-chrome>
        <span>Exact input</span>
        <CopyButton text={item.input} />
      </div>
      <pre className={s['json']} tabIndex={0} aria-label="Exact input">
        <LongText text={item.input} />
        {item.inputMore ? (
          <Rest item={{ key: item.key, text: item.input, more: item.inputMore }} part="input" />
        ) : null}
      </pre>
    </div>
  );
}

function Result({
  item,
  result,
  all,
}: {
  item: Call;
  result: NonNullable<Call['result']>;
  all: boolean | undefined;
}) {
  const [mine, setMine] = useState<{ open: boolean; against: boolean | undefined }>();
  const limit = result.isError ? PREVIEW.error : PREVIEW.ok;
  const head = firstLines(result.text, limit);
  const long = head.length < result.text.length || (result.more ?? 0) > 0 || result.kept !== undefined;
  const open = mine && mine.against === all ? mine.open : (all ?? false);
  if (result.text.trim() === '' && !long) return <p className={s['empty']}>No output</p>;
  return (
    <div className={s['result']} data-error={result.isError}>
      <pre className={s['output']} tabIndex={0} aria-label={`Result of ${item.tool}`} dir="auto">
        <LongText text={open || !long ? result.text : head} />
        {open && <Rest item={{ key: item.key, text: result.text, more: result.more }} part="result" />}
        {open && result.kept && <Kept name={result.kept} />}
      </pre>
      <ResultCopy item={item} />
      {long && (
        <button
          type="button"
          className={s['more']}
          aria-expanded={open}
          data-chrome
          onClick={() => setMine({ open: !open, against: all })}
        >
          {open
            ? 'Show less'
            : result.lines === 1
              ? 'Show the whole line'
              : `Show all ${many(result.lines, 'line')}`}
        </button>
      )}
    </div>
  );
}

/** Copies the whole result, also what is not shown of it. */
function ResultCopy({ item }: { item: Call }) {
  const id = useRun((state) => state.id);
  if (id === undefined) return null;
  return (
    <IconButton
      className={s['copy'] ?? ''}
      size="s"
      side="left"
      data-chrome
      label="Copy the result"
      icon={<Copy size="0.875rem" />}
      onClick={() => void copyWhole(id, item)}
    />
  );
}

/** What a tool says of a call, without its own name, which stands beside it. */
function behindName({ line, tool }: Call): string {
  return line.startsWith(`${tool} `) ? line.slice(tool.length + 1) : line;
}

/** The first lines of a text, and of a very long line its beginning. */
function firstLines(text: string, limit: number): string {
  let at = -1;
  for (let line = 0; line < limit; line++) {
    at = text.indexOf('\n', at + 1);
    if (at < 0) break;
  }
  const cut = at < 0 ? text : text.slice(0, at);
  return cut.length > limit * 300
    ? cut.slice(0, limit * 300)
    : withoutEndBreaks(cut) === withoutEndBreaks(text)
      ? text
      : cut;
}
