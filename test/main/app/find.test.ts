import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { InlineReader } from '../../../src/main/app/read/inline-reader';
import { toolWords } from '../../../src/main/app/read/tool-words';
import { fileStore } from '../../../src/main/journal/file';
import type { RunStore } from '../../../src/main/journal/journal';
import { builtInTools } from '../../../src/main/tool/registry';
import type { TranscriptItem } from '../../../src/shared/contract/items';
import { encodeLine } from '../../../src/shared/run/codec';
import { shownText } from '../../../src/shared/markdown/shown';
import { foundAs } from '../../../src/shared/text/find';
import type { RunRecord } from '../../../src/shared/run/record';
import { answerRecord, chatRecords, userRecord } from '../../support/journal-records';
import { sampled } from '../../support/prerequisites';
import { someJournal } from '../../support/run-arbitraries';

const tools = toolWords(builtInTools('practice'));

let home: string;
let made = 0;
/** Bytes of journals that were read. */
let read = 0;
let store: RunStore;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'holdfast-find-'));
  const real = fileStore(home);
  store = new Proxy(real, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      if (name !== 'slice') return (value as () => unknown).bind(target);
      return async (...args: Parameters<NonNullable<RunStore['slice']>>) => {
        const part = await target.slice?.(...args);
        read += part?.bytes.length ?? 0;
        return part;
      };
    },
  });
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const fileOf = (id: string) => join(home, `${id}.json`);
function put(records: readonly RunRecord[]): string {
  const id = `r${++made}`;
  writeFileSync(fileOf(id), Buffer.concat(records.map(encodeLine)), { mode: 0o600 });
  return id;
}

const countIn = (text: string | undefined, words: string) =>
  foundAs(text ?? '').split(foundAs(words)).length - 1;

/** What is found by looking through all items, as they are shown. */
function slowly(items: readonly TranscriptItem[], words: string) {
  const hits = items.flatMap((item, index) => {
    const texts =
      item.kind === 'call'
        ? [item.tool, item.input, item.result?.text]
        : item.kind === 'end'
          ? [item.message]
          : 'text' in item
            ? [item.kind === 'text' ? shownText(item.text) : item.text]
            : [];
    const count = texts.reduce((sum, text) => sum + countIn(text, words), 0);
    return count > 0 ? [{ index, key: item.key, count }] : [];
  });
  return { hits, total: hits.reduce((sum, { count }) => sum + count, 0) };
}

async function allItems(reader: InlineReader, id: string): Promise<TranscriptItem[]> {
  const items: TranscriptItem[] = [];
  for (;;) {
    const page = await reader.items(id, items.length, 200);
    items.push(...page.items);
    if (items.length >= page.total || page.items.length === 0) return items;
  }
}

describe('finding words in a run', () => {
  it('finds what all items show, the first time and again, with little room, and while it grows', async () => {
    let hits = 0;
    await fc.assert(
      fc.asyncProperty(someJournal, fc.nat(), fc.nat(300), async (records, place, texts) => {
        const cut = 1 + (place % records.length);
        const id = put(records.slice(0, cut));
        const reader = new InlineReader(store, tools, { texts });
        await reader.open(id);
        const look = async () => {
          const items = await allItems(reader, id);
          // All at once, as letters that are typed fast.
          for (const words of ['e', 'ou', 'read_', 'ß', 'A', '":'].map((one) => ({
            one,
            found: reader.find(id, one),
          }))) {
            const found = await words.found;
            expect(found).toEqual(slowly(items, words.one));
            hits += found.hits.length;
          }
        };
        await look();
        appendFileSync(fileOf(id), Buffer.concat(records.slice(cut).map(encodeLine)));
        await reader.refresh(id);
        await look();
      }),
      { numRuns: sampled(60, 5_000) },
    );
    expect(hits).toBeGreaterThan(100);
  });

  it('finds words as they are shown, over markup, line ends and the forms of letters', async () => {
    const said =
      'The **quick** [brown fox](https://example.org/hidden) jumps\nover `the` lazy *do*g.\n\n# A & B\n\n| one | two |\n|---|---|\n| Łódź | ﬁne |\n\n```js\nlet  x = 1;\n```\n\n<b>tag</b> and 한국어';
    const id = put([
      ...chatRecords('r', 1, 'nothing'),
      answerRecord(2, said, 0),
      userRecord(3, 'as **typed** here'),
    ]);
    const reader = new InlineReader(store, tools);
    await reader.open(id);
    const count = async (words: string) => (await reader.find(id, words)).total;
    for (const words of [
      'quick brown fox jumps over the lazy dog.',
      'A & B',
      'lodz',
      'fine',
      'let x = 1',
      '<b>tag</b>',
      '한국어'.normalize('NFD'),
      'as **typed**',
    ])
      expect.soft([words, await count(words)]).toEqual([words, 1]);
    for (const words of ['**quick**', 'hidden', 'foxjumps', '| one', 'onetwo', '```js'])
      expect.soft([words, await count(words)]).toEqual([words, 0]);
  });

  it('reads a journal once for many searches, and then only what it grew by', async () => {
    const records = chatRecords('r', 4_000, 'some words '.repeat(300));
    const id = put([...records, answerRecord(4_001, 'the heron stood in the reeds', 9_999)]);
    const reader = new InlineReader(store, tools);
    await reader.open(id);
    const timed = async (words: string) => {
      read = 0;
      const begun = performance.now();
      const { total } = await reader.find(id, words);
      return { total, read, took: performance.now() - begun };
    };
    const first = await timed('The Heron');
    expect(first.total).toBe(1);
    expect(first.read).toBeGreaterThan(10_000_000);
    const second = await timed('in the reeds');
    expect(second).toMatchObject({ total: 1, read: 0 });
    expect(second.took / first.took).toBeLessThan(0.5);
    appendFileSync(fileOf(id), encodeLine(userRecord(4_002, 'and the heron flew')));
    await reader.refresh(id);
    const third = await timed('heron');
    expect(third.total).toBe(2);
    expect(third.read).toBeLessThan(1_000);
    // Nobody searches in it any more.
    await reader.drop(id);
    await reader.open(id);
    expect((await timed('heron')).read).toBeGreaterThan(first.read);
  });

  it('holds no more than there is room for, and reads the rest each time', async () => {
    const id = put(chatRecords('r', 2_000, 'some words '.repeat(300)));
    const reader = new InlineReader(store, tools, { texts: 3_000_000 });
    await reader.open(id);
    read = 0;
    const first = await reader.find(id, 'some words');
    const whole = read;
    read = 0;
    expect(await reader.find(id, 'some words')).toEqual(first);
    expect(read).toBeGreaterThan(0.3 * whole);
    expect(read).toBeLessThan(0.8 * whole);
  });
});
