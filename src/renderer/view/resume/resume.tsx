import { useCallback, useEffect, useState } from 'react';
import { ArrowRight, Play } from 'lucide-react';
import type { PreflightView, RunHead } from '../../../shared/contract/views';
import type { FailureInfo } from '../../../shared/run/failure';
import { call, failureOf } from '../../client';
import { openRun } from '../../store/app';
import { sendDraft, useDrafts } from '../../store/drafts';
import { useProfiles } from '../../store/profiles';
import { runDraft } from '../chat/chat';
import { FolderButton } from '../chat/folder';
import { ProfileButton } from '../chat/profile-button';
import { Button } from '../kit/button';
import { FailureNote } from '../kit/failure';
import { many, short } from '../kit/numbers';
import { Name, Shown } from '../kit/shown';
import { Diff } from './diff';
import { Endpoint } from './endpoint';
import { Gates } from './gates';
import { Pending } from './pending';
import { answersReady, Unknown, type Answers } from './unknown';
import s from './resume.module.css';

/** Everything about going on, before anything runs. Looking changes nothing. */
export function Resume({ head }: { head: RunHead }) {
  const { id } = head.row;
  const [profile, setProfile] = useState<string>();
  const [folder, setFolder] = useState<string>();
  const [flight, setFlight] = useState<PreflightView>();
  const [failure, setFailure] = useState<FailureInfo>();
  const [looks, setLooks] = useState(0);
  const look = useCallback(() => setLooks((n) => n + 1), []);
  const { lastSeq, mode } = head;
  const saved = useProfiles((state) => state.profiles);
  useEffect(() => {
    let live = true;
    call('run.preflight', { id, ...(profile && { profile }), ...(folder && { folder }) }).then(
      (reply) => {
        if (!live) return;
        setFlight(reply);
        setFailure(undefined);
      },
      (error: unknown) => live && setFailure(failureOf(error)),
    );
    return () => {
      live = false;
    };
    // The journal may have grown, and a profile may have been saved, since the last look.
  }, [id, profile, folder, looks, lastSeq, mode, saved]);

  return (
    <div className={s['page']} tabIndex={0} role="region" aria-label="Before this run goes on">
      <div className={s['column']}>
        {failure && (
          <FailureNote
            failure={failure}
            actions={
              <>
                <Button size="s" onClick={look}>
                  Look again
                </Button>
                <Button size="s" look="ghost" onClick={() => openRun(id, 'transcript')}>
                  Read the transcript
                </Button>
              </>
            }
          />
        )}
        {!flight && !failure && <p className={s['looking']}>Looking at the journal…</p>}
        {flight && (
          <Flight
            key={flight.profile}
            head={head}
            flight={flight}
            folder={folder ?? flight.folder}
            onProfile={setProfile}
            onFolder={setFolder}
            onLook={look}
          />
        )}
      </div>
    </div>
  );
}

interface FlightProps {
  head: RunHead;
  flight: PreflightView;
  folder: string | undefined;
  onProfile: (name: string) => void;
  onFolder: (folder: string | undefined) => void;
  onLook: () => void;
}

