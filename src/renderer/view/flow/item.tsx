import { memo } from 'react';
import { Ban, Flag, Info, TriangleAlert } from 'lucide-react';
import type { TranscriptItem } from '../../../shared/contract/items';
import { withoutTags } from '../../../shared/run/think-tags';
import { useReading } from '../../store/reading';
import { useRun } from '../../store/run';
import { Boundary } from '../kit/boundary';
import { MenuHere } from '../kit/menu';
import { many, short } from '../kit/numbers';
import { Name, Shown } from '../kit/shown';
import { clockTime, fullTime } from '../kit/time';
import { Markdown } from '../markdown/markdown';
import { Answer } from './answer';
import { EmptyAnswer } from './empty-answer';
import { Fold } from './fold';
import { ItemActions, itemLabel, ItemMenu } from './item-menu';
import { LongText } from './long-text';
import { Rest } from './rest';
import { Seam } from './seam';
import { ToolCard } from './tool-card';
import s from './flow.module.css';

type Of<K extends TranscriptItem['kind']> = Extract<TranscriptItem, { kind: K }>;

/** One thing of the conversation, live or long ago: both look the same. */
export const ItemView = memo(function ItemView({ item }: { item: TranscriptItem }) {
  return (
    <MenuHere label={itemLabel(item)} entries={<ItemActions item={item} />}>
      <div className={s['item']} data-kind={item.kind}>
        <Boundary again={item} instead={() => <Unshown item={item} />}>
          <Body item={item} />
        </Boundary>
        <ItemMenu item={item} />
      </div>
    </MenuHere>
  );
});

/** What could not be shown as it should be, as plain as it can be. */
function Unshown({ item }: { item: TranscriptItem }) {
  const text = 'text' in item ? item.text : 'input' in item ? item.input : item.kind;
  return (
    <div className={s['orphan']}>
      <p className={s['aside']} data-tone="warn">
        <TriangleAlert size="0.875rem" aria-hidden="true" />
        <span>This could not be laid out; here is its plain text. Record {item.seq} holds all of it.</span>
      </p>
      <div className={s['raw']}>
        <LongText text={text} />
      </div>
    </div>
  );
}

function Body({ item }: { item: TranscriptItem }) {
  switch (item.kind) {
    case 'prompt':
      return <Prompt item={item} />;
    case 'text':
      return <Answer item={item} />;
    case 'thinking':
      return <Thinking item={item} />;
    case 'provider':
      return (
        <Fold
          label={`Data that only ${item.provider} understands`}
          note={<Size text={item.text} more={item.more} />}
          quiet
        >
          <div className={s['raw']}>
            <LongText text={item.text} />
            <Rest item={item} part="text" />
          </div>
        </Fold>
      );
    case 'empty':
      return <EmptyAnswer item={item} />;
    case 'call':
      return <ToolCard item={item} />;
    case 'orphan':
      return <Orphan item={item} />;
    case 'seam':
      return <Seam item={item} />;
    case 'end':
      return <End item={item} />;
    case 'lost':
      return <Lost item={item} />;
    case 'notice':
      return <Notice item={item} />;
  }
}

function Prompt({ item }: { item: Of<'prompt'> }) {
  return (
    <div className={s['prompt']} dir="auto" title={item.at ? fullTime(item.at) : undefined}>
      <h3 className="sr">You</h3>
      <div className={s['prompt-text']}>
        <LongText text={item.text} prose />
        <Rest item={item} part="text" />
      </div>
    </div>
  );
}

function Thinking({ item }: { item: Of<'thinking'> }) {
  const all = useReading((state) => state.thinking);
  const found = useReading((state) => state.reveal === item.key);
  const force = found || all;
  if (item.redacted) {
    return (
      <p className={s['aside']}>
        <Ban size="0.875rem" aria-hidden="true" /> It thought here; the service keeps what it thought to
        itself.
      </p>
    );
  }
  return (
    <Fold
      label="Thinking"
      note={<Size text={item.text} more={item.more} />}
      quiet
      {...(force !== undefined && { force })}
    >
      <div className={s['thinking']} dir="auto">
        <LongText text={withoutTags(item.text)} prose />
        <Rest item={item} part="text" />
      </div>
    </Fold>
  );
}

function Size({ text, more }: { text: string; more?: number | undefined }) {
  const lines = text.split('\n').length;
  return (
    <small className={s['size']} data-chrome>
      {more ? `${short(text.length + more)} characters` : many(lines, 'line')}
    </small>
  );
}

function Orphan({ item }: { item: Of<'orphan'> }) {
  return (
    <div className={s['orphan']}>
      <p className={s['aside']}>
        <TriangleAlert size="0.875rem" aria-hidden="true" />
        <span>
          A result that belongs to no call in this run (<Name text={item.toolUseId} />)
        </span>
      </p>
      <div className={s['raw']}>
        <LongText text={item.text} />
        <Rest item={item} part="text" />
      </div>
    </div>
  );
}

const END_WORD: Record<string, string> = {
  completed: 'Finished',
  suspended: 'Paused',
  error: 'Failed',
  budget: 'Out of budget',
  max_iterations: 'Hit the step limit',
};

function End({ item }: { item: Of<'end'> }) {
  return (
    <div className={s['rule']} data-reason={item.reason}>
      <p>
        <Flag size="0.8125rem" aria-hidden="true" />
        <span>
          {END_WORD[item.reason] ?? <Shown text={item.reason} />}
          {item.past && ', then went on'}
          {item.at && <time dateTime={item.at}> · {clockTime(item.at)}</time>}
        </span>
      </p>
      {item.message && (
        <p className={s['rule-text']}>
          <Shown text={item.message} prose />
        </p>
      )}
    </div>
  );
}

function Lost({ item }: { item: Of<'lost'> }) {
  const unsaved = useRun(({ head }) => head?.failure?.code === 'journaling' && item.seq === head.lastSeq);
  return (
    <section className={s['lost']} aria-label="Lost text">
      <p className={s['lost-note']} data-chrome>
        {unsaved
          ? 'This reply could not be saved and is not part of the conversation. Copy what you need: its text is shown here only.'
          : 'This reply was cut off and is not part of the conversation. Its text was saved while it arrived.'}
      </p>
      {item.thinking && (
        <Fold label="Thinking" quiet>
          <div className={s['thinking']}>
            <LongText text={item.thinking} prose />
          </div>
        </Fold>
      )}
      <Markdown text={item.text} />
      <Rest item={item} part="text" />
    </section>
  );
}

function Notice({ item }: { item: Of<'notice'> }) {
  const Icon = item.tone === 'info' ? Info : TriangleAlert;
  return (
    <p className={s['aside']} data-tone={item.tone}>
      <Icon size="0.875rem" aria-hidden="true" />
      <span>
        <Shown text={item.text} prose />
      </span>
    </p>
  );
}
