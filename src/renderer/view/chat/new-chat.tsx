import { useEffect, useState } from 'react';
import {
  ChartColumn,
  EyeOff,
  FilePen,
  FolderSearch,
  Plug,
  ScrollText,
  Server,
  Settings2,
} from 'lucide-react';
import { call } from '../../client';
import { chooseProfile, go, openRun, toastFailure, useApp } from '../../store/app';
import { keepDraft, NEW_DRAFT, sendDraft, setDraft } from '../../store/drafts';
import { discoverServers, pickProfile, useProfiles, type LocalServer } from '../../store/profiles';
import { pickStore, useStores } from '../../store/stores';
import { Button } from '../kit/button';
import { FailureNote } from '../kit/failure';
import { many } from '../kit/numbers';
import { Name } from '../kit/shown';
import { Composer } from './composer';
import { FolderButton } from './folder';
import { LibraryButton } from './header';
import { StoreButton } from '../stores/store-button';
import { toolsOf } from '../profiles/form';
import { ProfileButton } from './profile-button';
import s from './new-chat.module.css';

const EXAMPLES = [
  {
    icon: FolderSearch,
    title: 'Get an overview',
    text: 'Summarise this folder',
    hint: 'Lists, measures and reads a few files',
  },
  {
    icon: ScrollText,
    title: 'Find something',
    text: 'Search for TODO',
    hint: 'Looks into every text file',
  },
  {
    icon: ChartColumn,
    title: 'Count and compare',
    text: 'Count files, then list the files',
    hint: 'Numbers first, then names',
  },
  {
    icon: FilePen,
    title: 'Write a file',
    text: 'Write notes.txt: Three things to remember',
    hint: 'Asks you before it changes anything',
  },
];

/** The first thing a person sees: a place to write, ready to be used. */
export function NewChat() {
  const { profiles, usual, ready, problem, failure } = useProfiles();
  const wanted = useApp((state) => state.profile);
  const connected = useApp((state) => state.connection === 'open');
  const [folder, setFolder] = useState<string>();
  const hidden = useApp((state) => state.newPrivate);
  const setHidden = (newPrivate: boolean) => useApp.setState({ newPrivate });
  const [starting, setStarting] = useState(false);
  const entry = pickProfile(profiles, wanted ?? usual);
  const stores = useStores((state) => state.stores);
  const store = pickStore(
    stores,
    useApp((state) => state.store),
  );
  useEffect(discoverServers, []);
  useEffect(() => keepDraft(NEW_DRAFT, !hidden), [hidden]);
  useEffect(() => {
    call('folder.recent', {}).then(
      ({ folders }) => setFolder((old) => old ?? folders[0]),
      () => undefined,
    );
  }, []);

  const start = () => {
    if (!entry) return;
    setStarting(true);
    sendDraft(NEW_DRAFT, async (prompt) => {
      const { id } = await call('run.start', {
        prompt,
        chat: true,
        private: hidden,
        profile: entry.profile.name,
        ...(folder !== undefined && { folder }),
        ...(store && !store.usual && !hidden && { store: store.name }),
      });
      setHidden(false);
      openRun(id, 'chat');
    })
      .catch(toastFailure)
      .finally(() => setStarting(false));
  };
  const example = async (text: string) => {
    try {
      if (folder === undefined) setFolder((await call('folder.sample', {})).folder);
      setDraft(NEW_DRAFT, text);
      document.querySelector<HTMLTextAreaElement>('[data-composer]')?.focus();
    } catch (error) {
      toastFailure(error);
    }
  };
  const practice = entry?.profile.provider === 'practice';
  return (
    <>
      <div className={s['top']}>
        <LibraryButton />
      </div>
      <div className={s['page']}>
        <div className={s['column']}>
          <h1 className={s['hello']}>What should it work on?</h1>
          <Composer
            draft={NEW_DRAFT}
            label="Your request"
            placeholder="Ask about the files in a folder, or anything else…"
            action={starting ? 'Starting…' : 'Start'}
            disabled={starting || !connected || !entry || entry.problem !== ''}
            onSend={start}
            rows={3}
            autoFocus
          >
            <FolderButton folder={folder} onChange={setFolder} />
            <ProfileButton entry={entry} onChoose={chooseProfile} />
            {!hidden && <StoreButton />}
            <Button
              look={hidden ? 'plain' : 'quiet'}
              size="s"
              aria-pressed={hidden}
              icon={<EyeOff size="0.875rem" />}
              title="Nothing of a private chat is written anywhere"
              onClick={() => setHidden(!hidden)}
            >
              Private
            </Button>
          </Composer>
          {hidden && (
            <p className={s['about']}>
              Private: nothing of this chat is written, so it ends with the window and cannot be resumed.
            </p>
          )}
          {entry && entry.problem !== '' && (
            <FailureNote
              tone="warn"
              failure={{
                code: 'key_missing',
                message: `“${entry.profile.name}” cannot be used yet: ${entry.problem}`,
                todo: 'Choose another profile, or open its settings.',
              }}
              actions={
                <Button size="s" onClick={() => go({ view: 'profiles', name: entry.profile.name })}>
                  Open its settings
                </Button>
              }
            />
          )}
          {problem && (
            <FailureNote
              tone="warn"
              failure={problem}
              actions={
                <Button size="s" onClick={() => go({ view: 'profiles' })}>
                  Open Models and keys
                </Button>
              }
            />
          )}
          {failure && <FailureNote failure={failure} />}
          {ready && practice && !hidden && (
            <p className={s['about']}>
              <strong>Practice</strong> is a small program, not an AI: it works offline, answers the same way
              every time, and really uses the tools on the folder that you pick. Ask it for “help”.
            </p>
          )}
          <section className={s['examples']} aria-label="Examples">
            {EXAMPLES.map(({ icon: Icon, title, text, hint }) => (
              <button key={title} type="button" className={s['example']} onClick={() => void example(text)}>
                <Icon size="1.0625rem" aria-hidden="true" />
                <span>
                  <b>{title}</b>
                  <small>{hint}</small>
                </span>
              </button>
            ))}
          </section>
          <Models />
        </div>
      </div>
    </>
  );
}

