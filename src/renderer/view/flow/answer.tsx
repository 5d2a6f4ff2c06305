import { useEffect, useState } from 'react';
import type { TranscriptItem } from '../../../shared/contract/items';
import { call } from '../../client';
import { useRun } from '../../store/run';
import { Markdown } from '../markdown/markdown';
import { Rest } from './rest';

/** Characters that one request brings, and of which an answer is laid out as one. */
const STEP = 200_000;
const WHOLE = 1_000_000;

/** An answer. One that is longer than its item carries is fetched and shown whole: markdown has no good place to be cut. */
export function Answer({ item }: { item: Extract<TranscriptItem, { kind: 'text' }> }) {
  const id = useRun((state) => state.id);
  const streamed = useRun((state) => state.wholes[item.key]);
  const [got, setGot] = useState('');
  const [failed, setFailed] = useState(false);
  const total = item.text.length + (item.more ?? 0);
  const text = streamed ?? item.text + got;
  const wanted = text.length < total && total <= WHOLE && !failed;
  useEffect(() => {
    if (!wanted || id === undefined) return;
    let live = true;
    call('run.text', { id, key: item.key, part: 'text', from: text.length, limit: STEP }).then(
      (reply) => {
        if (!live) return;
        if (reply.text === '') setFailed(true);
        else setGot((old) => old + reply.text);
      },
      () => live && setFailed(true),
    );
    return () => {
      live = false;
    };
  }, [wanted, id, item.key, text.length]);
  return (
    <>
      <Markdown text={text} />
      {text.length < total && !wanted && (
        <Rest item={{ key: item.key, text, more: total - text.length }} part="text" />
      )}
    </>
  );
}
