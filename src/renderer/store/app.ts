import { create } from 'zustand';
import type { CommandOutput } from '../../shared/contract/contract';
import type { ClientStatus } from '../../shared/contract/connect';
import type { RunRow } from '../../shared/contract/views';
import type { FailureInfo } from '../../shared/run/failure';
import { call, failureOf } from '../client';
import { leaving } from './unsaved';

export type Hello = CommandOutput<'app.hello'>;
export type Theme = 'system' | 'light' | 'dark';

/** What the middle of the window shows. */
export type Place =
  | { view: 'new' }
  /** `profile`: the one that was chosen to go on with, for the pre-flight. */
  | { view: 'run'; id: string; pane: 'auto' | 'chat' | 'resume' | 'transcript'; profile?: string }
  | { view: 'profiles'; name?: string }
  /** `name` empty: a new store. */
  | { view: 'stores'; name?: string }
  /** All runs as a table, or what is in the trash. */
  | { view: 'browse'; trash?: boolean }
  | { view: 'search'; words?: string }
  | { view: 'compare'; a: string; b: string }
  /** What the person allowed. */
  | { view: 'permissions' };

/** What lies over the window. */
export type Overlay = 'palette' | 'shortcuts' | 'versions' | undefined;

export interface Toast {
  id: number;
  tone: 'info' | 'warn' | 'bad';
  text: string;
  failure?: FailureInfo;
  action?: {
    label: string;
    run: () => void;
    /** Whether there is still something to do; asked again whenever something changed. Absent: always. */
    holds?: () => Promise<boolean>;
  };
}

interface AppState {
  hello: Hello | undefined;
  connection: ClientStatus;
  /** A first connection was made, so a lost one is worth a banner. */
  wasOpen: boolean;
  place: Place;
  overlay: Overlay;
  theme: Theme;
  zoom: number;
  /** A single line end in an answer is a line break. */
  breaks: boolean;
  /** The next chat is a private one. */
  newPrivate: boolean;
  /** The profile that new chats start with. */
  profile: string | undefined;
  /** The store that new chats are kept in. */
  store: string | undefined;
  /** The run that is asked to be copied somewhere. */
  copying: RunRow | undefined;
  /** The runs that are asked to be exported. */
  exporting: readonly string[] | undefined;
  /** Of damaged runs only what is intact was asked for. */
  intact: boolean;
  importing: boolean;
  narrow: boolean;
  /** The library is shown over the rest in a narrow window; hidden by choice in a wide one. */
  drawer: boolean;
  folded: boolean;
  toasts: Toast[];
}

export const useApp = create<AppState>(() => ({
  hello: undefined,
  connection: 'lost',
  wasOpen: false,
  place: { view: 'new' },
  overlay: undefined,
  theme: rememberedTheme(),
  zoom: 1,
  breaks: false,
  newPrivate: false,
  profile: undefined,
  store: undefined,
  copying: undefined,
  exporting: undefined,
  intact: false,
  importing: false,
  narrow: false,
  drawer: false,
  folded: false,
  toasts: [],
}));

const set = useApp.setState;
const get = useApp.getState;

/** The theme is also kept in the page, so that the first frame already has it. */
function rememberedTheme(): Theme {
  try {
    const theme = window.localStorage.getItem('theme');
    return theme === 'light' || theme === 'dark' ? theme : 'system';
  } catch {
    return 'system';
  }
}

/** Shows something else, after a question where that would take unsaved changes away. */
export function go(place: Place): void {
  const shown = () => set({ place, drawer: false });
  if (JSON.stringify(place) === JSON.stringify(get().place)) shown();
  else leaving(shown);
}
export const openRun = (id: string, pane: Extract<Place, { view: 'run' }>['pane'] = 'auto') =>
  go({ view: 'run', id, pane });
/** Another profile was chosen for a run: the pre-flight shows what that changes. */
export const chooseForRun = (id: string, profile: string) => go({ view: 'run', id, pane: 'resume', profile });
export const copyOf = (copying: RunRow | undefined) => set({ copying });
/** Keys of the runs to export; undefined closes the dialog. `intact`: of damaged ones only what can be read. */
export const exportOf = (exporting: readonly string[] | undefined, intact = false) =>
  set({ exporting, intact });
export const importRuns = (importing = true) => set({ importing });
export const show = (overlay: Overlay) => set({ overlay });

let lastToast = 0;
/** Seconds that a toast stays. One with an action or bad news stays longer. */
const STAYS = { short: 5, long: 12 };

export function toast(message: Omit<Toast, 'id'>): number {
  const id = ++lastToast;
  set({ toasts: [...get().toasts.slice(-3), { id, ...message }] });
  const seconds = message.action || message.tone === 'bad' ? STAYS.long : STAYS.short;
  window.setTimeout(() => dismiss(id), seconds * 1000);
  return id;
}
export const dismiss = (id: number) => set({ toasts: get().toasts.filter((one) => one.id !== id) });

/** Something changed, perhaps elsewhere: an action that there is nothing left to do for goes, with its message. */
export async function recheckToasts(): Promise<void> {
  await Promise.all(
    get().toasts.map(async ({ id, action }) => {
      const holds = await action?.holds?.().catch(() => true);
      if (holds === false) dismiss(id);
    }),
  );
}

/** For actions whose view has no place of its own for what went wrong. */
export function toastFailure(error: unknown): void {
  const failure = failureOf(error);
  toast({ tone: 'bad', text: failure.message, failure });
}

export function setTheme(theme: Theme): void {
  set({ theme });
  try {
    window.localStorage.setItem('theme', theme);
  } catch {
    // The main process keeps it too.
  }
  call('prefs.set', { theme }).catch(toastFailure);
}

export function setBreaks(breaks: boolean): void {
  set({ breaks });
  call('prefs.set', { breaks }).catch(toastFailure);
}

export const ZOOM_STEPS = [0.5, 0.67, 0.75, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 1.75, 2, 2.5, 3] as const;

/** `steps`: how many up or down; 0 goes back to 100 %. */
export function stepZoom(steps: number): void {
  const { zoom } = get();
  const at = ZOOM_STEPS.findIndex((step) => step >= zoom - 0.001);
  const next = steps === 0 ? 1 : (ZOOM_STEPS[Math.max(0, at + steps)] ?? 3);
  if (next === zoom) return;
  set({ zoom: next });
  call('prefs.set', { zoom: next }).catch(toastFailure);
}

export function chooseProfile(profile: string): void {
  set({ profile });
  call('prefs.set', { profile }).catch(toastFailure);
}

/** Which window this page is in, also after it is loaded again; undefined where the page may keep nothing. */
function windowName(): string | undefined {
  try {
    const name = window.sessionStorage.getItem('window') ?? crypto.randomUUID();
    window.sessionStorage.setItem('window', name);
    return name;
  } catch {
    return undefined;
  }
}

/** Asks what this window is attached to. Again after each new connection. */
export async function loadHello(): Promise<void> {
  const name = windowName();
  const [hello, prefs] = await Promise.all([
    call('app.hello', name === undefined ? {} : { window: name }),
    call('prefs.get', {}),
  ]);
  set({
    hello,
    theme: prefs.theme,
    zoom: prefs.zoom,
    breaks: prefs.breaks ?? false,
    profile: prefs.profile ?? get().profile,
    store: prefs.store ?? get().store,
  });
}
