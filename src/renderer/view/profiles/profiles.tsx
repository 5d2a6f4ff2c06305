import { useMemo, useState } from 'react';
import { TriangleAlert } from 'lucide-react';
import { go, useApp } from '../../store/app';
import { loadProfiles, useProfiles, type ProfileEntry } from '../../store/profiles';
import { Name, Shown } from '../kit/shown';
import { emptyForm, formOf } from './form';
import { Editor } from './editor';
import { SettingsPage } from './settings-page';
import s from './profiles.module.css';

const PROVIDER: Record<string, string> = {
  anthropic: 'Anthropic',
  openai: 'OpenAI-compatible',
  practice: 'Practice',
};

/** The profiles: everything that decides how a run behaves. `name` empty: a new one. */
export function Profiles({ name }: { name: string | undefined }) {
  const { profiles, file, problem, failure, ready } = useProfiles();
  const wanted = useApp((state) => state.profile);
  const entry =
    name === '' ? undefined : (profiles.find((one) => one.profile.name === (name ?? wanted)) ?? profiles[0]);
  return (
    <SettingsPage
      title="Profiles"
      file={file}
      entries={profiles}
      keyOf={(one) => one.profile.name}
      row={(one) => <ProfileRow entry={one} selected={one === entry} />}
      add="New profile"
      onAdd={() => go({ view: 'profiles', name: '' })}
      failure={failure}
      problem={problem}
      onLookAgain={() => void loadProfiles()}
    >
      {ready && <Chosen key={entry?.profile.name ?? ''} entry={entry} />}
    </SettingsPage>
  );
}

function ProfileRow({ entry, selected }: { entry: ProfileEntry; selected: boolean }) {
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
      start={start}
      {...(entry && { onCopy: () => setCopy(true) })}
    />
  );
}
