import { useState } from 'react';
import { ArrowRight, Lock, Play } from 'lucide-react';
import type { PreflightView, RunHead } from '../../../shared/contract/views';
import type { FailureInfo } from '../../../shared/run/failure';
import { call, failureOf } from '../../client';
import { go, openRun } from '../../store/app';
import type { ProfileEntry } from '../../store/profiles';
import { useDraft } from '../chat/draft';
import { FolderButton } from '../chat/folder';
import { ProfileButton } from '../chat/profile-button';
import { Waiting } from '../chat/waiting';
import { Button } from '../kit/button';
import { FailureNote } from '../kit/failure';
import { Name } from '../kit/shown';
import { firstOf } from './first';
import type { Answers } from './unknown';
import s from './decide.module.css';

interface DecideProps {
  head: RunHead;
  flight: PreflightView;
  entry: ProfileEntry | undefined;
  folder: string | undefined;
  answers: Answers;
  endpointOk: boolean;
  originOk: boolean;
  onProfile: (name: string) => void;
  onFolder: (folder: string | undefined) => void;
  onLook: () => void;
}

/** The answers, always in view: what matches first, force second, and why something cannot be. */
export function Decide(props: DecideProps) {
  const { head, flight, entry, folder, answers, endpointOk, originOk, onProfile, onFolder, onLook } = props;
  const { id } = flight;
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<FailureInfo>();
  const draft = useDraft(id);
  const refused = flight.gates.filter((gate) => gate.outcome === 'refuse');
  const hard = refused.find((gate) => gate.gate !== 'drift');
  const needsForce = refused.length > 0 && !hard;
  const other = refused.length > 0 ? flight.matching.find((name) => name !== flight.profile) : undefined;
  const held = flight.writer === 'elsewhere' || flight.writer === 'here';

  const foreign = flight.origin.kind !== 'here';
  const first = firstOf(flight, entry, { answers, endpointOk, originOk });
  const note = held
    ? 'Someone is writing this run now.'
    : hard
      ? undefined
      : first.length > 0
        ? `First ${first.join(', and ')}.`
        : undefined;
  const blocked = first.length > 0 || held || busy;

  const resume = async (force: boolean, send?: string) => {
    setBusy(true);
    setFailure(undefined);
    try {
      await call('run.resume', {
        id,
        profile: flight.profile,
        force,
        acceptEndpoint: endpointOk,
        ...(foreign && originOk && { acceptOrigin: flight.origin.seen }),
        unknown: flight.unknown.flatMap(({ toolUseId, hash }) => {
          const answer = answers[hash];
          if (!answer) return [];
          const words = answer.decision === 'happened' ? { words: answer.words } : {};
          return [{ toolUseId, hash, decision: answer.decision, ...words }];
        }),
        ...(folder !== undefined && { folder }),
        ...(send !== undefined && { send }),
      });
      openRun(id, 'chat');
    } catch (error) {
      setFailure(failureOf(error));
      onLook();
    }
    setBusy(false);
  };

  /** Begins a new chat with the chosen profile; this run stays as it is. */
  const onward = async () => {
    setBusy(true);
    setFailure(undefined);
    try {
      const fresh = await call('run.continue', {
        id,
        profile: flight.profile,
        acceptEndpoint: endpointOk,
        ...(foreign && originOk && { acceptOrigin: flight.origin.seen }),
        ...(folder !== undefined && { folder }),
      });
      openRun(fresh.id, 'chat');
    } catch (error) {
      setFailure(failureOf(error));
      onLook();
    }
    setBusy(false);
  };

  return (
    <div className={s['decide']}>
      <div className={s['decide-inner']}>
        {failure && <FailureNote failure={failure} />}
        <Waiting
          head={head}
          blocked={blocked || hard !== undefined || flight.missing.length > 0}
          send={needsForce ? 'Force resume and send' : 'Send'}
          onSend={(message) => void resume(needsForce, message)}
          onEdit={() => openRun(id, 'chat')}
        />
        {hard && (
          <p className={s['cannot']}>
            <Lock size="0.9375rem" aria-hidden="true" />
            <span>
              {hard.gate === 'provider'
                ? 'Another kind of service cannot read what this one recorded, so this cannot be forced. Choose a profile of the same kind, or continue in a new run: it begins with an excerpt of this conversation.'
                : 'This cannot be forced. Choose another profile, or begin anew.'}
            </span>
          </p>
        )}
        {note && <p className={s['missing']}>{note}</p>}
        {draft !== '' && (
          <p className={s['draft']}>
            What you typed stays in the message field of this chat. It isn’t sent until you send it.
          </p>
        )}
        <div className={s['actions']}>
          {other !== undefined && (
            <Button look="primary" disabled={busy || held} onClick={() => onProfile(other)}>
              Use “<Name text={other} />
              ”, which matches
            </Button>
          )}
          {refused.length === 0 && (
            <Button
              look="primary"
              disabled={blocked}
              icon={<Play size="0.875rem" />}
              onClick={() => void resume(false)}
            >
              {flight.next === 'finish' ? 'Finish' : 'Resume'}
            </Button>
          )}
          {needsForce && (
            <Button look="danger" disabled={blocked} onClick={() => void resume(true)}>
              Force resume with these changes
            </Button>
          )}
          {hard?.gate === 'provider' && (
            <Button
              look="primary"
              disabled={
                busy ||
                held ||
                flight.missing.length > 0 ||
                (foreign && !originOk) ||
                (entry?.problem ?? '') !== '' ||
                (flight.endpoint?.changed === true && !endpointOk)
              }
              icon={<ArrowRight size="0.875rem" />}
              title={`Begins a new chat with “${flight.profile}” from an excerpt of this one, which stays as it is`}
              onClick={() => void onward()}
            >
              Continue in a new run
            </Button>
          )}
          {needsForce && <Button onClick={() => openRun(id, 'chat')}>Cancel</Button>}
          {hard && <Button onClick={() => go({ view: 'new' })}>New chat</Button>}
          <span className={s['grow']} />
          <ProfileButton entry={entry} onChoose={onProfile} />
          <FolderButton folder={folder} onChange={onFolder} />
        </div>
      </div>
    </div>
  );
}
