import { useEffect, useState } from 'react';
import type { SecretEntry } from '../../../shared/contract/keys';
import { serviceAt } from '../../../shared/services';
import { call, failureOf } from '../../client';
import { loadKeys, useKeys } from '../../store/keys';
import { toast, toastFailure } from '../../store/app';
import { Button } from '../kit/button';
import { Dialog } from '../kit/dialog';
import { FailureNote } from '../kit/failure';
import { listed } from '../kit/numbers';
import { Name, Shown } from '../kit/shown';
import { ReplaceField } from './replace-field';
import s from './models.module.css';

/** Every saved key, by the service that it is for and what uses it; never a value. */
export function KeysDialog({ onClose }: { onClose: () => void }) {
  const { keys, problem, failure, ready, protection, file } = useKeys();
  useEffect(() => void loadKeys(), []);
  return (
    <Dialog label="Keys" onClose={onClose}>
      <div className={s['keys']}>
        {(problem ?? failure) && <FailureNote failure={(problem ?? failure)!} />}
        {ready && keys.length === 0 && !problem && <p>No key is saved yet. Add a model to enter one.</p>}
        <ul aria-label="Keys">
          {keys.map((key) => (
            <KeyRow key={`${key.where} ${key.id} ${key.service}`} entry={key} />
          ))}
        </ul>
        {file !== '' && (
          <small>
            {protection === 'encrypted'
              ? 'Saved keys are encrypted by your system, in '
              : 'Saved keys are not encrypted. Only your account can read '}
            <code>{file}</code>
          </small>
        )}
      </div>
    </Dialog>
  );
}

const KINDS: Record<SecretEntry['kind'], string> = { key: 'Key', password: 'Password', token: 'Token' };
const PLACES: Record<SecretEntry['where'], string> = {
  disk: 'saved',
  session: 'until you quit',
  environment: 'from the environment',
};

export const serviceName = (service: string): string =>
  (serviceAt('openai', service) ?? serviceAt('anthropic', service))?.name ??
  service.replace(/^https?:\/\//, '');

function KeyRow({ entry }: { entry: SecretEntry }) {
  const [replacing, setReplacing] = useState(false);
  const name = serviceName(entry.service);
  const uses = entry.uses.length === 0 ? 'Nothing uses it' : `Used by ${listed(entry.uses)}`;
  const remove = () =>
    call('keys.remove', { id: entry.id }).then(
      () => toast({ tone: 'info', text: `The key for ${name} was removed.` }),
      toastFailure,
    );
  const replace = async (value: string) => {
    try {
      await call('keys.replace', { id: entry.id, value });
      toast({ tone: 'info', text: `The key for ${name} was replaced.` });
      setReplacing(false);
      return undefined;
    } catch (error) {
      return failureOf(error).message;
    }
  };
  return (
    <li>
      <div>
        <Name text={name} /> · {KINDS[entry.kind]}
        {entry.where === 'environment' ? (
          <>
            {' '}
            in <code>{entry.id}</code>
          </>
        ) : null}
        {entry.hint !== '' && (
          <>
            {' '}
            ending in <code>{entry.hint}</code>
          </>
        )}
        <small>
          <Shown text={uses} /> · {PLACES[entry.where]}
        </small>
      </div>
      {entry.where !== 'environment' && !replacing && (
        <>
          <Button size="s" onClick={() => setReplacing(true)}>
            Replace…
          </Button>
          <Button size="s" look="ghost" onClick={() => void remove()}>
            Remove
          </Button>
        </>
      )}
      {replacing && <ReplaceField onEnter={replace} onCancel={() => setReplacing(false)} />}
    </li>
  );
}
