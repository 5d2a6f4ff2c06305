import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import type { RunSide } from '../../src/shared/contract/moving';
import { Table } from '../../src/renderer/view/compare/table';

const side: RunSide = {
  id: 'one',
  title: 'A run',
  store: 'This computer',
  status: 'finished',
  chat: true,
  created: '2026-07-20T07:08:07Z',
  updated: '2026-07-20T07:08:09Z',
  steps: 2,
  records: 5,
  bytes: 900,
  prompts: [],
  promptCount: 0,
  tools: [],
};

/** What stands beside the heading of a group. */
function told(group: string, other: Partial<RunSide>): string | undefined {
  const page = renderToStaticMarkup(<Table a={side} b={{ ...side, ...other }} />);
  return new RegExp(`<h2>${group}<small>(.*?)</small>`).exec(page)?.[1];
}

describe('a group of a comparison', () => {
  it('is the same only where nothing of it differs', () => {
    expect(told('Run', {})).toBe('the same');
    expect(told('Run', { id: 'two' })).toBe('the same apart from id');
    const times = { created: '2026-07-21T07:08:07Z', updated: '2026-07-21T07:08:09Z' };
    expect(told('Run', { id: 'two', ...times })).toBe('the same apart from id and times');
    expect(told('Run', { id: 'two', ...times, origin: { from: 'one', why: 'fork' } })).toBe(
      'the same apart from id, times and origin',
    );
    expect(told('Usage', { records: 6 })).toBe('the same apart from the journal’s length');
  });

  it('counts what is worth a look, and marks as many', () => {
    expect(told('Run', { id: 'two', chat: false })).toBe('1 difference');
    expect(told('Run', { id: 'two', chat: false, store: 'team' })).toBe('2 differences');
    expect(told('Usage', { steps: 3, records: 6 })).toBe('1 difference');
  });
});
