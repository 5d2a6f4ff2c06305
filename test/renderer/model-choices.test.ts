import { describe, expect, it } from 'vitest';
import type { RunHead } from '../../src/shared/contract/views';
import type { ProfileEntry } from '../../src/renderer/store/profiles';
import { modelChoices } from '../../src/renderer/view/chat/model-choices';

const entry = (name: string, provider: string): ProfileEntry =>
  ({ profile: { name, provider, model: 'm' }, builtIn: false, problem: '' }) as unknown as ProfileEntry;
const all = [entry('A', 'openai'), entry('B', 'openai'), entry('C', 'anthropic'), entry('P', 'practice')];
const head = (more: object = {}, row: object = {}): RunHead =>
  ({
    chat: true,
    mode: 'live',
    phase: 'idle',
    profile: 'A',
    ...more,
    row: { id: 'x', status: 'your_turn', provider: 'openai', private: false, elsewhere: false, ...row },
  }) as unknown as RunHead;
const names = (entries: ProfileEntry[]) => entries.map(({ profile }) => profile.name);

describe('the models that a run can go on with', () => {
  it('are those of the same kind of service in the run itself, and the others in a new one', () => {
    const { current, here, anew, why } = modelChoices(head(), all, false);
    expect([current?.profile.name, names(here), names(anew), why]).toEqual([
      'A',
      ['B'],
      ['C', 'P'],
      undefined,
    ]);
  });

  it('go by what the run recorded where its profile is gone', () => {
    const { current, here, anew } = modelChoices(head({ profile: 'Gone' }), all, false);
    expect([current, names(here), names(anew)]).toEqual([undefined, ['A', 'B'], ['C', 'P']]);
  });

  it('all go on in a new run once a single task is finished', () => {
    const { here, anew } = modelChoices(head({ chat: false }, { status: 'finished' }), all, false);
    expect([names(here), names(anew)]).toEqual([[], ['B', 'C', 'P']]);
  });

  it.each([
    [head({}, { private: true }), false, /private/],
    [head({ phase: 'tool' }), false, /Pause/],
    [head({ phase: 'waiting' }), false, /Pause/],
    [head({ mode: 'watch' }), false, /elsewhere/],
    [head({ reading: 0.5 }), false, /loading/],
    [head({ mode: 'still', phase: undefined }), true, /read-only/],
    [head({}, { status: 'damaged' }), false, /can’t be continued/],
  ])('is said not to be changed now where that is so (%#)', (one, readOnly, words) => {
    expect(modelChoices(one, all, readOnly).why).toMatch(words);
  });
});
