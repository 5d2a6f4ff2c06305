import { useEffect, useRef, useState } from 'react';
import { FlaskConical, Trash2 } from 'lucide-react';
import type { StoreCheck } from '../../../shared/contract/stores';
import type { FailureInfo } from '../../../shared/run/failure';
import { call, failureOf } from '../../client';
import { go, toast, useApp } from '../../store/app';
import { loadKeys, mustAskToKeep, useKeys, type SecretEntry } from '../../store/keys';
import { loadStores, useStores } from '../../store/stores';
import { Button } from '../kit/button';
import { FailureNote } from '../kit/failure';
import { Field, inputClass, Switch, TextField } from '../kit/field';
import { KeepQuestion } from '../models/keep-question';
import { Checks } from './checks';
import { FormProblems, toFirstProblem } from '../kit/form-problems';
import { useUnsavedForm } from '../kit/unsaved';
import { entryOf, FIELD_NAMES, problemsOf, secretOf, serversOf, type Form, type Problems } from './form';
import { pastedInto } from './pasted';
import { SecretField } from './secret-field';
import p from '../profiles/profiles.module.css';

type TextKey = { [K in keyof Form]: Form[K] extends string ? K : never }[keyof Form];

/** All fields of one store, a test of them, and what becomes of it. */
export function StoreEditor({ was, start }: { was: string | undefined; start: Form }) {
  const stores = useStores((state) => state.stores);
  const door = useApp((state) => state.hello?.door);
  const [form, setForm] = useState(start);
  const [tried, setTried] = useState(false);
  const [busy, setBusy] = useState<'test' | 'save'>();
  const [failure, setFailure] = useState<FailureInfo>();
  const [checks, setChecks] = useState<StoreCheck[]>();
  const element = useRef<HTMLFormElement>(null);
  const [held, setHeld] = useState<SecretEntry>();
  const [changing, setChanging] = useState(false);
  const [asking, setAsking] = useState(false);
  const [refused, setRefused] = useState<{ field: keyof Form; text: string }>();
  const [note, setNote] = useState<string>();
  useEffect(() => void loadKeys(), []);
  const servers = serversOf(form);
  const mine = useKeys((state) =>
    state.keys.find(
      ({ kind, service, uses }) =>
        kind !== 'key' && service === servers && was !== undefined && uses.includes(was),
    ),
  );
  // A saved token leaves no trace in the file of stores, so the login is told by it.
  const login = form.login === 'none' && mine?.kind === 'token' ? 'token' : form.login;
  const secret = secretOf({ ...form, login });
  const saved = changing || mine?.kind !== secret ? undefined : mine;
  const enter = (field: TextKey, value: string) => {
    const { part, problem, note: said } = pastedInto(form, field, value);
    setRefused(problem === undefined ? undefined : { field, text: problem });
    if (said !== undefined) setNote(said);
    change(part);
  };
  const change = (part: Partial<Form>) => {
    setForm((old) => ({ ...old, ...part }));
    setChecks(undefined);
    // What one address said is not about another.
    setFailure(undefined);
    // A password is for the servers that it was entered for.
    if ('servers' in part || 'login' in part || 'kind' in part) setHeld(undefined);
  };
  const taken = new Set(stores.filter((one) => one.name !== was).map((one) => one.name.toLowerCase()));
  const problems = problemsOf({ ...form, login }, taken, (held ?? saved) !== undefined);
  const shown: Problems = {
    ...(tried && problems),
    ...(refused && { [refused.field]: refused.text }),
  };
  const unsaved = held !== undefined || JSON.stringify(form) !== JSON.stringify(start);
  const dirty = was === undefined || unsaved;

  const { settled } = useUnsavedForm(unsaved, was === undefined ? 'the new store' : `the store “${was}”`);

  const work = async (what: 'test' | 'save', task: () => Promise<void>) => {
    setTried(true);
    if (Object.keys(problems).length > 0) {
      toFirstProblem(element.current);
      return;
    }
    setBusy(what);
    setFailure(undefined);
    await task().catch((error: unknown) => setFailure(failureOf(error)));
    setBusy(undefined);
  };
  const test = () =>
    work('test', async () => {
      setChecks(undefined);
      setChecks(
        (await call('stores.test', { store: entryOf(form), ...(held && { secret: held.id }) })).checks,
      );
    });
  const save = (keep?: 'disk' | 'session') =>
    work('save', async () => {
      if (held && keep === undefined && mustAskToKeep()) {
        setAsking(true);
        return;
      }
      const store = entryOf(form);
      await call('stores.save', {
        store,
        ...(was !== undefined && { was }),
        ...(held && { secret: { id: held.id, keep: keep ?? 'disk' } }),
      });
      setHeld(undefined);
      setChanging(false);
      await Promise.all([loadStores(), loadKeys()]);
      toast({ tone: 'info', text: `“${store.name}” is ${was === undefined ? 'added' : 'saved'}.` });
      settled();
      go({ view: 'stores', name: store.name });
    });
  const remove = async () => {
    if (was === undefined) return;
    try {
      await call('stores.remove', { name: was });
      await loadStores();
      toast({
        tone: 'info',
        text: `“${was}” is off the list. Everything in it stays where it is.`,
        action: {
          label: 'Undo',
          holds: async () => !(await call('stores.list', {})).stores.some((one) => one.name === was),
          run: () =>
            void call('stores.save', { store: entryOf(start) }).then(loadStores, (error: unknown) =>
              toast({ tone: 'bad', text: failureOf(error).message }),
            ),
        },
      });
      settled();
      go({ view: 'stores' });
    } catch (error) {
      setFailure(failureOf(error));
    }
  };
  const text = (key: TextKey, label: string, help?: string, placeholder?: string) => (
    <TextField
      label={label}
      help={help}
      problem={shown[key]}
      value={form[key]}
      placeholder={placeholder}
      onChange={(value) => enter(key, value)}
    />
  );
  return (
    <form
      ref={element}
      className={p['form']}
      aria-label={was === undefined ? 'New store' : `Store ${was}`}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      {was === undefined && (
        <div className={p['form-head']}>
          <h2>Add a store</h2>
          <p>A folder with runs, or a NATS JetStream stream that you share with other machines.</p>
        </div>
      )}
      <fieldset className={p['group']}>
        <legend>Where it is</legend>
        {text('name', 'Name', 'For you and for the command line', 'team')}
        <Field label="Kind">
          {(ids) => (
            <select
              {...ids}
              className={inputClass}
              value={form.kind}
              onChange={(event) => change({ kind: event.target.value as Form['kind'] })}
            >
              <option value="nats">NATS stream</option>
              <option value="file">Folder</option>
            </select>
          )}
        </Field>
        {form.kind === 'file' ? (
          <div className={p['wide']}>
            {text(
              'folder',
              'Folder',
              'A folder that is only for runs. One that another program made is only read.',
              '/home/me/archive',
            )}
          </div>
        ) : (
          <>
            {text('servers', 'Servers', 'Several with a comma between them', 'nats.example.org:4222')}
            {text('stream', 'Stream', 'You make it; the test gives the command for it', 'RUNS')}
          </>
        )}
      </fieldset>
      {form.kind === 'nats' && (
        <>
          <fieldset className={p['group']}>
            <legend>Login</legend>
            <Field label="With">
              {(ids) => (
                <select
                  {...ids}
                  className={inputClass}
                  value={login}
                  onChange={(event) => change({ login: event.target.value as Form['login'] })}
                >
                  <option value="none">Nothing</option>
                  <option value="user">User and password</option>
                  <option value="token">Token</option>
                  <option value="creds">Credentials file</option>
                  <option value="nkey">NKey file</option>
                </select>
              )}
            </Field>
            {login === 'user' && text('user', 'User')}
            {secret !== undefined && (
              <SecretField
                kind={secret}
                servers={servers}
                held={held}
                saved={saved}
                onHeld={(entry) => {
                  setHeld(entry);
                  setChanging(entry === undefined);
                  setChecks(undefined);
                }}
              />
            )}
            {login === 'user' &&
              text(
                'passwordEnv',
                'Environment variable with the password',
                'If you name one, Holdfast reads the password from there',
                'NATS_PASSWORD',
              )}
            {login === 'token' &&
              text(
                'tokenEnv',
                'Environment variable with the token',
                'If you name one, Holdfast reads the token from there',
                'NATS_TOKEN',
              )}
            {form.login === 'creds' &&
              text('creds', 'Credentials file', 'Read again at each connect', '/home/me/team.creds')}
            {form.login === 'nkey' &&
              text('nkey', 'File with the seed', 'Read again at each connect', '/home/me/team.nk')}
            <div className={p['wide']}>
              <Switch
                label="TLS"
                help="With the system’s own authorities where no file is named"
                checked={form.tls}
                onChange={(tls) => change({ tls })}
              />
            </div>
            {form.tls && (
              <>
                {text('ca', 'Authority', 'PEM file; empty: the system’s own')}
                {text('cert', 'Certificate', 'PEM file, where the server asks for one')}
                {text('key', 'Key of the certificate', 'PEM file')}
                <Switch
                  label="Handshake first"
                  help="For servers that speak TLS from the first byte"
                  checked={form.handshakeFirst}
                  onChange={(handshakeFirst) => change({ handshakeFirst })}
                />
              </>
            )}
          </fieldset>
          <fieldset className={p['group']}>
            <legend>Account</legend>
            {text('inboxPrefix', 'Inbox prefix', 'Where the account may not use _INBOX')}
            {text('domain', 'JetStream domain', 'For leaf nodes')}
          </fieldset>
        </>
      )}
      {note !== undefined && <p role="status">{note}</p>}
      {busy !== undefined && (
        <p role="status">
          {door === 'browser'
            ? 'Working… Where Holdfast was started, it may ask whether you allow this address.'
            : 'Working…'}
        </p>
      )}
      {failure && <FailureNote failure={failure} />}
      {checks && <Checks checks={checks} />}
      <FormProblems names={FIELD_NAMES} problems={shown} form={element} />
      <div className={p['actions']}>
        <Button look="primary" type="submit" disabled={busy !== undefined || !dirty}>
          {was === undefined ? 'Add store' : 'Save'}
        </Button>
        <Button
          icon={<FlaskConical size="0.9375rem" />}
          disabled={busy !== undefined}
          onClick={() => void test()}
        >
          {busy === 'test' ? 'Testing…' : 'Test'}
        </Button>
        <span className={p['grow']} />
        {was !== undefined && (
          <Button look="ghost" icon={<Trash2 size="0.9375rem" />} onClick={() => void remove()}>
            Remove from the list
          </Button>
        )}
      </div>
      {asking && held && (
        <KeepQuestion
          what={held.kind}
          onAnswer={(keep) => {
            setAsking(false);
            if (keep) void save(keep);
          }}
        />
      )}
    </form>
  );
}
