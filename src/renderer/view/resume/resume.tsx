import { useCallback, useEffect, useState } from 'react';
import type { PreflightView, RunHead } from '../../../shared/contract/views';
import type { FailureInfo } from '../../../shared/run/failure';
import { call, failureOf } from '../../client';
import { openRun } from '../../store/app';
import { useProfiles } from '../../store/profiles';
import { ProfileOffer } from '../profiles/offer';
import { ProfileButton } from '../chat/profile-button';
import { Button } from '../kit/button';
import { FailureNote } from '../kit/failure';
import { many } from '../kit/numbers';
import { Name } from '../kit/shown';
import { Fold } from '../flow/fold';
import { Decide } from './decide';
import { Diff } from './diff';
import { Endpoint } from './endpoint';
import { From, originKey } from './from';
import { Gates } from './gates';
import { Next } from './next';
import { Pending } from './pending';
import { Foreign, Unknown, type Answers } from './unknown';
import page from '../kit/page.module.css';
import s from './resume.module.css';

/** Everything about going on, before anything runs. Looking changes nothing. */
export function Resume({ head, chosen }: { head: RunHead; chosen: string | undefined }) {
  const { id } = head.row;
  const [profile, setProfile] = useState(chosen);
  const [folder, setFolder] = useState<string>();
  const { flight, failure, look } = usePreflight(head, profile, folder);
  const [answers, setAnswers] = useState<Answers>({});
  const [endpointOk, setEndpointOk] = useState<string>();
  const [originOk, setOriginOk] = useState<string>();
  const entry = useProfiles((state) => state.profiles.find((one) => one.profile.name === flight?.profile));
  // The yes is to one place, not to whatever a later choice of profile brings.
  const adopted = flight !== undefined && originOk === originKey(flight);
  const agreed = flight?.endpoint !== undefined && endpointOk === flight.endpoint.current;

  return (
    <>
      <div className={page['page']} tabIndex={0} role="region" aria-label="Pre-flight">
        <div className={page['column']}>
          {failure && (
            <FailureNote
              failure={failure}
              actions={
                <>
                  <Button size="s" onClick={look}>
                    Look again
                  </Button>
                  <ProfileButton entry={entry} onChoose={setProfile} />
                  <Button size="s" look="ghost" onClick={() => openRun(id, 'transcript')}>
                    Read the transcript
                  </Button>
                </>
              }
            />
          )}
          {!flight && !failure && <p className={s['looking']}>Looking at the journal…</p>}
          {flight && (
            <>
              <From
                flight={flight}
                entry={entry}
                ok={adopted}
                onChange={(ok) => setOriginOk(ok ? originKey(flight) : undefined)}
                onProfile={setProfile}
                onFolder={setFolder}
              />
              <section className={s['panel']} aria-labelledby="preflight-title">
                <div className={s['intro']}>
                  <h2 id="preflight-title">Before this run goes on</h2>
                  <p>{safeWords(flight)}</p>
                </div>
                {flight.gone !== undefined && (
                  <p>
                    There is no profile <Name text={flight.gone} /> any more.{' '}
                    {flight.matching.includes(flight.profile) ? (
                      <>
                        <Name text={flight.profile} /> has the same settings, so this run continues with it.
                      </>
                    ) : (
                      'No profile has the same settings.'
                    )}
                  </p>
                )}
                {flight.missing.map((one) => (
                  <FailureNote
                    key={one.message}
                    failure={one}
                    tone="warn"
                    actions={<ProfileOffer failure={one} profile={flight.profile} />}
                  />
                ))}
                <Gates flight={flight} />
                {flight.diff.some((field) => field.changed) ? (
                  <Diff flight={flight} />
                ) : (
                  <div className={s['same-fold']}>
                    <Fold label="Show the settings" quiet>
                      <Diff flight={flight} />
                    </Fold>
                  </div>
                )}
                {flight.endpoint?.changed && (
                  <Endpoint
                    endpoint={flight.endpoint}
                    ok={agreed}
                    onChange={(ok) => setEndpointOk(ok ? flight.endpoint?.current : undefined)}
                  />
                )}
              </section>
              {flight.unknown.some(isForeign) && (
                <Foreign tools={flight.unknown.filter(isForeign)} answers={answers} onChange={setAnswers} />
              )}
              {!flight.unknown.every(isForeign) && (
                <Unknown
                  tools={flight.unknown.filter((tool) => !isForeign(tool))}
                  answers={answers}
                  onChange={setAnswers}
                />
              )}
              {flight.pending.length > 0 && <Pending tools={flight.pending} />}
              <Next flight={flight} waiting={head.queued.length} />
            </>
          )}
        </div>
      </div>
      {flight && (
        <Decide
          head={head}
          flight={flight}
          entry={entry}
          folder={folder ?? flight.folder}
          answers={answers}
          endpointOk={agreed}
          originOk={adopted}
          onProfile={setProfile}
          onFolder={setFolder}
          onLook={look}
        />
      )}
    </>
  );
}

const isForeign = ({ fate }: PreflightView['unknown'][number]) => fate === 'foreign';

/** Looks, and looks again whenever what was seen may have changed. */
function usePreflight(head: RunHead, profile: string | undefined, folder: string | undefined) {
  const { lastSeq, mode } = head;
  const { id } = head.row;
  const [flight, setFlight] = useState<PreflightView>();
  const [failure, setFailure] = useState<FailureInfo>();
  const [looks, setLooks] = useState(0);
  const look = useCallback(() => setLooks((n) => n + 1), []);
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
  }, [id, profile, folder, looks, lastSeq, mode, saved]);
  return { flight, failure, look };
}

function safeWords(flight: PreflightView): string {
  const records = `${many(flight.records, 'record')} ${flight.records === 1 ? 'is' : 'are'} safe`;
  if (flight.paidCalls === 0) return `Nothing has run yet. ${records}.`;
  const paid = `${many(flight.paidCalls, 'model reply', 'model replies')} ${flight.paidCalls === 1 ? 'is' : 'are'} paid for and kept`;
  return `Nothing has run yet. ${records}; ${paid}.`;
}