/** Ways to a real model: what runs on this computer, and a key. */
function Models() {
  const servers = useProfiles((state) => state.servers);
  const profiles = useProfiles((state) => state.profiles);
  const known = new Set(profiles.map((entry) => entry.profile.endpoint));
  const offered = servers.filter((server) => !known.has(server.endpoint));
  const real = profiles.some((entry) => entry.profile.provider !== 'practice' && entry.problem === '');
  if (offered.length === 0 && real) return null;
  return (
    <section className={s['models']} aria-label="Models">
      {offered.map((server) => (
        <LocalServerOffer key={server.endpoint} server={server} />
      ))}
      {!real && (
        <div className={s['model']}>
          <Plug size="1rem" aria-hidden="true" />
          <span>
            Use a real model
            <small>Anthropic, OpenAI, Gemini and others with your key, or a model on this computer</small>
          </span>
          <Button
            size="s"
            icon={<Settings2 size="0.875rem" />}
            onClick={() => go({ view: 'profiles', name: '' })}
          >
            Add a model
          </Button>
        </div>
      )}
    </section>
  );
}

function LocalServerOffer({ server }: { server: LocalServer }) {
  const profiles = useProfiles((state) => state.profiles);
  const tools = useProfiles((state) => state.tools);
  const model = server.models[0];
  const use = async () => {
    if (model === undefined) return;
    let name = server.name;
    for (let n = 2; profiles.some((entry) => entry.profile.name === name); n++) name = `${server.name} ${n}`;
    try {
      await call('profiles.save', {
        profile: {
          name,
          provider: 'openai',
          model,
          endpoint: server.endpoint,
          tools: toolsOf(tools, 'openai'),
        },
      });
      chooseProfile(name);
    } catch (error) {
      toastFailure(error);
    }
  };
  return (
    <div className={s['model']}>
      <Server size="1rem" aria-hidden="true" />
      <span>
        <Name text={server.name} /> runs on this computer
        <small>
          {model === undefined ? 'It offers no model yet' : `${many(server.models.length, 'model')}, first `}
          {model !== undefined && <Name text={model} />}
        </small>
      </span>
      <Button size="s" disabled={model === undefined} onClick={() => void use()}>
        Use it
      </Button>
    </div>
  );
}
