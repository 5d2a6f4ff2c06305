import { renderToStaticMarkup } from 'react-dom/server';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CALL_WORD, Mark, STATUS_WORD, StatusBadge } from '../../src/renderer/view/kit/status';

const states = Object.keys(STATUS_WORD) as (keyof typeof STATUS_WORD)[];
const calls = Object.keys(CALL_WORD) as (keyof typeof CALL_WORD)[];
const shape = (of: (typeof states)[number] | (typeof calls)[number]) =>
  renderToStaticMarkup(<Mark of={of} />).replace(/^<svg[^>]*>/, '');

describe('the states of a run', () => {
  it('are told apart by their word and by their shape alone', () => {
    expect(new Set(Object.values(STATUS_WORD)).size).toBe(states.length);
    expect(new Set(states.map(shape)).size).toBe(states.length);
    expect(new Set(Object.values(CALL_WORD)).size).toBe(calls.length);
    expect(new Set(calls.map(shape)).size).toBe(calls.length);
  });

  it('have a colour each, but for those of which nothing ran here', () => {
    const css = readFileSync(
      new URL('../../src/renderer/view/kit/status.module.css', import.meta.url),
      'utf8',
    );
    const plain = [...states, ...calls].filter((state) => !css.includes(`[data-of='${state}']`));
    expect(plain.toSorted()).toEqual(['elsewhere', 'new', 'not_run', 'unanswered']);
  });

  it('say their word beside the mark, which is hidden from those who listen', () => {
    for (const state of states) {
      const out = renderToStaticMarkup(<StatusBadge status={state} />);
      expect(out).toContain(STATUS_WORD[state]);
      expect(out).toMatch(/<svg[^>]*aria-hidden="true"/);
    }
  });
});
