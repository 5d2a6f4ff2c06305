import { go, useApp, type Place } from './app';

/**
 * What the window shows, as the part of its address after `#`. That part never leaves the browser, survives the exchange
 * of a one-time link, and works on both doors.
 */
export function addressOf(place: Place): string {
  switch (place.view) {
    case 'new':
      return '';
    case 'run':
      return `#/run/${encode(place.id)}${place.pane === 'auto' ? '' : `/${place.pane}`}${queryOf('profile', place.profile)}`;
    case 'profiles':
    case 'stores':
      return `#/${place.view}${queryOf('name', place.name)}`;
    case 'browse':
      return place.trash ? '#/trash' : '#/runs';
    case 'search':
      return `#/search${queryOf('words', place.words)}`;
    case 'permissions':
      return '#/permissions';
    case 'compare':
      return `#/compare/${encode(place.a)}/${encode(place.b)}`;
  }
}

/** What an address shows; undefined for one that is not ours. */
export function placeAt(hash: string): Place | undefined {
  if (hash === '' || hash === '#' || hash === '#/') return { view: 'new' };
  if (!hash.startsWith('#/')) return undefined;
  const [path = '', query = ''] = hash.slice(2).split('?', 2);
  let parts: string[];
  try {
    parts = path.split('/').map(decodeURIComponent);
  } catch {
    return undefined;
  }
  const [view, first, second] = parts;
  const given = (name: string) => {
    const value = new URLSearchParams(query).get(name);
    return value === null ? {} : { [name]: value };
  };
  if (view === 'run' && first && (second === undefined || isPane(second)) && parts.length <= 3)
    return { view, id: first, pane: second ?? 'auto', ...(second === 'resume' && given('profile')) };
  if (view === 'compare' && first && second && parts.length === 3) return { view, a: first, b: second };
  if (parts.length > 1) return undefined;
  if (view === 'permissions') return { view };
  if (view === 'runs') return { view: 'browse' };
  if (view === 'trash') return { view: 'browse', trash: true };
  if (view === 'profiles' || view === 'stores') return { view, ...given('name') };
  if (view === 'search') return { view, ...given('words') };
  return undefined;
}

/** An address holds whole characters only: half of one is what a text cut elsewhere may end with. */
const encode = (text: string) => encodeURIComponent(text.replace(/\p{Cs}/gu, '\ufffd'));

const PANES = ['chat', 'resume', 'transcript'] as const;
const isPane = (text: string): text is (typeof PANES)[number] => (PANES as readonly string[]).includes(text);

const queryOf = (name: string, value: string | undefined) =>
  value === undefined ? '' : `?${name}=${encode(value)}`;

/** A step within the same view (a pane that was chosen for the run, words being typed) is no step for Back. */
function isSameStep(before: Place, now: Place): boolean {
  if (before.view === 'run' && now.view === 'run') return before.id === now.id && before.pane === 'auto';
  return before.view === 'search' && now.view === 'search';
}

/** The parts of a browser's window that an address needs. */
export interface AddressBar {
  readonly location: Pick<Location, 'hash' | 'pathname' | 'search'>;
  readonly history: Pick<History, 'pushState' | 'replaceState'>;
  addEventListener(name: 'popstate', listener: () => void): void;
}

/** Ties the address to what is shown: a new view is a step that Back undoes, and a reload shows the same again. */
export function followAddress(bar: AddressBar = window): void {
  const current = () => {
    const { hash } = bar.location;
    return hash === '#' || hash === '#/' ? '' : hash;
  };
  const write = (place: Place, how: 'pushState' | 'replaceState') => {
    const address = addressOf(place);
    if (address !== current())
      bar.history[how](null, '', `${bar.location.pathname}${bar.location.search}${address}`);
  };
  const show = () => {
    const place = placeAt(bar.location.hash);
    if (place && addressOf(place) !== addressOf(useApp.getState().place)) go(place);
    // An address that is not ours shows nothing new; neither does one whose view asked to stay.
    write(useApp.getState().place, 'replaceState');
  };
  useApp.subscribe(({ place }, { place: before }) => {
    if (place === before) return;
    write(place, isSameStep(before, place) ? 'replaceState' : 'pushState');
  });
  bar.addEventListener('popstate', show);
  show();
}
