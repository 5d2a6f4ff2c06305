import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Place } from '../../src/renderer/store/app';

vi.stubGlobal('window', globalThis);
const { go, useApp } = await import('../../src/renderer/store/app');
const { addressOf, followAddress } = await import('../../src/renderer/store/address');
const { answerLeaving, askBeforeUnload, leaving, setUnsaved, useUnsaved } =
  await import('../../src/renderer/store/unsaved');

const FORM: Place = { view: 'profiles', name: 'Work' };
const ELSEWHERE: Place[] = [
  { view: 'new' },
  { view: 'run', id: 'r', pane: 'auto' },
  { view: 'profiles', name: 'Other' },
  { view: 'profiles', name: '' },
  { view: 'stores' },
  { view: 'browse' },
  { view: 'search', words: 'x' },
  { view: 'compare', a: 'a', b: 'b' },
  { view: 'permissions' },
];
const asked = () => useUnsaved.getState().question?.what;
const place = () => useApp.getState().place;

beforeEach(() => {
  useUnsaved.setState({ forms: new Map(), question: undefined });
  useApp.setState({ place: FORM });
});

describe('a form with changes that are not saved', () => {
  it('is left for any other view only after a yes', () => {
    for (const to of ELSEWHERE) {
      useApp.setState({ place: FORM });
      setUnsaved('form', 'the profile “Work”');
      go(to);
      expect([asked(), place()]).toEqual(['the profile “Work”', FORM]);
      answerLeaving(false);
      expect([asked(), place()]).toEqual([undefined, FORM]);
      go(to);
      answerLeaving(true);
      expect(place()).toEqual(to);
      // The form is gone: nothing is asked about it again.
      go({ view: 'new' });
      expect(asked()).toBeUndefined();
    }
  });

  it('asks nothing once it is saved, nor when the view stays', () => {
    setUnsaved('form', 'the profile “Work”');
    go({ ...FORM });
    expect(asked()).toBeUndefined();
    setUnsaved('form', undefined);
    go({ view: 'stores' });
    expect([asked(), place()]).toEqual([undefined, { view: 'stores' }]);
  });

  it('closes its dialog only after a yes, and another dialog does not ask about it', () => {
    const closed: string[] = [];
    setUnsaved('page', 'the profile “Work”');
    leaving(() => closed.push('tags'), 'tags');
    expect([closed, asked()]).toEqual([['tags'], undefined]);
    setUnsaved('prices', 'the prices');
    leaving(() => closed.push('prices'), 'prices');
    expect([closed, asked()]).toEqual([['tags'], 'the prices']);
    answerLeaving(true);
    expect(closed).toEqual(['tags', 'prices']);
    expect([...useUnsaved.getState().forms.keys()]).toEqual(['page']);
  });

  it('stays on Back too, with its own address, and a reload of a browser’s page asks', () => {
    const listeners = new Map<string, (event: Event) => void>();
    const location = { hash: addressOf(FORM), pathname: '/', search: '' };
    const write = (_: unknown, __: string, to?: string | URL | null) =>
      void (location.hash = /#.*$/.exec(String(to))?.[0] ?? '');
    const page = {
      location,
      history: { pushState: write, replaceState: write },
      addEventListener: (name: string, listener: (event: Event) => void) => listeners.set(name, listener),
    };
    followAddress(page as never);
    setUnsaved('form', 'the profile “Work”');
    location.hash = '#/stores';
    listeners.get('popstate')?.(new Event('popstate'));
    expect([asked(), place(), location.hash]).toEqual(['the profile “Work”', FORM, addressOf(FORM)]);
    answerLeaving(true);
    expect([place(), location.hash]).toEqual([{ view: 'stores' }, '#/stores']);

    let browser = true;
    askBeforeUnload(page as never, () => browser);
    const asks = () => {
      const event = new Event('beforeunload', { cancelable: true });
      listeners.get('beforeunload')?.(event);
      return event.defaultPrevented;
    };
    expect(asks()).toBe(false);
    setUnsaved('form', 'the store “team”');
    expect(asks()).toBe(true);
    browser = false;
    expect(asks()).toBe(false);
  });
});
