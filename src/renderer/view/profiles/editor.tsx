import { useEffect, useRef, useState } from 'react';
import { Copy, Trash2 } from 'lucide-react';
import type { FailureInfo } from '../../../shared/run/failure';
import { call, failureOf } from '../../client';
import { chooseProfile, go, toast, useApp } from '../../store/app';
import { loadProfiles, useProfiles } from '../../store/profiles';
import { Button } from '../kit/button';
import { FailureNote } from '../kit/failure';
import { Field, inputClass, TextField } from '../kit/field';
import { Name } from '../kit/shown';
import { looksLikeKey } from '../../../shared/secret-text';
import { loadKeys, mustAskToKeep, type SecretEntry } from '../../store/keys';
import { originOf } from '../models/add-model';
import { KeepQuestion } from '../models/keep-question';
import { KeyField } from '../models/key-field';
import { useUnsavedForm } from '../kit/unsaved';
import { plainVisible } from '../kit/visible';
import { AdvancedFields } from './advanced';
import { ModelField } from './model-field';
import { ProfileActions } from './sharing';
import { FormProblems, toFirstProblem } from '../kit/form-problems';
import { FIELD_NAMES, impossibleTools, problemsOf, profileOf, type Form, type Problems } from './form';
import s from './profiles.module.css';

const KEY_HELP: Record<Form['provider'], string> = {
  anthropic: 'Empty: ANTHROPIC_API_KEY',
  openai: 'Empty: OPENAI_API_KEY; a server on this computer needs none',
  practice: '',
};
const ENDPOINT_HELP: Record<Form['provider'], string> = {
  anthropic: 'Empty: api.anthropic.com',
  openai: 'Empty: api.openai.com. For example http://localhost:11434/v1',
  practice: '',
};

const VENDOR: Record<Form['provider'], string> = {
  anthropic: 'https://api.anthropic.com',
  openai: 'https://api.openai.com/v1',
  practice: '',
};

interface EditorProps {
  /** The name before the edit; absent for a new profile. */
  was: string | undefined;
  builtIn: boolean;
  problem: string;
  /** The saved key that it uses. */
  saved?: { id: string; hint: string } | undefined;
  start: Form;
  onCopy?: () => void;
}

