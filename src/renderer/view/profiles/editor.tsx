import { useRef, useState } from 'react';
import { Copy, Trash2 } from 'lucide-react';
import type { FailureInfo } from '../../../shared/run/failure';
import { call, failureOf } from '../../client';
import { chooseProfile, go, toast, useApp } from '../../store/app';
import { loadProfiles, useProfiles } from '../../store/profiles';
import { Button } from '../kit/button';
import { FailureNote } from '../kit/failure';
import { Field, inputClass, Switch, TextField } from '../kit/field';
import { Name, Shown } from '../kit/shown';
import { ModelField } from './model-field';
import { FormProblems, toFirstProblem } from '../kit/form-problems';
import { FIELD_NAMES, impossibleTools, problemsOf, profileOf, toolsOf, type Form } from './form';
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

interface EditorProps {
  /** The name before the edit; absent for a new profile. */
  was: string | undefined;
  builtIn: boolean;
  problem: string;
  start: Form;
  onCopy?: () => void;
}

/** All fields of one profile. What it changes for runs that exist is told before it is saved. */
export function Editor({ was, builtIn, problem, start, onCopy }: EditorProps) {
  const { profiles, tools } = useProfiles();
  const current = useApp((state) => state.profile);
  const [form, setForm] = useState(start);
  const [tried, setTried] = useState(false);
  const [failure, setFailure] = useState<FailureInfo>();
  const [busy, setBusy] = useState(false);
  const change = (part: Partial<Form>) => setForm((old) => ({ ...old, ...part }));
  const taken = new Set(profiles.map((one) => one.profile.name).filter((name) => name !== was));
  const problems = problemsOf(form, taken);
  const shown = tried ? problems : {};
  const impossible = builtIn ? [] : impossibleTools(form, tools);
  const dirty = JSON.stringify(form) !== JSON.stringify(start) || was === undefined || impossible.length > 0;
  const possible = new Set(toolsOf(tools, form.provider));
  const element = useRef<HTMLFormElement>(null);
  const remote = form.provider !== 'practice';

  const save = async () => {
    setTried(true);
    if (Object.keys(problems).length > 0) {
      toFirstProblem(element.current);
      return;
    }
    setBusy(true);
    try {
      const profile = profileOf(form, tools);
      await call('profiles.save', { profile, ...(was !== undefined && { was }) });
      await loadProfiles();
      if (current === was || was === undefined) chooseProfile(profile.name);
      toast({ tone: 'info', text: `“${profile.name}” is saved.` });
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
      onChange={(value) => change({ [key]: value })}
    />
  );
  const number = (
    key: 'max_iterations' | 'max_tokens' | 'max_output_tokens' | 'call_timeout',
    label: string,
    help: string,
  ) => (
    <Field label={label} help={help} problem={shown[key]}>
      {(ids) => (
        <input
          {...ids}
          className={inputClass}
          inputMode="decimal"
          value={form[key]}
          disabled={builtIn}
          onChange={(event) => change({ [key]: event.target.value })}
        />
      )}
    </Field>
  );
  return (
    <form
      ref={element}
      noValidate
      className={s['form']}
      aria-label={was === undefined ? 'New profile' : `Profile ${was}`}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <div className={s['form-head']}>
        <h2>{was === undefined ? 'New profile' : <Name text={was} />}</h2>
        {builtIn && <p>Comes with Holdfast and stays as it is. Make a copy to change it.</p>}
      </div>
      {problem !== '' && (
        <FailureNote
          tone="warn"
          failure={{ code: 'key_missing', message: `It cannot be used yet: ${problem}` }}
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
          form={form}
          problem={shown.model}
          disabled={builtIn}
          onChange={(model) => change({ model })}
        />
        {remote && text('endpoint', 'Endpoint', ENDPOINT_HELP[form.provider])}
        {remote && text('key_env', 'Environment variable with the key', KEY_HELP[form.provider])}
        <div className={s['wide']}>
          <Switch
            label="Thinking"
            help="The model thinks before it answers, where it can"
            checked={form.thinking}
            disabled={builtIn}
            onChange={(thinking) => change({ thinking })}
          />
        </div>
        <div className={s['wide']}>
          <Field
            label="System prompt"
            help="Runs keep only its fingerprint. Changing it asks on the next resume."
          >
            {(ids) => (
              <textarea
                {...ids}
                className={inputClass}
                rows={5}
                value={form.system_prompt}
                disabled={builtIn}
                onChange={(event) => change({ system_prompt: event.target.value })}
              />
            )}
          </Field>
        </div>
      </fieldset>
      <fieldset className={s['group']}>
        <legend>Tools</legend>
        <div className={s['toolbox']}>
          {tools
            .filter(({ name }) => possible.has(name))
            .map((tool) => (
              <Switch
                key={tool.name}
                label={tool.name}
                help={
                  <>
                    {tool.changes && <b>asks before it runs · </b>}
                    <Shown text={firstSentence(tool.description)} />
                  </>
                }
                checked={form.tools.includes(tool.name)}
                disabled={builtIn}
                onChange={(on) =>
                  change({
                    tools: on ? [...form.tools, tool.name] : form.tools.filter((name) => name !== tool.name),
                  })
                }
              />
            ))}
        </div>
        {impossible.length > 0 && (
          <p className={s['wide']}>
            {impossible.join(', ')}: not available with this provider. Saving removes{' '}
            {impossible.length === 1 ? 'this tool' : 'these tools'} from the profile.
          </p>
        )}
      </fieldset>
      <fieldset className={s['group']}>
        <legend>Limits</legend>
        {number('max_iterations', 'Steps', 'Model calls per run, or per message of a chat')}
        {number('max_tokens', 'Token budget', 'Over the whole run; 0 means no limit')}
        {number('max_output_tokens', 'Tokens per answer', 'Empty: 8,192, or 16,384 with thinking')}
        {number('call_timeout', 'Seconds per call', 'Then the call is given up and tried again')}
      </fieldset>
      {failure && <FailureNote failure={failure} />}
      <FormProblems names={FIELD_NAMES} problems={shown} form={element} />
      <div className={s['actions']}>
        {builtIn ? (
          <Button look="primary" icon={<Copy size="0.9375rem" />} onClick={onCopy}>
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
                <Button look="ghost" icon={<Copy size="0.9375rem" />} onClick={onCopy}>
                  Copy
                </Button>
                <Button look="ghost" icon={<Trash2 size="0.9375rem" />} onClick={() => void remove()}>
                  Remove
                </Button>
              </>
            )}
          </>
        )}
      </div>
    </form>
  );
}

const firstSentence = (text: string) => /^.*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text.slice(0, 160);
