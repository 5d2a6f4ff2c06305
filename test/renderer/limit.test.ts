import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import type { ChangeEvent, ClipboardEvent } from 'react';
import { describe, expect, it, vi } from 'vitest';
import { useApp } from '../../src/renderer/store/app';
import { KEY_NOT_HERE, limited, limitedShort } from '../../src/renderer/view/kit/limit';
import { project } from '../support/prerequisites';

/** What a field and its person end up with when `pasted` comes in the place of a selection. */
function paste(value: string, [from, to]: [number, number], pasted: string, limit: number) {
  const seen = { value, told: [] as string[] };
  const field = limited({
    value,
    limit,
    onChange: (now) => (seen.value = now),
    onTooLong: (added) => seen.told.push(added),
  });
  let prevented = false;
  const target = { selectionStart: from, selectionEnd: to, value };
  field.onPaste({
    currentTarget: target,
    clipboardData: { getData: () => pasted },
    preventDefault: () => (prevented = true),
  } as unknown as ClipboardEvent<HTMLInputElement>);
  const now = value.slice(0, from) + pasted.replaceAll('\r\n', '\n') + value.slice(to);
  if (!prevented) field.onChange({ target: { value: now } } as ChangeEvent<HTMLInputElement>);
  return { ...seen, now };
}

describe('a field with a limit', () => {
  it('takes all of a text or nothing of it, and says which', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 30 }),
        fc.tuple(fc.nat(30), fc.nat(30)),
        fc.oneof(
          fc.string({ unit: 'grapheme', maxLength: 40 }),
          fc.array(fc.constantFrom('a\r\n', '🙂', 'x'), { maxLength: 14 }).map((all) => all.join('')),
        ),
        fc.integer({ min: 1, max: 30 }),
        (value, ends, pasted, limit) => {
          fc.pre(value.length <= limit);
          const [from = 0, to = 0] = ends.map((at) => Math.min(at, value.length)).sort((a, b) => a - b);
          const seen = paste(value, [from, to], pasted, limit);
          const fits = seen.now.length <= limit;
          expect(seen.value).toBe(fits ? seen.now : value);
          expect(seen.told).toEqual(fits ? [] : [pasted]);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('tells of what was added where it came by another way, and lets a longer text be made shorter', () => {
    const seen = { value: 'abc', told: [] as string[] };
    const type = (value: string, now: string) =>
      limited({
        value,
        limit: 4,
        onChange: (text) => (seen.value = text),
        onTooLong: (added) => seen.told.push(added),
      }).onChange({ target: { value: now } } as ChangeEvent<HTMLInputElement>);
    type('abc', 'abxyzc');
    expect(seen).toEqual({ value: 'abc', told: ['xyz'] });
    type('longer than that', 'longer than');
    expect(seen).toEqual({ value: 'longer than', told: ['xyz'] });
  });

  it('says in a short field what was not added', () => {
    vi.stubGlobal('window', { setTimeout: () => 0 });
    limitedShort('A title', 5, 'abc', () => expect.unreachable()).onChange({
      target: { value: 'abcdefgh' },
    } as ChangeEvent<HTMLInputElement>);
    expect(useApp.getState().toasts.at(-1)?.text).toBe(
      'A title can have up to 5 characters, so Holdfast did not add your text (5 characters).',
    );
  });

  it('takes no key in a title, a tag, a price or a filter, with words around it or without', () => {
    vi.stubGlobal('window', { setTimeout: () => 0 });
    for (const what of ['A title', 'What you add at once', 'A price', 'A filter'])
      for (const key of ['sk-proj-abc123def456ghi789jkl012', 'gsk_a1b2c3d4e5f6g7h8i9j0k1l2'])
        for (const text of [key, `my key ${key}`, `KEY=${key}`, `"${key}", and more`]) {
          useApp.setState({ toasts: [] });
          limitedShort(what, 300, '', () => expect.unreachable()).onChange({
            target: { value: text },
          } as ChangeEvent<HTMLInputElement>);
          expect(useApp.getState().toasts.map((toast) => toast.text)).toEqual([KEY_NOT_HERE]);
        }
    const taken: string[] = [];
    for (const text of [
      'sk-',
      'keys of 2024',
      'risk-2024-report-for-the-board',
      '0123456789abcdef'.repeat(2),
    ])
      limitedShort('A title', 300, '', (value) => taken.push(value)).onChange({
        target: { value: text },
      } as ChangeEvent<HTMLInputElement>);
    expect(taken).toHaveLength(4);
  });

  it('is never one that the browser cuts', () => {
    const root = join(project, 'src/renderer');
    const cut = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name))
      .filter((name) => /maxLength/i.test(readFileSync(join(root, name), 'utf8')));
    expect(cut).toEqual([]);
  });
});
