import { describe, expect, it } from 'vitest';
import { CompositionKeys, type KeyPart } from '../../src/renderer/view/kit/composition';

const at = (timeStamp: number, type: string, more: Partial<KeyPart> = {}): KeyPart => ({
  type,
  timeStamp,
  ...more,
});
const taken = (events: KeyPart[]) => {
  const keys = new CompositionKeys();
  return events
    .map((event) => [event, keys.takes(event)] as const)
    .filter(([event]) => /keydown|cancel/.test(event.type))
    .map(([, own]) => own);
};

describe('keys of an input method', () => {
  it('that end a composition mean nothing, in the order of Chromium and Firefox', () => {
    expect(
      taken([
        at(0, 'keydown', { keyCode: 229 }),
        at(1, 'compositionstart'),
        at(500, 'keydown', { isComposing: true, keyCode: 229 }),
        at(500, 'compositionend'),
        at(560, 'keyup', { keyCode: 13 }),
        at(900, 'keydown', { keyCode: 13 }),
      ]),
    ).toEqual([true, true, false]);
  });

  it('that end a composition mean nothing, in the order of Safari', () => {
    expect(
      taken([
        at(1, 'compositionstart'),
        at(2, 'keydown', { isComposing: true, keyCode: 229 }),
        at(500, 'compositionend'),
        at(501, 'keydown', { isComposing: false, keyCode: 229 }),
        at(900, 'keydown', { keyCode: 13 }),
      ]),
    ).toEqual([true, true, false]);
    // Also where the code does not give it away.
    expect(
      taken([at(1, 'compositionstart'), at(500, 'compositionend'), at(501, 'keydown', { keyCode: 13 })]),
    ).toEqual([true]);
  });

  it('sends once where a press both ends a composition and sends, as for Korean on a Mac', () => {
    expect(
      taken([
        at(1, 'compositionstart'),
        at(500, 'keydown', { isComposing: true, keyCode: 229 }),
        at(500, 'compositionend'),
        at(501, 'keydown', { keyCode: 13 }),
      ]),
    ).toEqual([true, false]);
  });

  it('closes no dialog while something is composed, nor with the key that ends it', () => {
    expect(
      taken([
        at(1, 'compositionstart'),
        at(5, 'cancel'),
        at(300, 'compositionend'),
        at(301, 'cancel'),
        at(900, 'cancel'),
      ]),
    ).toEqual([true, true, false]);
  });

  it('leaves every other key alone', () => {
    expect(
      taken([at(1, 'keydown', { keyCode: 13 }), at(2, 'keydown', { keyCode: 27 }), at(3, 'cancel')]),
    ).toEqual([false, false, false]);
  });
});
