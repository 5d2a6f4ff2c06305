import { useId } from 'react';
import { MapPin } from 'lucide-react';
import type { PreflightView } from '../../../shared/contract/views';
import type { ProfileEntry } from '../../store/profiles';
import { FolderButton } from '../chat/folder';
import { ProfileButton } from '../chat/profile-button';
import { Name, Shown } from '../kit/shown';
import { fullTime } from '../kit/time';
import s from './resume.module.css';

/** What a yes is to: this run as it is, with this profile, this address and this folder. */
export const originKey = (flight: PreflightView): string =>
  JSON.stringify([
    flight.origin.seen,
    flight.profile,
    flight.endpoint?.current ?? null,
    flight.folder ?? null,
  ]);

interface FromProps {
  flight: PreflightView;
  entry: ProfileEntry | undefined;
  ok: boolean;
  onChange: (ok: boolean) => void;
  onProfile: (name: string) => void;
  onFolder: (folder: string | undefined) => void;
}

/** Where a run comes from. Of one from elsewhere only the words are taken over; the rest is chosen here. */
export function From({ flight, entry, ok, onChange, onProfile, onFolder }: FromProps) {
  const id = useId();
  const { origin } = flight;
  if (origin.kind === 'here') return <p className={s['from-here']}>This run was written on this computer.</p>;
  const { told } = origin;
  return (
    <section className={s['panel']} data-tone="stop" aria-labelledby={`${id}-title`}>
      <div className={s['endpoint']}>
        <MapPin size="1.0625rem" aria-hidden="true" />
        <div>
          <h2 id={`${id}-title`}>
            {origin.kind === 'import'
              ? 'This run was imported'
              : 'Another computer or program wrote this run'}
          </h2>
          <p>
            {origin.at !== undefined && <>It came here on {fullTime(origin.at)}. </>}
            Only its words are used. Choose the profile and the folder that it gets on this computer.
          </p>
          {(told.profile !== undefined || told.folder !== undefined || told.endpoint !== undefined) && (
            <p>
              Its notes name
              {told.profile !== undefined && (
                <>
                  {' '}
                  the profile <Name text={told.profile} />
                </>
              )}
              {told.folder !== undefined && (
                <>
                  {told.profile !== undefined && ','} the folder{' '}
                  <code>
                    <Shown text={told.folder} />
                  </code>
                </>
              )}
              {told.endpoint !== undefined && (
                <>
                  {(told.profile ?? told.folder) !== undefined && ','} the address{' '}
                  <code>
                    <Shown text={told.endpoint} />
                  </code>
                </>
              )}
              . Nothing of that is used here.
            </p>
          )}
          <div className={s['choose']}>
            <ProfileButton entry={entry} onChoose={onProfile} />
            <FolderButton folder={flight.folder} onChange={onFolder} />
          </div>
          <p className={s['agree']}>
            <input
              id={id}
              type="checkbox"
              checked={ok}
              onChange={(event) => onChange(event.target.checked)}
            />
            <label htmlFor={id}>
              Use “<Name text={flight.profile} />” and{' '}
              {flight.folder === undefined ? (
                'no folder'
              ) : (
                <>
                  the folder <Shown text={flight.folder} />
                </>
              )}
              , and send this conversation to{' '}
              <Shown text={flight.endpoint?.current ?? 'the model on this computer'} />
            </label>
          </p>
        </div>
      </div>
    </section>
  );
}
