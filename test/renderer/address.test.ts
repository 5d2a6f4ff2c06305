import { beforeEach, describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { addressOf, followAddress, placeAt, type AddressBar } from '../../src/renderer/store/address';
import { go, openRun, useApp, type Place } from '../../src/renderer/store/app';

const name = fc.string({ unit: 'grapheme', maxLength: 30 });
const id = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 });
const places: fc.Arbitrary<Place> = fc.oneof(
  fc.constant<Place>({ view: 'new' }),
  fc.record({
    view: fc.constant('run' as const),
    id,
    pane: fc.constantFrom('auto' as const, 'chat' as const, 'resume' as const, 'transcript' as const),
  }),
  fc.record({ view: fc.constant('run' as const), id, pane: fc.constant('resume' as const), profile: name }),
  fc.record({ view: fc.constantFrom('profiles' as const, 'stores' as const) }),
  fc.record({ view: fc.constantFrom('profiles' as const, 'stores' as const), name }),
  fc.constantFrom<Place>({ view: 'browse' }, { view: 'browse', trash: true }),
  fc.record({ view: fc.constant('search' as const) }),
  fc.record({ view: fc.constant('search' as const), words: name }),
  fc.record({ view: fc.constant('compare' as const), a: id, b: id }),
);

describe('addresses', () => {
  it('name every view, and lead back to it', () => {
    fc.assert(
      fc.property(places, (place) => {
        const address = addressOf(place);
        // As a browser keeps it.
        const kept = new URL(address, 'http://127.0.0.1:1/').hash;
        expect(placeAt(kept)).toEqual(place);
        expect(addressOf(placeAt(kept) ?? { view: 'new' })).toBe(address);
      }),
    );
  });

  it('that are not ours show nothing, and never throw', () => {
    for (const hash of [
      '#x',
      '#/nowhere',
      '#/run',
      '#/run/',
      '#/run/a/b',
      '#/run/%E0%A4%A',
      '#/compare/a',
      '#/runs/x',
    ])
      expect(placeAt(hash), hash).toBeUndefined();
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void placeAt(`#/${text}`)));
  });

  it('hold half characters without failing', () => {
    expect(addressOf({ view: 'search', words: 'a\ud83d' })).toBe('#/search?words=a%EF%BF%BD');
  });
});

/** Address bar and history as a browser has them. */
class Bar implements AddressBar {
  steps = ['/'];
  at = 0;
  #listener = () => undefined as void;
  get location() {
    const { hash, pathname, search } = new URL(this.steps[this.at] ?? '/', 'http://127.0.0.1:1');
    return { hash, pathname, search };
  }
  history = {
    pushState: (_state: unknown, _title: string, url?: string | URL | null) => {
      this.steps = [...this.steps.slice(0, this.at + 1), String(url)];
      this.at += 1;
    },
    replaceState: (_state: unknown, _title: string, url?: string | URL | null) => {
      this.steps[this.at] = String(url);
    },
  };
  addEventListener(_name: 'popstate', listener: () => void) {
    this.#listener = listener;
  }
  back(steps = 1) {
    this.at = Math.max(0, Math.min(this.steps.length - 1, this.at - steps));
    this.#listener();
  }
}

describe('the address of the window', () => {
  let bar: Bar;
  beforeEach(() => {
    useApp.setState({ place: { view: 'new' } });
    bar = new Bar();
  });
  const shown = () => useApp.getState().place;

  it('follows what is shown; Back and Forward go where they go everywhere', () => {
    followAddress(bar);
    openRun('r1');
    // The pane that the run opened with is no step of its own.
    useApp.setState({ place: { view: 'run', id: 'r1', pane: 'chat' } });
    go({ view: 'browse', trash: true });
    expect(bar.steps).toEqual(['/', '/#/run/r1/chat', '/#/trash']);
    bar.back();
    expect(shown()).toEqual({ view: 'run', id: 'r1', pane: 'chat' });
    bar.back();
    expect(shown()).toEqual({ view: 'new' });
    bar.back(-2);
    expect(shown()).toEqual({ view: 'browse', trash: true });
    expect(bar.steps.length).toBe(3);
  });

  it('brings the same view after a reload', () => {
    bar.steps = ['/#/run/r9/transcript'];
    followAddress(bar);
    expect(shown()).toEqual({ view: 'run', id: 'r9', pane: 'transcript' });
    expect(bar.steps).toEqual(['/#/run/r9/transcript']);
  });

  it('is put right when it names nothing', () => {
    bar.steps = ['/#/nowhere'];
    followAddress(bar);
    expect(bar.steps).toEqual(['/']);
  });

  it('takes words that are typed into a search as one step', () => {
    followAddress(bar);
    go({ view: 'search' });
    go({ view: 'search', words: 'pe' });
    go({ view: 'search', words: 'pear' });
    expect(bar.steps).toEqual(['/', '/#/search?words=pear']);
  });
});
