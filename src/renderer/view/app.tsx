import { Suspense, useEffect, useRef, useState } from 'react';
import { Tooltip } from 'radix-ui';
import { PlugZap } from 'lucide-react';
import { asFailure } from '../../shared/run/failure';
import { openAgain } from '../client/client';
import { go, useApp, type Place } from '../store/app';
import { useRun } from '../store/run';
import { NewChat } from './chat/new-chat';
import { RunView } from './chat/run-view';
import { useKeyboard } from './keyboard';
import { Boundary } from './kit/boundary';
import { Button } from './kit/button';
import { FailureNote } from './kit/failure';
import { LiveRegion, Toasts } from './kit/toasts';
import { LeaveQuestion } from './kit/unsaved';
import { plainVisible } from './kit/visible';
import { DiskBanner } from './library/disk';
import { Browse, Compare, fetchLater, Permissions, Profiles, Search, Stores } from './later';
import { Library } from './library/library';
import { TagsDialog } from './library/tags';
import { LinkCard } from './link-card';
import { ExportDialog } from './moving/export';
import { ImportDialog } from './moving/import';
import { Moving } from './moving/moving';
import { Palette } from './palette/palette';
import { QuestionDialog } from './permissions/question';
import { Shortcuts } from './shortcuts';
import { VersionsDialog } from './profiles/versions';
import { CopyDialog } from './stores/copy';
import s from './app.module.css';

/** The window: library, the place that is shown, and what may lie over them. */
export function App() {
  const { place, overlay, narrow, drawer, folded } = useApp();
  useKeyboard();
  useTitle(place);
  useEffect(fetchLater, []);
  const beside = !narrow && !folded;
  return (
    <Tooltip.Provider delayDuration={500} skipDelayDuration={200}>
      <div className={s['app']} data-beside={beside}>
        {beside && <Library />}
        {narrow && drawer && <Drawer />}
        <main className={s['main']} aria-label={MAIN[place.view]}>
          <Connection />
          <DiskBanner />
          <Boundary again={place} instead={(error) => <Broken error={error} />}>
            {place.view === 'new' && <NewChat />}
            {place.view === 'run' && <RunView place={place} />}
            <Suspense fallback={<h1 className="sr">{MAIN[place.view]}</h1>}>
              {place.view === 'profiles' && <Profiles name={place.name} />}
              {place.view === 'stores' && <Stores name={place.name} />}
              {place.view === 'browse' && <Browse trash={place.trash ?? false} />}
              {place.view === 'search' && <Search words={place.words ?? ''} />}
              {place.view === 'permissions' && <Permissions />}
              {place.view === 'compare' && <Compare a={place.a} b={place.b} />}
            </Suspense>
          </Boundary>
          <Toasts />
        </main>
      </div>
      <LiveRegion />
      <LinkCard />
      <CopyDialog />
      <TagsDialog />
      <ExportDialog />
      <ImportDialog />
      <Moving />
      <QuestionDialog />
      <LeaveQuestion />
      {overlay === 'palette' && <Palette />}
      {overlay === 'shortcuts' && <Shortcuts />}
      {overlay === 'versions' && <VersionsDialog />}
    </Tooltip.Provider>
  );
}

const MAIN: Record<Place['view'], string> = {
  new: 'New chat',
  run: 'Run',
  profiles: 'Models and keys',
  stores: 'Stores',
  browse: 'All runs',
  search: 'Search',
  compare: 'Compare',
  permissions: 'Permissions',
};

/** Names of the views in the history of a browser; the first one is the app itself. */
const WHERE: Record<Place['view'], string> = { ...MAIN, new: '', run: '' };

/** The library over the rest, in a narrow window. */
function Drawer() {
  const ref = useRef<HTMLDialogElement>(null);
  const close = () => useApp.setState({ drawer: false });
  useEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={ref}
      className={s['drawer']}
      aria-label="Library"
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onMouseDown={(event) => {
        if (event.target === event.currentTarget) close();
      }}
    >
      <Library />
    </dialog>
  );
}

/** Nothing is lost while the connection is gone; but nothing new is shown either, so it is said. */
function Connection() {
  const connection = useApp((state) => state.connection);
  const wasOpen = useApp((state) => state.wasOpen);
  if (connection === 'open') return null;
  const over = connection === 'closed' || connection === 'refused';
  if (!wasOpen && !over) return null;
  return (
    <div className={s['banner']} role="status">
      <PlugZap size="1rem" aria-hidden="true" />
      <span>
        {over
          ? 'This page is no longer signed in to Holdfast, which was restarted or asks for a new link. Your runs are safe. What you type here is saved when this page is connected again.'
          : 'Holdfast doesn’t answer; trying again. Your runs are safe, and what you type stays here. If you closed Holdfast, start it again and use the link that it prints.'}
      </span>
      {connection === 'refused' && <OpenAgain />}
    </div>
  );
}

/** Another tab is signed in by a new link, which lets this page in as well. */
function OpenAgain() {
  const [asked, setAsked] = useState<'no' | 'opening' | 'failed'>('no');
  return (
    <>
      <Button
        size="s"
        onClick={() => void openAgain().then((opened) => setAsked(opened ? 'opening' : 'failed'))}
      >
        Open Holdfast again
      </Button>
      {asked === 'opening' && <span>Opening a new tab. Come back here to go on.</span>}
      {asked === 'failed' && <span>Press Enter where Holdfast runs, and use the link that it prints.</span>}
    </>
  );
}

/** The middle of the window failed: a bug. Everything else still works, and nothing is lost by it. */
function Broken({ error }: { error: unknown }) {
  return (
    <div className={s['broken']}>
      <FailureNote
        title="This cannot be shown"
        failure={{
          code: 'internal',
          message: 'Something in this view failed, which is a mistake in Holdfast.',
          kept: `Runs are not touched by it. (${asFailure(error).message.slice(0, 300)})`,
          todo: 'Open something else, or load the window again.',
        }}
        actions={
          <>
            <Button onClick={() => go({ view: 'new' })}>New chat</Button>
            <Button look="ghost" onClick={() => window.location.reload()}>
              Load again
            </Button>
          </>
        }
      />
    </div>
  );
}

function useTitle(place: Place): void {
  const row = useRun((state) =>
    place.view === 'run' && state.id === place.id ? state.head?.row : undefined,
  );
  // A browser writes titles of pages into its history, where the words of a private chat have no business.
  const title =
    row === undefined ? WHERE[place.view] : row.private ? 'Private chat' : plainVisible(row.title);
  useEffect(() => {
    document.title = title ? `${title} – Holdfast` : 'Holdfast';
  }, [title]);
}