/** All fields of one profile. What it changes for runs that exist is told before it is saved. */
export function Editor({ was, builtIn, problem, saved, start, onCopy }: EditorProps) {
  const { profiles, tools } = useProfiles();
  const current = useApp((state) => state.profile);
  const [form, setForm] = useState(start);
  const [tried, setTried] = useState(false);
  const [failure, setFailure] = useState<FailureInfo>();
  const [busy, setBusy] = useState(false);
  const [held, setHeld] = useState<SecretEntry>();
  const [asking, setAsking] = useState(false);
  const [changing, setChanging] = useState(false);
  const [notHere, setNotHere] = useState<keyof Form>();
  const change = (part: Partial<Form>) => {
    setForm((old) => ({ ...old, ...part }));
    setNotHere(undefined);
    // What one service said is not about another.
    if ('provider' in part || 'endpoint' in part || 'model' in part) setFailure(undefined);
    // A key is for the service that it was entered for.
    if ('provider' in part || 'endpoint' in part) setHeld(undefined);
  };
  /** A key that lands in a field for something else goes no further than that field. */
  const changeText = (key: keyof Form) => (value: string) => {
    if (looksLikeKey(value)) setNotHere(key);
    else change({ [key]: value });
  };
  const taken = new Set(profiles.map((one) => one.profile.name).filter((name) => name !== was));
  const problems = problemsOf(form, taken);
  const shown: Problems = {
    ...(tried && problems),
    ...(notHere && { [notHere]: 'That looks like a key, so it was not entered here. Use the field Key.' }),
  };
  const impossible = builtIn ? [] : impossibleTools(form, tools);
  const dirty =
    JSON.stringify(form) !== JSON.stringify(start) ||
    was === undefined ||
    impossible.length > 0 ||
    held !== undefined;
  const { leave, settled } = useUnsavedForm(
    JSON.stringify(form) !== JSON.stringify(start) || held !== undefined,
    was === undefined ? 'the new profile' : `the profile “${plainVisible(was)}”`,
  );
  const element = useRef<HTMLFormElement>(null);
  const wanted = useProfiles((state) => state.wanted);
  useEffect(() => {
    if (wanted === undefined) return;
    useProfiles.setState({ wanted: undefined });
    const label = { key: 'Key', model: 'Model', endpoint: 'Endpoint' }[wanted];
    const labels = [...(element.current?.querySelectorAll('label') ?? [])];
    labels.find((one) => one.textContent === label)?.control?.focus();
  }, [wanted]);
  const remote = form.provider !== 'practice';

  const submit = () => {
    setTried(true);
    if (Object.keys(problems).length > 0) toFirstProblem(element.current);
    else if (held && mustAskToKeep()) setAsking(true);
    else void save('disk');
  };
  const save = async (keep: 'disk' | 'session') => {
    setBusy(true);
    try {
      const profile = profileOf(form, tools);
      await call('profiles.save', {
        profile,
        ...(was !== undefined && { was }),
        ...(held && { key: { id: held.id, keep } }),
      });
      await Promise.all([loadProfiles(), loadKeys()]);
      setHeld(undefined);
      if (current === was || was === undefined) chooseProfile(profile.name);
      toast({
        tone: 'info',
        text: `“${profile.name}” is saved.`,
        action: {
          label: 'Start a chat with it',
          run: () => {
            chooseProfile(profile.name);
            go({ view: 'new' });
          },
        },
      });
      settled();
      go({ view: 'profiles', name: profile.name });
      setFailure(undefined);
    } catch (error) {
      setFailure(failureOf(error));
    }
    setBusy(false);
  };
  const remove = async () => {
    if (was === undefined) return;
    try {
      await call('profiles.remove', { name: was });
      await loadProfiles();
      toast({
        tone: 'info',
        text: `“${was}” was removed. Runs that used it stay and ask for another profile.`,
        action: {
          label: 'Undo',
          holds: async () =>
            !(await call('profiles.list', {})).profiles.some(({ profile }) => profile.name === was),
          run: () =>
            void call('profiles.save', { profile: profileOf(start, tools) }).then(
              loadProfiles,
              () => undefined,
            ),
        },
      });
      settled();
      go({ view: 'profiles' });
    } catch (error) {
      setFailure(failureOf(error));
    }
  };
  const text = (key: 'name' | 'model' | 'endpoint' | 'key_env', label: string, help?: string) => (
    <TextField
      label={label}
      help={help}
      problem={shown[key]}
      value={form[key]}
      disabled={builtIn}
      onChange={changeText(key)}
    />
  );
  return (
    <form
      ref={element}
      noValidate
      className={s['form']}
      aria-label={was === undefined ? 'New profile' : `Profile ${was}`}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <div className={s['form-head']}>
        <h2>{was === undefined ? 'New profile' : <Name text={was} />}</h2>
        {was !== undefined && <ProfileActions name={was} builtIn={builtIn} />}
        {builtIn && <p>Comes with Holdfast and stays as it is. Make a copy to change it.</p>}
      </div>
      {problem !== '' && (
        <FailureNote
          tone="warn"
          failure={{ code: 'key_missing', message: `It cannot be used yet: ${problem}` }}
          actions={
            remote &&
            form.key_env.trim() === '' &&
            /\bkey\b/.test(problem) && (
              <Button size="s" onClick={() => useProfiles.setState({ wanted: 'key' })}>
                Enter key…
              </Button>
            )
          }
        />
      )}
      <fieldset className={s['group']}>
        <legend>Model</legend>
        {text('name', 'Name')}
        <Field label="Provider">
          {(ids) => (
            <select
              {...ids}
              className={inputClass}
              value={form.provider}
              disabled={builtIn}
              onChange={(event) => change({ provider: event.target.value as Form['provider'] })}
            >
              <option value="anthropic">Anthropic</option>
              <option value="openai">OpenAI or a compatible service</option>
              <option value="practice">Practice (offline)</option>
            </select>
          )}
        </Field>
        <ModelField
          key={`${form.provider} ${form.endpoint}`}
          form={form}
          held={held?.id}
          problem={shown.model}
          disabled={builtIn}
          onChange={changeText('model')}
          onEndpoint={(endpoint) => setForm((old) => ({ ...old, endpoint }))}
        />
        {remote && text('endpoint', 'Endpoint', ENDPOINT_HELP[form.provider])}
        {remote && !builtIn && form.key_env.trim() === '' && (
          <KeyField
            service={originOf({ endpoint: form.endpoint || VENDOR[form.provider] })}
            held={held ?? (changing ? undefined : saved)}
            problem={undefined}
            action="Use"
            onHeld={(entry) => {
              setHeld(entry);
              setChanging(entry === undefined);
            }}
            help={
              changing && saved
                ? 'The saved key stays until you save the profile.'
                : 'Your key goes only to this service.'
            }
          />
        )}
        {remote && text('key_env', 'Environment variable with the key', KEY_HELP[form.provider])}
      </fieldset>
      <AdvancedFields form={form} problems={shown} disabled={builtIn} onChange={change} />
      {failure && <FailureNote failure={failure} />}
      <FormProblems names={FIELD_NAMES} problems={shown} form={element} />
      <div className={s['actions']}>
        {builtIn ? (
          <Button look="primary" icon={<Copy size="0.9375rem" />} onClick={() => onCopy && leave(onCopy)}>
            Make a copy
          </Button>
        ) : (
          <>
            <Button look="primary" type="submit" disabled={busy || !dirty}>
              {was === undefined ? 'Add profile' : 'Save'}
            </Button>
            {dirty && was !== undefined && (
              <Button look="ghost" onClick={() => setForm(start)}>
                Undo changes
              </Button>
            )}
            <span className={s['grow']} />
            {was !== undefined && (
              <>
                <Button look="ghost" icon={<Copy size="0.9375rem" />} onClick={() => onCopy && leave(onCopy)}>
                  Duplicate
                </Button>
                <Button look="ghost" icon={<Trash2 size="0.9375rem" />} onClick={() => void remove()}>
                  Remove
                </Button>
              </>
            )}
          </>
        )}
      </div>
      {asking && (
        <KeepQuestion
          onAnswer={(keep) => {
            setAsking(false);
            if (keep) void save(keep);
          }}
        />
      )}
    </form>
  );
}