function Flight({ head, flight, folder, onProfile, onFolder, onLook }: FlightProps) {
  const { id } = flight;
  const [answers, setAnswers] = useState<Answers>({});
  const [endpointOk, setEndpointOk] = useState(false);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<FailureInfo>();
  const entry = useProfiles((state) => state.profiles.find((one) => one.profile.name === flight.profile));
  const draft = runDraft(id);
  const said = useDrafts((state) => state.texts[draft]?.trim() ?? '');

  const refused = flight.gates.filter((gate) => gate.outcome === 'refuse');
  const drifted = flight.diff.some((field) => field.changed && field.force === 'forceable');
  const hard = refused.some((gate) => gate.gate !== 'drift');
  const needsForce = refused.length > 0 && !hard;
  const others = flight.matching.filter((name) => name !== flight.profile);
  const held = flight.writer === 'elsewhere' || flight.writer === 'here';
  const missing: string[] = [];
  if (!answersReady(flight.unknown, answers))
    missing.push('say what happened to the tool whose outcome is unknown');
  if (flight.endpoint?.changed && !endpointOk) missing.push('agree to the changed endpoint');
  if (entry && entry.problem !== '') missing.push(`make the profile usable (${entry.problem})`);
  const blocked = missing.length > 0 || held || busy;

  const resume = async (name: string, force: boolean) => {
    setBusy(true);
    setFailure(undefined);
    const send = async (say: string) => {
      await call('run.resume', {
        id,
        profile: name,
        force,
        acceptEndpoint: endpointOk,
        unknown: flight.unknown.flatMap((tool) => {
          const answer = answers[tool.toolUseId];
          return answer
            ? [
                {
                  toolUseId: tool.toolUseId,
                  decision: answer.decision,
                  ...(answer.decision === 'happened' && { words: answer.words }),
                },
              ]
            : [];
        }),
        ...(folder !== undefined && { folder }),
        ...(head.chat && say.trim() !== '' && { say }),
      });
    };
    try {
      if (head.chat && said !== '') await sendDraft(draft, send);
      else await send('');
      openRun(id, 'chat');
    } catch (error) {
      setFailure(failureOf(error));
      onLook();
    }
    setBusy(false);
  };

  return (
    <>
      <section className={s['panel']} aria-labelledby="preflight-title">
        <div className={s['intro']}>
          <h2 id="preflight-title">Before this run goes on</h2>
          <p>
            Nothing has run yet. {many(flight.records, 'record')} {flight.records === 1 ? 'is' : 'are'} safe
            {flight.paidCalls > 0 && (
              <>
                ; {many(flight.paidCalls, 'model reply', 'model replies')}{' '}
                {flight.paidCalls === 1 ? 'is' : 'are'} paid for and kept
              </>
            )}
            .
          </p>
        </div>
        <Gates flight={flight} drifted={drifted} />
        {flight.diff.length > 0 && <Diff flight={flight} prompt={entry?.profile.system_prompt} />}
        {flight.endpoint?.changed && (
          <Endpoint endpoint={flight.endpoint} ok={endpointOk} onChange={setEndpointOk} />
        )}
      </section>

      {flight.unknown.length > 0 && (
        <Unknown tools={flight.unknown} answers={answers} onChange={setAnswers} />
      )}
      {flight.pending.length > 0 && <Pending tools={flight.pending} />}

      <section className={s['panel']} aria-labelledby="next-title">
        <div className={s['intro']}>
          <h2 id="next-title">What happens next</h2>
          <p>{nextWords(flight)}</p>
          {flight.nextCallChars > 0 && flight.next !== 'finish' && flight.next !== 'nothing' && (
            <p className={s['small']}>
              The next call sends about {short(flight.nextCallChars)} characters of conversation to{' '}
              <Shown text={flight.endpoint?.current ?? 'the model on this computer'} />.
            </p>
          )}
          {flight.pausedTurn && (
            <p className={s['small']}>
              The model had paused its turn. What the service kept for it may have expired; then it starts
              that turn again.
            </p>
          )}
          {flight.lost && (
            <p className={s['small']}>
              A reply was cut off while it arrived. Its text ({many(flight.lost.text.length, 'character')})
              can be read in the transcript; it is not part of the conversation, and the call is made again.
            </p>
          )}
          {said !== '' && head.chat && (
            <p className={s['small']}>
              Then your message goes in: “
              <Shown text={said.length > 120 ? `${said.slice(0, 120)}…` : said} prose />”
            </p>
          )}
        </div>
        {failure && (
          <div className={s['inset']}>
            <FailureNote failure={failure} />
          </div>
        )}
        <div className={s['choices']}>
          <ProfileButton entry={entry} onChoose={onProfile} />
          <FolderButton folder={folder} onChange={onFolder} />
          {missing.length > 0 && <span className={s['missing']}>First {missing.join(', and ')}.</span>}
          {held && <span className={s['missing']}>Someone is writing it now.</span>}
        </div>
        <div className={s['actions']}>
          {hard ? (
            <p className={s['cannot']}>
              <ArrowRight size="0.9375rem" aria-hidden="true" />
              {refused.find((gate) => gate.gate !== 'drift')?.text}
            </p>
          ) : (
            !needsForce && (
              <Button
                look="primary"
                disabled={blocked}
                icon={<Play size="0.875rem" />}
                onClick={() => void resume(flight.profile, false)}
              >
                {flight.next === 'finish' ? 'Finish' : 'Resume'}
              </Button>
            )
          )}
          {refused.length > 0 &&
            others.slice(0, 1).map((name) => (
              <Button key={name} look="primary" disabled={busy || held} onClick={() => onProfile(name)}>
                Use “<Name text={name} />
                ”, which matches
              </Button>
            ))}
          {needsForce && (
            <Button look="danger" disabled={blocked} onClick={() => void resume(flight.profile, true)}>
              Force resume with these changes
            </Button>
          )}
        </div>
      </section>
    </>
  );
}

function nextWords(flight: PreflightView): string {
  const run = flight.pending.filter((tool) => tool.fate === 'run' || tool.fate === 'ask').length;
  switch (flight.next) {
    case 'tools':
      return run > 0
        ? `${many(run, 'tool')} that has no result yet runs, then the model is called.`.replace(
            'tools that has',
            'tools that have',
          )
        : 'The open calls are answered, then the model is called.';
    case 'call':
      return 'The model is called with the conversation as it is.';
    case 'input':
      return 'It waits for your next message.';
    case 'finish':
      return 'Everything is done; only the last record is missing and is written.';
    case 'nothing':
      return 'There is nothing left to do in this run.';
  }
}
