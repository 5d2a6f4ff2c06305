import { useEffect, useState } from 'react';
import type { CommandOutput } from '../../../shared/contract/contract';
import type { FailureInfo } from '../../../shared/run/failure';
import { call, failureOf } from '../../client';
import { show } from '../../store/app';
import { Button } from '../kit/button';
import { Dialog } from '../kit/dialog';
import { FailureNote } from '../kit/failure';
import { bytes, many } from '../kit/numbers';
import { Shown } from '../kit/shown';
import s from './profiles.module.css';

/** What is kept of earlier prompts and tools on this computer, and how it goes. */
export function VersionsDialog() {
  const [known, setKnown] = useState<CommandOutput<'profiles.versions'>>();
  const [failure, setFailure] = useState<FailureInfo>();
  const load = () =>
    call('profiles.versions', {}).then(setKnown, (error: unknown) => setFailure(failureOf(error)));
  useEffect(() => void load(), []);
  const clear = () =>
    call('profiles.forget', {}).then(load, (error: unknown) => setFailure(failureOf(error)));
  return (
    <Dialog label="Earlier prompts and tools" size="s" onClose={() => show(undefined)}>
      <div className={s['versions']}>
        {failure && <FailureNote failure={failure} />}
        <p>
          A run records only hashes of its prompt and tools. Holdfast saves the texts on this computer, so
          that it can show you what changed before you resume a run. They are never part of a run or an
          export.
        </p>
        {known && (
          <>
            <p role="status">
              {known.versions === 0
                ? 'No text is saved.'
                : `${many(known.versions, 'text')}, ${bytes(known.bytes)}, in:`}
            </p>
            {known.versions > 0 && (
              <code>
                <Shown text={known.folder} />
              </code>
            )}
            <div>
              <Button disabled={known.versions === 0} onClick={() => void clear()}>
                Delete all
              </Button>
            </div>
          </>
        )}
      </div>
    </Dialog>
  );
}
