import { useMemo, useState } from 'react';
import { KeyRound, TriangleAlert } from 'lucide-react';
import { go, useApp } from '../../store/app';
import { loadProfiles, useProfiles, type ProfileEntry } from '../../store/profiles';
import { Button } from '../kit/button';
import { Name, Shown } from '../kit/shown';
import { AddModel } from '../models/add-page';
import { KeysDialog } from '../models/keys-dialog';
import { emptyForm, formOf } from './form';
import { Editor } from './editor';
import { SettingsPage } from './settings-page';
import { ImportButton } from './sharing';
import s from './profiles.module.css';

const PROVIDER: Record<string, string> = {
  anthropic: 'Anthropic',
  openai: 'OpenAI-compatible',
  practice: 'Practice',
};

/** The profiles: everything that decides how a run behaves. `name` empty: a new one. */
export function Profiles({ name }: { name: string | undefined }) {
  const { profiles, usual, file, problem, failure, ready } = useProfiles();
  const wanted = useApp((state) => state.profile);
  const [keys, setKeys] = useState(false);
  const entry =
    name === '' ? undefined : (profiles.find((one) => one.profile.name === (name ?? wanted)) ?? profiles[0]);
  return (
    <SettingsPage
      title="Models and keys"
      file={file}
      entries={profiles}
      keyOf={(one) => one.profile.name}
      row={(one) => <ProfileRow entry={one} selected={one === entry} usual={one.profile.name === usual} />}
      add="Add a model"
      onAdd={() => go({ view: 'profiles', name: '' })}
      more={
        <>
          <ImportButton />
          <Button look="ghost" size="s" icon={<KeyRound size="0.9375rem" />} onClick={() => setKeys(true)}>
            Keys…
          </Button>
        </>
      }
      failure={failure}
      problem={problem}
      onLookAgain={() => void loadProfiles()}
    >
      {ready && (name === '' ? <AddModel /> : <Chosen key={entry?.profile.name ?? ''} entry={entry} />)}
      {keys && <KeysDialog onClose={() => setKeys(false)} />}
    </SettingsPage>
  );
}

function ProfileRow({ entry, selected, usual }: { entry: ProfileEntry; selected: boolean; usual: boolean }) {
  const { profile } = entry;
  return (
    <button
      type="button"
      className={s['row']}
      aria-current={selected ? 'true' : undefined}
      onClick={() => go({ view: 'profiles', name: profile.name })}
    >
      <b>
        <Name text={profile.name} />
        {entry.problem !== '' && <TriangleAlert size="0.8125rem" aria-label="cannot be used yet" />}
      </b>
      <small>
        {PROVIDER[profile.provider]} · <Shown text={profile.model} />
        {usual && ' · default'}
      </small>
    </button>
  );
}

function Chosen({ entry }: { entry: ProfileEntry | undefined }) {
  const tools = useProfiles((state) => state.tools);
  const start = useMemo(() => (entry ? formOf(entry.profile) : emptyForm(tools)), [entry, tools]);
  const [copy, setCopy] = useState(false);
  if (copy && entry) {
    return (
      <Editor
        key="copy"
        was={undefined}
        builtIn={false}
        problem=""
        start={{ ...start, name: `${entry.profile.name} copy` }}
      />
    );
  }
  return (
    <Editor
      was={entry?.profile.name}
      builtIn={entry?.builtIn ?? false}
      problem={entry?.problem ?? ''}
      saved={entry?.key}
      start={start}
      {...(entry && { onCopy: () => setCopy(true) })}
    />
  );
}
