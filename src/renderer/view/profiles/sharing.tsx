import { useRef, useState } from 'react';
import { Download, Star, Upload } from 'lucide-react';
import type { CommandOutput } from '../../../shared/contract/contract';
import { call } from '../../client';
import { chooseProfile, go, toast, toastFailure } from '../../store/app';
import { loadProfiles, useProfiles } from '../../store/profiles';
import { saveText } from '../../store/save-text';
import { Button } from '../kit/button';
import { Dialog } from '../kit/dialog';
import { many } from '../kit/numbers';
import { Name, Shown } from '../kit/shown';
import s from './profiles.module.css';

type Report = CommandOutput<'profiles.import'>;

/** As much as the main process takes. */
const LARGEST = 256 * 1024;

/** Adds the profiles of a file that was shared. */
export function ImportButton() {
  const input = useRef<HTMLInputElement>(null);
  const [report, setReport] = useState<Report>();
  const take = async (file: File) => {
    if (file.size > LARGEST) {
      toast({ tone: 'bad', text: 'This file is larger than 256 KiB, so it is not a file of profiles.' });
      return;
    }
    try {
      const found = await call('profiles.import', { text: await file.text() });
      await loadProfiles();
      setReport(found);
    } catch (error) {
      toastFailure(error);
    }
  };
  return (
    <>
      <Button look="ghost" size="s" icon={<Upload size="0.9375rem" />} onClick={() => input.current?.click()}>
        Import…
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        accept=".yaml,.yml"
        aria-label="File of profiles"
        onChange={(event) => {
          const [file] = event.target.files ?? [];
          // The same file can be chosen again.
          if (file) void take(file).finally(() => input.current && (input.current.value = ''));
        }}
      />
      {report && <ImportDialog report={report} onClose={() => setReport(undefined)} />}
    </>
  );
}

function ImportDialog({ report, onClose }: { report: Report; onClose: () => void }) {
  const done = report.imported.filter(({ name }) => name !== undefined).length;
  return (
    <Dialog label="Import profiles" size="s" onClose={onClose}>
      <div className={s['versions']}>
        <p role="status">
          {done === 0 ? 'No profile was imported.' : `${many(done, 'profile')} imported.`} Your other profiles
          are as they were.
        </p>
        <ul aria-label="Profiles in the file" className={s['imported']}>
          {report.imported.map(({ from, name, problem, missing, onlyVariable }, index) => (
            <li key={index}>
              <div>
                <Name text={name ?? from} />
                <small>
                  {name === undefined ? (
                    <>
                      Not imported. <Shown text={problem ?? ''} />
                    </>
                  ) : (
                    <>
                      {name !== from && (
                        <>
                          The name <Name text={from} /> was taken.{' '}
                        </>
                      )}
                      {missing &&
                        (onlyVariable ? (
                          <>
                            Set the environment variable <code>{missing.variable}</code> to its key for{' '}
                            <Shown text={missing.service} />.
                          </>
                        ) : (
                          <>
                            It needs a key for <Shown text={missing.service} />.
                          </>
                        ))}
                    </>
                  )}
                </small>
              </div>
              {name !== undefined && missing && !onlyVariable && (
                <Button
                  size="s"
                  onClick={() => {
                    onClose();
                    go({ view: 'profiles', name });
                  }}
                >
                  Enter key…
                </Button>
              )}
            </li>
          ))}
        </ul>
        {report.notes.map((note) => (
          <p key={note}>
            <Shown text={note} />
          </p>
        ))}
      </div>
    </Dialog>
  );
}

/** What can be done with a saved profile as it is. */
export function ProfileActions({ name, builtIn }: { name: string; builtIn: boolean }) {
  const usual = useProfiles((state) => state.usual);
  const makeDefault = () =>
    call('profiles.usual', { name }).then(() => {
      chooseProfile(name);
      return loadProfiles();
    }, toastFailure);
  const save = () =>
    call('profiles.export', { names: [name] }).then(
      ({ text }) => saveText(text, `${name.replace(/[^\p{L}\p{N}._-]+/gu, '-')}.yaml`),
      toastFailure,
    );
  return (
    <div className={s['profile-actions']}>
      {usual === name ? (
        <span className={s['default']}>
          <Star size="0.875rem" /> Default for new chats
        </span>
      ) : (
        <Button look="ghost" size="s" icon={<Star size="0.875rem" />} onClick={() => void makeDefault()}>
          Make default
        </Button>
      )}
      {!builtIn && (
        <Button look="ghost" size="s" icon={<Download size="0.875rem" />} onClick={() => void save()}>
          Export…
        </Button>
      )}
    </div>
  );
}
