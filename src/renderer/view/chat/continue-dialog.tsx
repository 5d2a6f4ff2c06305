import { useEffect, useState } from 'react';
import { ArrowRight, Check, Minus } from 'lucide-react';
import type { PreflightView, RunHead } from '../../../shared/contract/views';
import type { FailureInfo } from '../../../shared/run/failure';
import { call, failureOf } from '../../client';
import { chooseForRun, go, openRun } from '../../store/app';
import type { ProfileEntry } from '../../store/profiles';
import { useDraft } from './draft';
import { Button } from '../kit/button';
import { Dialog } from '../kit/dialog';
import { FailureNote } from '../kit/failure';
import { many } from '../kit/numbers';
import { Name, Shown } from '../kit/shown';
import s from './model-menu.module.css';

/** Another kind of service can't read what this one recorded: a new run begins with an excerpt, and this says of what. */
export function ContinueDialog({
  head,
  entry,
  onClose,
}: {
  head: RunHead;
  entry: ProfileEntry;
  onClose: () => void;
}) {
  const { id } = head.row;
  const { name } = entry.profile;
  const [flight, setFlight] = useState<PreflightView>();
  const [failure, setFailure] = useState<FailureInfo>();
  const [busy, setBusy] = useState(false);
  const draft = useDraft(id);
  useEffect(() => {
    let live = true;
    call('run.preflight', { id, profile: name }).then(
      (reply) => live && setFlight(reply),
      (error: unknown) => live && setFailure(failureOf(error)),
    );
    return () => {
      live = false;
    };
  }, [id, name]);
  const foreign = flight !== undefined && flight.origin.kind !== 'here';
  const onward = async () => {
    setBusy(true);
    setFailure(undefined);
    try {
      const fresh = await call('run.continue', { id, profile: name, acceptEndpoint: true });
      onClose();
      openRun(fresh.id, 'chat');
    } catch (error) {
      setFailure(failureOf(error));
      setBusy(false);
    }
  };
  return (
    <Dialog label="Continue in a new run?" onClose={onClose}>
      <div className={s['body']}>
        <p>
          “<Name text={name} />” starts a new run with an excerpt of this one. This run stays as it is.
        </p>
        <Points
          label="In the new run"
          points={[
            'Your first message, and the newest of your later ones',
            'One line for each of the newest tool calls',
            'The end of the conversation, both sides',
            ...(head.folder === undefined ? [] : ['The folder']),
          ]}
        />
        <Points
          label="Only in this run"
          off
          points={[
            'Thinking, and the full results of tools',
            'What doesn’t fit into 24,000 characters; the excerpt says how much',
            ...(flight && flight.pending.length > 0
              ? ['Tool calls without a result: none of them runs']
              : []),
            ...(head.queued.length > 0
              ? [`${many(head.queued.length, 'message')} that you haven’t sent`]
              : []),
            ...(draft === '' ? [] : ['What you typed, in the message field']),
          ]}
        />
        {flight?.endpoint && (
          <p className={s['note']}>
            The excerpt goes to{' '}
            {flight.endpoint.current === undefined ? (
              'the model on this computer'
            ) : (
              <code>
                <Shown text={flight.endpoint.current} />
              </code>
            )}{' '}
            at once, as the first message.
          </p>
        )}
        {flight?.missing.map((one) => (
          <FailureNote key={one.message} failure={one} tone="warn" />
        ))}
        {foreign && (
          <p className={s['note']}>
            This run wasn’t written on this computer. The review shows where it comes from and what you can do
            with it.
          </p>
        )}
        {failure && <FailureNote failure={failure} />}
        <div className={s['actions']}>
          {foreign ? (
            <Button
              look="primary"
              onClick={() => {
                chooseForRun(id, name);
                onClose();
              }}
            >
              Review this run
            </Button>
          ) : entry.problem === '' ? (
            <Button
              look="primary"
              icon={<ArrowRight size="0.875rem" />}
              disabled={busy || !flight || flight.missing.length > 0}
              onClick={() => void onward()}
            >
              Continue in a new run
            </Button>
          ) : (
            <Button look="primary" onClick={() => go({ view: 'profiles', name })}>
              Set up “<Name text={name} />”
            </Button>
          )}
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </div>
    </Dialog>
  );
}

function Points({ label, points, off = false }: { label: string; points: string[]; off?: boolean }) {
  const Icon = off ? Minus : Check;
  return (
    <section className={s['points']} data-off={off} aria-label={label}>
      <h3>{label}</h3>
      <ul>
        {points.map((point) => (
          <li key={point}>
            <Icon size="0.875rem" aria-hidden="true" />
            <span>{point}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
