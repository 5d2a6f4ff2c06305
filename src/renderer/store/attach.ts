import type { Client } from '../../shared/contract/connect';
import {
  exportOf,
  importRuns,
  loadHello,
  openRun,
  stepZoom,
  show,
  go,
  recheckToasts,
  toast,
  useApp,
} from './app';
import { flushDrafts, keepUnsaved } from './drafts';
import { refreshBrowse } from './browse';
import { libraryChanged, refreshLibrary } from './library';
import { loadJobs, takeJob } from './moving';
import { loadKeys } from './keys';
import { loadPermissions } from './permissions';
import { loadProfiles } from './profiles';
import { startFind } from './reading';
import { retryRun } from './run';
import { openSearch, retrySearch, searchProgress } from './search';
import { loadStores } from './stores';

/** Ties the stores to the connection: first state, state after a lost connection, and everything that is told. */
export function attach(client: Client): void {
  const set = useApp.setState;
  const sync = () => {
    // Without a greeting the window still works; the next connection brings it.
    loadHello().catch(() => undefined);
    void loadProfiles();
    void loadStores();
    void loadPermissions();
    loadJobs().catch(() => undefined);
    refreshLibrary();
    refreshBrowse();
    retrySearch();
    void recheckToasts();
  };
  const told = () => {
    set({ connection: client.status, ...(client.status === 'open' && { wasOpen: true }) });
    // What turns while something runs stands still while nobody knows whether it does.
    document.documentElement.dataset['connection'] = client.status;
  };
  client.onStatus(told);
  client.onResync(sync);
  client.onResync(keepUnsaved);
  told();
  sync();

  client.on('library.changed', () => {
    libraryChanged();
    void recheckToasts();
  });
  client.on('search.progress', searchProgress);
  client.on('profiles.changed', () => {
    void loadProfiles();
    void recheckToasts();
  });
  client.on('permissions.changed', () => void loadPermissions());
  client.on('keys.changed', () => void loadKeys());
  client.on('stores.changed', () => {
    libraryChanged();
    void loadStores().then(retryRun);
    void recheckToasts();
  });
  client.on('moving.job', ({ job, gone }) => takeJob(job, gone));
  client.on('app.notice', ({ tone, text }) => toast({ tone, text }));
  client.on('app.focus', ({ id }) => {
    window.focus();
    if (id) openRun(id);
  });
  client.on('app.menu', ({ action }) => {
    switch (action) {
      case 'new':
        return go({ view: 'new' });
      case 'profiles':
      case 'stores':
      case 'browse':
        return go({ view: action });
      case 'search':
        return openSearch();
      case 'trash':
        return go({ view: 'browse', trash: true });
      case 'import':
        return importRuns();
      case 'export': {
        // The run that is shown; where none is, the list, to choose from.
        const { place } = useApp.getState();
        return place.view === 'run' ? exportOf([place.id]) : go({ view: 'browse' });
      }
      case 'palette':
      case 'shortcuts':
        return show(action);
      case 'find':
        return startFind();
      case 'zoom_in':
        return stepZoom(1);
      case 'zoom_out':
        return stepZoom(-1);
      case 'zoom_reset':
        return stepZoom(0);
    }
  });

  window.addEventListener('pagehide', flushDrafts);
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') flushDrafts();
  });
}
