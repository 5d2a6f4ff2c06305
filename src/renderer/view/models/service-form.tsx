import { useEffect, useRef, useState } from 'react';
import { ArrowLeft, CircleCheck, ExternalLink, FlaskConical, Plug } from 'lucide-react';
import type { FailureInfo } from '../../../shared/run/failure';
import { looksLikeKey } from '../../../shared/secret-text';
import type { Ability, Service } from '../../../shared/services';
import { call, failureOf } from '../../client';
import { announce } from '../../store/announce';
import { chooseProfile, go } from '../../store/app';
import { mustAskToKeep, type SecretEntry, loadKeys } from '../../store/keys';
import { openLink } from '../../store/links';
import { loadProfiles, useProfiles } from '../../store/profiles';
import { Button } from '../kit/button';
import { FailureNote } from '../kit/failure';
import { TextField } from '../kit/field';
import { useUnsavedForm } from '../kit/unsaved';
import { FormProblems, toFirstProblem } from '../kit/form-problems';
import { AdvancedFields } from '../profiles/advanced';
import { FIELD_NAMES, problemsOf, profileOf, type Form } from '../profiles/form';
import { addressProblem, fieldOf, formFor, originOf, savedEndpoint } from './add-model';
import { KeepQuestion } from './keep-question';
import { KeyField } from './key-field';
import { ModelPicker } from './model-picker';
import s from './models.module.css';

type Busy = 'list' | 'test' | 'save' | undefined;
const NOT_HERE = 'That looks like a key, so it was not entered here. Paste it into Key.';

