import { useEffect, useState } from 'react';
import { ChevronLast, ChevronLeft } from 'lucide-react';
import type { CommandOutput } from '../../../shared/contract/contract';
import type { FailureInfo } from '../../../shared/run/failure';
import { tokensText } from '../../../shared/run/tokens';
import { call, failureOf } from '../../client';
import { inspect, useReading } from '../../store/reading';
import { Button, IconButton } from '../kit/button';
import { Dialog } from '../kit/dialog';
import { FailureNote } from '../kit/failure';
import { bytes, count, many, short } from '../kit/numbers';
import { fullTime } from '../kit/time';
import { CopyButton } from '../markdown/code';
import { LongText } from '../flow/long-text';
import { StandPart } from './stand';
import s from './transcript.module.css';

/** Characters of a record that one request brings. */
const STEP = 100_000;

type RecordPage = CommandOutput<'run.record'>;

const DURABLE: Record<string, string> = {
  disk: 'On disk, synced before anything went on',
  acknowledged: 'Acknowledged by NATS',
  memory: 'In memory only',
};

const KIND: Record<string, string> = {
  meta: 'The run’s beginning',
  assistant: 'A model reply',
  user: 'A message',
  tool_result: 'A tool’s result',
  terminal: 'An end',
};

type Neighbours = Pick<RecordPage, 'nth' | 'of' | 'before' | 'after'>;

/** The records beside this one: their numbers may jump. Until they are known, the next numbers are tried. */
function useNeighbours(id: string, seq: number, last: number): Neighbours {
  const [known, setKnown] = useState<Neighbours & { of?: number | undefined; at: string }>();
  const at = `${id} ${seq} ${last}`;
  useEffect(() => {
    let live = true;
    call('run.record', { id, seq, from: 0, limit: 1 }).then(
      ({ nth, of, before, after }) => live && setKnown({ nth, of, before, after, at }),
      () => undefined,
    );
    return () => {
      live = false;
    };
  }, [id, seq, at]);
  if (known?.at === at && known.nth !== undefined) return known;
  return {
    before: seq > 1 ? seq - 1 : undefined,
    after: seq < last ? seq + 1 : undefined,
    ...(known?.at === at && known),
  };
}

/** One record of the journal as it stands there: number, place, bytes, text. */
export function Inspector({ id, seq, last }: { id: string; seq: number; last: number }) {
  const side = useReading((state) => state.side);
  const { nth, of, before, after } = useNeighbours(id, seq, last);
  const jumps = of !== undefined && of !== last;
  return (
    <Dialog
      label={jumps ? `Record ${count(seq)}` : `Record ${count(seq)} of ${count(last)}`}
      size="m"
      place="right"
      onClose={() => inspect(undefined)}
    >
      <div className={s['inspector']}>
        <div className={s['steps']}>
          <Button
            size="s"
            icon={<ChevronLeft size="0.875rem" />}
            disabled={before === undefined}
            onClick={() => inspect(before)}
          >
            Previous
          </Button>
          <Button size="s" disabled={after === undefined} onClick={() => inspect(after)}>
            Next
          </Button>
          <IconButton
            size="s"
            label="Last record"
            icon={<ChevronLast size="0.875rem" />}
            disabled={seq >= last}
            onClick={() => inspect(last)}
          />
          {jumps && nth !== undefined && (
            <span className={s['nth']}>
              {count(nth)} of {many(of, 'record')}
            </span>
          )}
        </div>
        <div className={s['sides']} role="group" aria-label="Show">
          <button type="button" aria-pressed={side === 'record'} onClick={() => inspect(seq, 'record')}>
            The record
          </button>
          <button type="button" aria-pressed={side === 'stand'} onClick={() => inspect(seq, 'stand')}>
            As it stood here
          </button>
        </div>
        {side === 'record' ? (
          <OneRecord key={`${id} ${seq}`} id={id} seq={seq} />
        ) : (
          <StandPart key={`${id} ${seq}`} id={id} seq={seq} />
        )}
      </div>
    </Dialog>
  );
}

function OneRecord({ id, seq }: { id: string; seq: number }) {
  const [page, setPage] = useState<RecordPage>();
  const [json, setJson] = useState('');
  const [failure, setFailure] = useState<FailureInfo>();
  const load = (from: number) =>
    call('run.record', { id, seq, from, limit: STEP }).then(
      (reply) => {
        setPage(reply);
        setJson((old) => (from === 0 ? reply.json : old + reply.json));
        setFailure(undefined);
      },
      (error: unknown) => setFailure(failureOf(error)),
    );
  useEffect(() => {
    let live = true;
    call('run.record', { id, seq, from: 0, limit: STEP }).then(
      (reply) => {
        if (!live) return;
        setPage(reply);
        setJson(reply.json);
      },
      (error: unknown) => live && setFailure(failureOf(error)),
    );
    return () => {
      live = false;
    };
  }, [id, seq]);
  if (failure) {
    return (
      <div className={s['record']}>
        <FailureNote failure={failure} />
      </div>
    );
  }
  if (!page) return <p className={s['record']}>Reading…</p>;
  return (
    <div className={s['record']}>
      <dl>
        <dt>Kind</dt>
        <dd>
          {KIND[page.kind] ?? page.kind} <code>{page.kind}</code>
        </dd>
        <dt>Place</dt>
        <dd>
          bytes {count(page.offset)} to {count(page.offset + page.bytes)},{' '}
          {page.bytes < 1_000 ? bytes(page.bytes) : `${count(page.bytes)} bytes`}
        </dd>
        {page.usage && (
          <>
            <dt>Tokens</dt>
            <dd>{tokensText(page.usage, count)}</dd>
          </>
        )}
        {page.at && (
          <>
            <dt>Durable since</dt>
            <dd>{fullTime(page.at)}</dd>
          </>
        )}
        <dt>Durability</dt>
        <dd>{DURABLE[page.durability] ?? page.durability}</dd>
      </dl>
      <div className={s['json-bar']}>
        <span>As it stands in the journal</span>
        <CopyButton text={json} />
      </div>
      <pre className={s['json']} tabIndex={0} aria-label="Record as JSON">
        <LongText text={json} />
      </pre>
      {json.length < page.total && (
        <Button size="s" onClick={() => void load(json.length)}>
          Show more ({short(page.total - json.length)} characters left)
        </Button>
      )}
    </div>
  );
}
