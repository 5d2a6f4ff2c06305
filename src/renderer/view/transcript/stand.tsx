import { useEffect, useState } from 'react';
import type { Stand } from '../../../shared/contract/reading';
import type { FailureInfo } from '../../../shared/run/failure';
import { spentOf, tokensText } from '../../../shared/run/tokens';
import { call, failureOf } from '../../client';
import { FailureNote } from '../kit/failure';
import { count, many, short } from '../kit/numbers';
import { Name, Shown } from '../kit/shown';
import { Fold } from '../flow/fold';
import s from './transcript.module.css';

/** What the run amounted to after one of its records: what a resume would have begun with. */
export function StandPart({ id, seq }: { id: string; seq: number }) {
  const [stand, setStand] = useState<Stand>();
  const [failure, setFailure] = useState<FailureInfo>();
  useEffect(() => {
    let live = true;
    call('run.stand', { id, seq }).then(
      (reply) => live && setStand(reply),
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
  if (!stand) return <p className={s['record']}>Reading up to record {count(seq)}…</p>;
  const { counters, pending, terminal } = stand;
  return (
    <div className={s['stand']} tabIndex={0} role="region" aria-label={`The run after record ${count(seq)}`}>
      <p className={s['verdict']}>{verdict(stand)}</p>
      <dl>
        <dt>Conversation</dt>
        <dd>{many(stand.messages, 'message')}</dd>
        <dt>Model calls</dt>
        <dd>{count(counters.llm_calls)}</dd>
        <dt>Tool results</dt>
        <dd>
          {count(counters.tool_calls)}
          {counters.remote_tool_calls > 0 && `, ${count(counters.remote_tool_calls)} of them remote`}
        </dd>
        <dt>Tokens</dt>
        <dd>{tokensText(spentOf(counters), count)}</dd>
        <dt>Next step</dt>
        <dd>{count(stand.nextIteration + 1)}</dd>
        {stand.lastStopReason !== '' && (
          <>
            <dt>The model stopped</dt>
            <dd>
              <code>
                <Shown text={stand.lastStopReason} />
              </code>
            </dd>
          </>
        )}
        {terminal && (
          <>
            <dt>{stand.ended ? 'Ended' : 'Had ended before'}</dt>
            <dd>
              <code>
                <Shown text={terminal.reason} />
              </code>{' '}
              {terminal.message && <Shown text={terminal.message} prose />}
            </dd>
          </>
        )}
      </dl>
      {pending && (
        <section aria-label="Open turn">
          <h3>
            Open turn: {count(pending.answered)} of {many(pending.tools.length, 'tool')} answered
          </h3>
          <ul className={s['pending']}>
            {pending.tools.map((tool) => (
              <li key={tool.id}>
                <Name text={tool.tool} /> <small>{tool.answered ? 'answered' : 'no result yet'}</small>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section aria-label="End of the conversation">
        <h3>
          {stand.last.length < stand.messages
            ? `The last ${count(stand.last.length)} of ${many(stand.messages, 'message')}`
            : 'The conversation'}
        </h3>
        {stand.last.map((message, n) => (
          <article key={n} className={s['message']} data-role={message.role}>
            <h4>{ROLE[message.role] ?? <Shown text={message.role} />}</h4>
            {message.parts.length === 0 && <p className={s['faint']}>Nothing in it</p>}
            {message.parts.map((part, at) => (
              <Part key={at} part={part} />
            ))}
          </article>
        ))}
      </section>
    </div>
  );
}

const ROLE: Record<string, string> = { user: 'Person and tools', assistant: 'Model' };

function verdict({ pending, ended, terminal, last }: Stand): string {
  if (pending) return 'The model had asked for tools that were not all answered.';
  if (ended) return terminal?.reason === 'suspended' ? 'The run was paused.' : 'The run had ended.';
  if (last.at(-1)?.role === 'assistant') return 'The model had answered; it was the person’s turn.';
  return 'The model was to be asked next.';
}

function Part({ part }: { part: Stand['last'][number]['parts'][number] }) {
  const { kind, name, text, more, isError } = part;
  const body = (
    <div className={kind === 'text' ? s['part'] : s['part-raw']}>
      <Shown text={text} prose={kind === 'text' || kind === 'thinking'} />
      {more !== undefined && <small> … {short(more)} more characters</small>}
    </div>
  );
  switch (kind) {
    case 'text':
      return body;
    case 'thinking':
      return (
        <Fold label="Thinking" quiet>
          {body}
        </Fold>
      );
    case 'provider':
      return <p className={s['faint']}>Data that only the service understands</p>;
    case 'call':
      return (
        <Fold label={<Asked name={name} word="asks to run" />} quiet>
          {body}
        </Fold>
      );
    case 'result':
      return (
        <Fold label={isError ? 'A tool’s error' : 'A tool’s result'} quiet>
          {body}
        </Fold>
      );
  }
}

const Asked = ({ name, word }: { name: string | undefined; word: string }) => (
  <>
    {word} <Name text={name ?? ''} />
  </>
);