/** One service: its key, the models that it offers, a test, and the first chat. */
export function ServiceForm({
  service,
  models: offered,
  onBack,
}: {
  service: Service;
  models: string[];
  /** The way back to all services. */
  onBack: () => void;
}) {
  const { profiles, tools } = useProfiles();
  const taken = new Set(profiles.map((one) => one.profile.name));
  const [form, setForm] = useState<Form>(() => formFor(service, tools, taken));
  const [held, setHeld] = useState<SecretEntry>();
  const [models, setModels] = useState(offered);
  const [busy, setBusy] = useState<Busy>();
  const [failure, setFailure] = useState<FailureInfo>();
  const [tested, setTested] = useState<string>();
  const [tried, setTried] = useState(false);
  const [wrong, setWrong] = useState<{ field: 'name' | 'endpoint'; text: string }>();
  const [asking, setAsking] = useState(false);
  const [connected, setConnected] = useState(offered.length > 0);
  const [touched, setTouched] = useState(false);
  const { leave, settled } = useUnsavedForm(touched, `the new model of ${service.name}`);
  const element = useRef<HTMLFormElement>(null);
  const ownAddress = service.address === '' || service.ports !== undefined;
  const address = addressProblem(form.endpoint);
  const at = failure && fieldOf(failure);
  const told = failure && [failure.message, failure.todo].filter(Boolean).join(' ');
  const problems = {
    ...problemsOf({ ...form, endpoint: savedEndpoint(form) }, taken),
    ...(address !== undefined && { endpoint: address }),
    ...(service.key === 'needed' && !held && { key: 'Enter the key of this service.' }),
  };
  const shown: Partial<Record<string, string>> = tried ? problems : {};

  const change = (part: Partial<Form>) => {
    setForm((old) => ({ ...old, ...part }));
    setTouched(true);
    setTested(undefined);
    setFailure(undefined);
    setWrong(undefined);
  };
  /** A key that lands in a field for something else goes no further than that field. */
  const text = (key: 'name' | 'endpoint') => (value: string) => {
    if (looksLikeKey(value)) setWrong({ field: key, text: NOT_HERE });
    else change({ [key]: value });
  };
  const endpoint = savedEndpoint(form);
  const list = async (key: SecretEntry | undefined) => {
    setBusy('list');
    setFailure(undefined);
    try {
      const reply = await call('profiles.models', {
        provider: form.provider,
        ...(endpoint !== '' && { endpoint }),
        ...(key && { key: key.id }),
      });
      if (reply.endpoint !== undefined)
        setForm((old) => ({ ...old, endpoint: reply.endpoint ?? old.endpoint }));
      setModels(reply.models);
      announce(`Connected. ${reply.models.length} models.`);
    } catch (error) {
      const why = failureOf(error);
      setModels([]);
      setFailure(why);
      setBusy(undefined);
      // Without a key that counts, or a yes to the address, there is nothing to choose from.
      setConnected(fieldOf(why) !== 'key' && why.code !== 'forbidden');
      return;
    }
    setConnected(true);
    setBusy(undefined);
  };
  // A server of one's own that needs no key is asked at once.
  const listed = useRef(false);
  useEffect(() => {
    if (listed.current || service.ports === undefined || offered.length > 0) return;
    listed.current = true;
    void list(undefined);
  });
  const ready = () => {
    setTried(true);
    if (Object.keys(problems).length === 0) return true;
    toFirstProblem(element.current);
    return false;
  };
  const profile = () => profileOf({ ...form, endpoint }, tools);
  const test = async (): Promise<boolean> => {
    setBusy('test');
    setFailure(undefined);
    setTested(undefined);
    try {
      const { ms } = await call('profiles.try', { profile: profile(), ...(held && { key: held.id }) });
      const text = `It works. ${service.name} answered in ${ms < 950 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`}.`;
      setTested(text);
      announce(text);
      return true;
    } catch (error) {
      setFailure(failureOf(error));
      toFirstProblem(element.current);
      return false;
    } finally {
      setBusy(undefined);
    }
  };
  const save = async (keep: 'disk' | 'session') => {
    setBusy('save');
    try {
      const made = profile();
      await call('profiles.save', { profile: made, ...(held && { key: { id: held.id, keep } }) });
      await Promise.all([loadProfiles(), loadKeys()]);
      settled();
      chooseProfile(made.name);
      go({ view: 'new' });
    } catch (error) {
      setFailure(failureOf(error));
      setBusy(undefined);
    }
  };
  const keepAndSave = () => (held && mustAskToKeep() ? setAsking(true) : void save('disk'));
  const start = async () => {
    if (!ready()) return;
    if (tested === undefined && !(await test())) return;
    keepAndSave();
  };
  return (
    <form
      ref={element}
      noValidate
      className={s['page']}
      aria-label={`Add a model: ${service.name}`}
      onSubmit={(event) => {
        event.preventDefault();
        void start();
      }}
    >
      <div className={s['head']}>
        <Button look="ghost" size="s" icon={<ArrowLeft size="0.875rem" />} onClick={() => leave(onBack)}>
          All services
        </Button>
        <h2>{service.name}</h2>
        <Abilities service={service} />
      </div>
      {ownAddress && (
        <TextField
          label="Address"
          help={service.example ? `For example ${service.example}` : service.start}
          problem={wrong?.field === 'endpoint' ? wrong.text : at === 'endpoint' ? told : shown['endpoint']}
          value={form.endpoint}
          onChange={text('endpoint')}
        />
      )}
      {service.key !== 'none' && (
        <div className={s['key']}>
          <KeyField
            service={originOf(form)}
            held={held}
            problem={at === 'key' ? told : shown['key']}
            help={
              service.key === 'optional'
                ? 'Only where the service asks for one.'
                : 'Your key goes only to this service.'
            }
            disabled={busy !== undefined || address !== undefined}
            onHeld={(entry) => {
              setHeld(entry);
              setTouched(true);
              setTested(undefined);
              setFailure(undefined);
              if (entry) void list(entry);
            }}
          />
          {service.keysPage !== undefined && (
            <button type="button" className={s['link']} onClick={() => void openLink(service.keysPage ?? '')}>
              Get a key from {service.name} <ExternalLink size="0.75rem" aria-hidden="true" />
            </button>
          )}
        </div>
      )}
      {ownAddress && service.key !== 'needed' && !held && (
        <div>
          <Button
            icon={<Plug size="0.9375rem" />}
            disabled={busy !== undefined || address !== undefined}
            onClick={() => void list(undefined)}
          >
            {connected ? 'Connect again' : service.key === 'none' ? 'Connect' : 'Connect without a key'}
          </Button>
        </div>
      )}
      {busy === 'list' && <p role="status">Connecting. Holdfast asks before it uses a new address.</p>}
      {connected && busy !== 'list' && (
        <ModelPicker
          label={service.modelCalled ?? 'Model'}
          models={models}
          value={form.model}
          problem={at === 'model' ? told : shown['model']}
          onChange={(model) => change({ model })}
        />
      )}
      {connected && (
        <details className={s['advanced']}>
          <summary>Advanced</summary>
          <TextField
            label="Name"
            help="How this model is listed in Holdfast"
            problem={wrong?.field === 'name' ? wrong.text : shown['name']}
            value={form.name}
            onChange={text('name')}
          />
          {!ownAddress && (
            <TextField
              label="Address"
              problem={
                wrong?.field === 'endpoint' ? wrong.text : at === 'endpoint' ? told : shown['endpoint']
              }
              value={form.endpoint}
              onChange={text('endpoint')}
            />
          )}
          <AdvancedFields form={form} problems={shown} disabled={false} onChange={change} />
        </details>
      )}
      {failure && at === undefined && (
        <FailureNote
          failure={failure}
          actions={
            <Button size="s" onClick={keepAndSave}>
              Save anyway
            </Button>
          }
        />
      )}
      {tested !== undefined && (
        <p className={s['works']} role="status">
          <CircleCheck size="1rem" aria-hidden="true" /> {tested}
        </p>
      )}
      <FormProblems
        names={{ key: 'Key', ...FIELD_NAMES, endpoint: 'Address' }}
        problems={shown}
        form={element}
      />
      <div className={s['actions']}>
        <Button look="primary" type="submit" disabled={busy !== undefined}>
          {busy === 'save' ? 'Saving…' : busy === 'test' ? 'Testing…' : 'Start chatting'}
        </Button>
        <Button
          icon={<FlaskConical size="0.9375rem" />}
          disabled={busy !== undefined}
          onClick={() => ready() && void test()}
        >
          Test
        </Button>
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

const WORDS: Record<Ability, string> = { yes: '', some: ' (some models)', no: '' };

/** What the models there can do, in words. */
function Abilities({ service: { can } }: { service: Service }) {
  const all = [
    ['Tools', can.tools],
    ['Images', can.images],
    ['Thinking', can.thinking],
    ['Cache', can.cache],
  ] as const;
  return (
    <p>
      {all
        .filter(([, ability]) => ability !== 'no')
        .map(([name, ability]) => name + WORDS[ability])
        .join(' · ')}
    </p>
  );
}
