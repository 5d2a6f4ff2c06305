import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { corruptLine } from '../../src/shared/run/read';
import type { RunHead } from '../../src/shared/contract/views';
import { Damaged } from '../../src/renderer/view/chat/damaged';
import { Origin } from '../../src/renderer/view/moving/origin';

const AT = '2026-01-02T03:04:05.000Z';
const head = (over: Record<string, unknown>): RunHead =>
  ({
    row: { id: 'one', status: 'damaged', title: 'One' },
    lastSeq: 0,
    items: 1,
    bytes: 200,
    warnings: [],
    ...over,
  }) as unknown as RunHead;
const text = (element: React.ReactElement) => renderToStaticMarkup(element).replace(/<[^>]*>/g, '');

describe('a damaged run', () => {
  it('of which nothing can be read offers no reading, and counts no records', () => {
    const failure = corruptLine('no JSON', 1, 0, 0).toJSON();
    const shown = text(<Damaged head={head({ failure })} onRead={() => undefined} />);
    expect(shown).toContain('line 1, byte 0');
    expect(shown).toContain('no record stands before the damage');
    expect(shown).toContain('Bring it back from a backup, or delete it.');
    expect(shown).not.toMatch(/0 records|Read what is whole/);
  });

  it('is read up to the damage where there is something before it', () => {
    const failure = corruptLine('no JSON', 3, 760, 2).toJSON();
    const shown = text(<Damaged head={head({ failure, lastSeq: 2 })} onRead={() => undefined} />);
    expect(shown).toContain('2 records before the damage');
    expect(shown).toContain('Read what is whole');
  });

  it('that never started is not called damaged anywhere', () => {
    const row = { id: 'one', status: 'new', title: '' };
    const shown = text(<Damaged head={head({ row, items: 0, bytes: 0 })} onRead={() => undefined} />);
    expect(shown).toContain('This run never started');
    expect(shown).not.toMatch(/damage|repair/i);
  });
});

describe('where a run came from', () => {
  const imported = (from: string) =>
    text(<Origin head={head({ origin: { why: 'import', from, at: AT } })} />);

  it('tells the name that an imported run had only where it has another now', () => {
    expect(imported('one')).toBe('Imported');
    expect(imported('two')).toBe('Imported; it was called two');
  });
});
