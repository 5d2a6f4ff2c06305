import { useEffect, useState } from 'react';
import type { FailureInfo } from '../../../shared/run/failure';
import { call, failureOf } from '../../client';
import { chooseForRun } from '../../store/app';
import { loadKeys } from '../../store/keys';
import { loadProfiles, useProfiles, type ProfileEntry } from '../../store/profiles';
import { Button } from '../kit/button';
import { Dialog } from '../kit/dialog';
import { FailureNote } from '../kit/failure';
import { Name } from '../kit/shown';
import { freeName } from '../models/add-model';
import { ModelPicker } from '../models/model-picker';
import s from './model-menu.module.css';

/** Another model of the service that a run uses: it is saved like any other, then the pre-flight shows what changes. */
export function OtherModel({ id, entry, onClose }: { id: string; entry: ProfileEntry; onClose: () => void }) {
  const profiles = useProfiles((state) => state.profiles);
  const [models, setModels] = useState<string[]>();
  const [model, setModel] = useState('');
  const [failure, setFailure] = useState<FailureInfo>();
  const [busy, setBusy] = useState(false);
  const { profile, key } = entry;
  const { provider, endpoint, key_env } = profile;
  const keyId = key?.id;
  useEffect(() => {
    let live = true;
    call('profiles.models', {
      provider,
      ...(endpoint !== undefined && { endpoint }),
      ...(key_env !== undefined && { key_env }),
      ...(keyId !== undefined && { key: keyId }),
    }).then(
      (reply) => live && setModels(reply.models.filter((one) => one !== profile.model)),
      (error: unknown) => {
        if (!live) return;
        setModels([]);
        setFailure(failureOf(error));
      },
    );
    return () => {
      live = false;
    };
  }, [provider, endpoint, key_env, keyId, profile.model]);
  const known = profiles.find(
    (one) =>
      one.profile.model === model &&
      one.profile.provider === provider &&
      one.profile.endpoint === endpoint &&
      one.problem === '',
  );
  const name = freeName(model.slice(0, 76), new Set(profiles.map((one) => one.profile.name)));
  const use = async () => {
    if (model === '') return;
    setBusy(true);
    setFailure(undefined);
    try {
      if (!known) {
        await call('profiles.save', {
          profile: { ...profile, name, model },
          ...(keyId !== undefined && { key: { id: keyId, keep: 'session' } }),
        });
        await Promise.all([loadProfiles(), loadKeys()]);
      }
      chooseForRun(id, known?.profile.name ?? name);
      onClose();
    } catch (error) {
      setFailure(failureOf(error));
      setBusy(false);
    }
  };
  return (
    <Dialog label="Another model of this service" onClose={onClose}>
      <div className={s['body']}>
        {models === undefined ? (
          <p role="status">Loading the models…</p>
        ) : (
          <ModelPicker models={models} value={model} problem={undefined} onChange={setModel} />
        )}
        {failure && <FailureNote failure={failure} />}
        {model !== '' && (
          <p className={s['note']}>
            {known ? (
              <>
                This is “<Name text={known.profile.name} />” in your list of models.
              </>
            ) : (
              <>
                Holdfast adds “<Name text={name} />” to your models, with the key, prompt, tools and limits of
                “<Name text={profile.name} />
                ”.
              </>
            )}{' '}
            Next, you see what changes. Nothing is sent before you agree.
          </p>
        )}
        <div className={s['actions']}>
          <Button look="primary" disabled={busy || model === ''} onClick={() => void use()}>
            Review the change
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </div>
    </Dialog>
  );
}
