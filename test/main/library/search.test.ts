import {
  appendFileSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fileStore } from '../../../src/main/journal/file';
import { memoryStore } from '../../../src/main/journal/memory';
import type { RunStore } from '../../../src/main/journal/journal';
import { IndexKeeper } from '../../../src/main/app/index-keeper';
import { sealedNote } from '../../../src/main/agent/seal';
import { SearchIndex } from '../../../src/main/library/search';
import { queryOf, snippetOf } from '../../../src/main/library/search/texts';
import { encodeLine } from '../../../src/shared/run/codec';
import { termsOf } from '../../../src/shared/text/query';
import { tempFolder } from '../../support/folder';
import { bring, bringRich } from '../../support/histories';
import {
  answerRecord,
  callRecord,
  chatRecords,
  metaRecord,
  resultRecord,
  userRecord,
} from '../../support/journal-records';
import { until } from '../../support/wait';

/** Tells which bytes of which runs were read. */
function watched(store: RunStore): { store: RunStore; read: string[] } {
  const read: string[] = [];
  const spy = new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        if (name === 'slice' || name === 'bytes') read.push(`${String(args[0])}@${String(args[1] ?? 0)}`);
        return (value as (...all: unknown[]) => unknown).apply(target, args);
      };
    },
  });
  return { store: spy, read };
}

async function bench(prepare?: (store: RunStore) => Promise<unknown>) {
  const folder = tempFolder();
  const runs = join(folder, 'runs');
  const real = fileStore(runs);
  await prepare?.(real);
  const { store, read } = watched(fileStore(runs));
  const open = async () => {
    const index = await SearchIndex.open(store, folder);
    onTestFinished(() => index.close());
    return index;
  };
  return { folder, runs, real, store, read, open, index: await open() };
}
const say = (id: string, ...texts: string[]) => [
  metaRecord(id, 'the task'),
  ...texts.map((text, n) => answerRecord(n + 2, text, n)),
];
/** All of what is found, page by page: a page ends early on a busy machine. */
async function found(index: SearchIndex, words: string, run?: string): Promise<string[]> {
  const all: string[] = [];
  for (let after: string | undefined; ;) {
    const page = await index.search({ words, ...(run !== undefined && { run }), ...(after && { after }) });
    all.push(...page.hits.map((hit) => `${hit.run}#${hit.seq} ${hit.part}`));
    if (!(after = page.next)) return all;
  }
}

describe('the search', () => {
  it('finds prompts, answers, thinking, inputs and outputs, with the record and a snippet', async () => {
    const { index } = await bench(bringRich);
    await index.update();
    expect(await found(index, 'heading')).toEqual(['rich#1 prompt']);
    expect(await found(index, 'think about')).toEqual(['rich#2 thinking']);
    expect(await found(index, 'four ticks')).toEqual(['rich#3 result']);
    expect(await found(index, 'append_file')).toEqual(['rich#15 input', 'rich#15 input']);
    expect(await found(index, 'go on')).toEqual(['rich#7 prompt']);
    const [hit] = (await index.search({ words: 'Such FILE' })).hits;
    expect(hit).toMatchObject({ run: 'rich', seq: 4, part: 'result' });
    const { text, marks } = hit?.snippet ?? { text: '', marks: [] };
    expect(marks.map(([from, to]) => text.slice(from, to))).toEqual(['such', 'file']);
    expect(await found(index, 'nowhere to be found')).toEqual([]);
  });

  it('takes what a person types as words: nothing is an operator, quotes hold words together, the last may be unfinished', async () => {
    const { index } = await bench((store) =>
      bring(store, 'r', say('r', 'alpha beta gamma', 'beta alpha', 'Grüße aus Kö-ln', '東京の天気')),
    );
    await index.update();
    expect(await found(index, 'alpha beta')).toEqual(['r#3 answer', 'r#2 answer']);
    expect(await found(index, '"alpha beta"')).toEqual(['r#2 answer']);
    expect(await found(index, 'gam')).toEqual(['r#2 answer']);
    expect(await found(index, 'gam ')).toEqual([]);
    expect(await found(index, 'gruss aus')).toEqual([]);
    expect(await found(index, 'grusse')).toEqual(['r#4 answer']);
    expect(await found(index, 'GRUße kö-ln')).toEqual(['r#4 answer']);
    expect(await found(index, '天気')).toEqual(['r#5 answer']);
    for (const odd of [
      'alpha OR nothing',
      'NOT alpha',
      'a*',
      '"',
      '(((',
      'text:alpha',
      'NEAR(alpha beta)',
      '',
      '***',
      "'; DROP TABLE run; --",
    ])
      await expect(index.search({ words: odd })).resolves.toBeTruthy();
    expect(await found(index, 'alpha AND')).toEqual([]);
    expect(index.status().runs).toBe(1);
  });

  it('gives pages, the newest run first, and can stay in one run', async () => {
    const { index, runs } = await bench(async (store) => {
      for (const id of ['old', 'new', 'mid'])
        await bring(store, id, say(id, ...Array.from({ length: 10 }, () => 'needle')));
    });
    for (const [n, id] of ['old', 'mid', 'new'].entries())
      utimesSync(join(runs, `${id}.json`), n * 1000, n * 1000);
    await index.update();
    // A page ends early when its time is up, and the next one begins there.
    const pages = async (words: string, limit: number) => {
      const seen: string[] = [];
      for (let after: string | undefined, n = 0; n < 60; n++) {
        const page = await index.search({ words, limit, ...(after && { after }) });
        expect(page.hits.length).toBeLessThanOrEqual(limit);
        seen.push(...page.hits.map(({ run, seq }) => `${run}${seq}`));
        if (!(after = page.next)) break;
      }
      return seen;
    };
    const seen = await pages('needle', 7);
    expect(seen).toHaveLength(30);
    expect(new Set(seen).size).toBe(30);
    expect([seen[0], seen[9], seen[10], seen[29]]).toEqual(['new11', 'new2', 'mid11', 'old2']);
    // Of a word that is not finished as well.
    expect((await pages('need', 20)).toSorted()).toEqual(seen.toSorted());
    expect(await found(index, 'needle', 'mid')).toHaveLength(10);
    expect(await found(index, 'needle', 'none')).toEqual([]);
  });
});

describe('the index', () => {
  it('reads nothing again that did not change, and of what grew only the rest', async () => {
    const { index, read, runs } = await bench(async (store) => {
      await bring(store, 'a', say('a', 'one'));
      await bring(store, 'b', say('b', 'two'));
    });
    await index.update();
    read.length = 0;
    await index.update();
    expect(read).toEqual([]);
    const size = statSync(join(runs, 'a.json')).size;
    appendFileSync(join(runs, 'a.json'), encodeLine(userRecord(3, 'three more')));
    await index.update();
    expect(read.filter((what) => what.startsWith('b'))).toEqual([]);
    expect(read).not.toContain('a@0');
    expect(read).toContain(`a@${size}`);
    expect(await found(index, 'three')).toEqual(['a#3 prompt']);
    expect(await found(index, 'one')).toEqual(['a#2 answer']);
  });

  it('notices runs that were exchanged, deleted, or damaged', async () => {
    const { index, runs } = await bench(async (store) => {
      await bring(store, 'a', say('a', 'first words', 'and more'));
      await bring(store, 'b', say('b', 'second words'));
    });
    await index.update();
    const file = join(runs, 'a.json');
    writeFileSync(
      file,
      Buffer.concat(say('a', 'other words', 'and so on', 'longer than it was').map(encodeLine)),
    );
    rmSync(join(runs, 'b.json'));
    await index.update();
    expect(await found(index, 'words')).toEqual(['a#2 answer']);
    expect(await found(index, 'first')).toEqual([]);
    appendFileSync(file, 'garbage\n');
    appendFileSync(file, encodeLine(userRecord(5, 'behind the damage')));
    await index.update();
    expect(await found(index, 'longer')).toEqual(['a#4 answer']);
    expect(await found(index, 'behind')).toEqual([]);
    expect(index.status()).toMatchObject({ runs: 1, texts: 4 });
  });

  it('notices a run that was written anew with the same size and at the same time', async () => {
    const { index, runs, read } = await bench((store) =>
      bring(store, 'a', say('a', 'the herons came', 'and stayed')),
    );
    const file = join(runs, 'a.json');
    const before = statSync(file);
    await index.update();
    // Its last line is what it was.
    writeFileSync(file, readFileSync(file, 'utf8').replace('herons', 'storks'));
    utimesSync(file, before.atime, before.mtime);
    const after = statSync(file);
    expect([after.size, after.mtime.getTime(), after.ino]).toEqual([
      before.size,
      before.mtime.getTime(),
      before.ino,
    ]);
    await index.update();
    expect(await found(index, 'storks')).toEqual(['a#2 answer']);
    expect(await found(index, 'herons')).toEqual([]);
    read.length = 0;
    await index.update();
    expect(read).toEqual([]);
  });

  it('finds what was left out of a clipped result, where its whole text is kept, and leads to that result', async () => {
    const words = (n: number) => `line ${n} of a long result\n`.repeat(40_000);
    const whole = `${words(1)}the heron stood here\n${words(2)}`;
    const { index, real, runs } = await bench((store) => bring(store, 'other', say('other', 'nothing')));
    const clip = sealedNote(whole, {} as Parameters<typeof sealedNote>[1], []);
    const journal = await real.create('a', metaRecord('a', 'the task'));
    const file = await journal.keep('call', whole);
    const at = '2026-07-20T09:08:07Z';
    await journal.note({ kind: 'clip', at, tool_use_id: 'call', file, bytes: whole.length });
    await journal.append(callRecord(2, ['call'], 0));
    await journal.append(resultRecord(3, 'call', clip));
    await journal.append(answerRecord(4, 'it is done', 1));
    await journal.close();
    expect(clip).not.toContain('heron');
    await index.update();
    const [hit, ...more] = (await index.search({ words: 'heron stood' })).hits;
    expect(more).toEqual([]);
    expect(hit).toMatchObject({ run: 'a', seq: 3, part: 'result', kept: true });
    expect(hit?.snippet.text).toContain('the heron stood here');
    // What the record shows is a part of the whole: it is found there, in each of its pieces.
    expect(await found(index, '"line 1 of"', 'a')).toEqual(['a#3 result']);
    expect(await found(index, '"line 2 of"', 'a')).toEqual(['a#3 result', 'a#3 result']);
    expect(statSync(index.path).size).toBeLessThan(index.status().chars);
    // Without the text nothing is shown that could not be read.
    rmSync(join(runs, 'a.files'), { recursive: true });
    expect(await found(index, 'heron')).toEqual([]);
  });

  it('can be asked while it is built, and says that it is', async () => {
    const { index } = await bench(async (store) => {
      for (let n = 0; n < 130; n++) await bring(store, `r${n}`, say(`r${n}`, `common word${n}`));
    });
    const asked: Promise<{ building: boolean; hits: number }>[] = [];
    const progress: number[] = [];
    await index.update(({ done, total }) => {
      progress.push(done / total);
      if (done === 60)
        asked.push(
          index
            .search({ words: 'common', limit: 20 })
            .then(({ hits, building }) => ({ building: building !== undefined, hits: hits.length })),
        );
    });
    const [during] = await Promise.all(asked);
    expect(during?.building).toBe(true);
    expect(during?.hits).toBeGreaterThan(0);
    expect(progress.at(-1)).toBe(1);
    // A page that takes long is given in parts.
    let hits = 0;
    for (let after: string | undefined; ;) {
      const page = await index.search({ words: 'common', limit: 200, ...(after && { after }) });
      expect(page.building).toBeUndefined();
      hits += page.hits.length;
      if (!(after = page.next)) break;
    }
    expect(hits).toBe(130);
  });

  it('is smaller than the texts, and holds none of them', async () => {
    const words =
      'lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt ut labore'.split(
        ' ',
      );
    let seed = 7;
    const random = () => (seed = (seed * 16807) % 2147483647);
    const { index, open } = await bench(async (store) => {
      for (let n = 0; n < 40; n++)
        await bring(
          store,
          `r${n}`,
          say(
            `r${n}`,
            ...Array.from({ length: 12 }, () =>
              Array.from({ length: 400 }, () => `${words[random() % words.length]}${random() % 300}`).join(
                ' ',
              ),
            ),
          ),
        );
    });
    await index.update();
    const { chars } = index.status();
    await index.close();
    expect(statSync(index.path).size).toBeLessThan(chars);
    await open();
  });

  it('is made again when it is deleted, damaged, or of another version, and survives a killed process', async () => {
    const { index, open, folder } = await bench(bringRich);
    await index.update();
    await index.close();
    for (const harm of [
      (path: string) => rmSync(path),
      (path: string) => writeFileSync(path, 'no database at all'.repeat(1000)),
      (path: string) => writeFileSync(`${path}.lock`, ''),
    ]) {
      harm(index.path);
      const again = await open();
      expect(again.path).toBe(index.path);
      await again.update();
      expect(await found(again, 'four ticks')).toEqual(['rich#3 result']);
      await again.close();
    }
    expect(readdirSync(join(folder, 'search')).filter((name) => name.endsWith('.db'))).toHaveLength(1);
  });

  it('that is deleted while it is open says that it is lost, and an update of any run makes all of it again', async () => {
    const { index, folder, real } = await bench(bringRich);
    await index.update();
    rmSync(join(folder, 'search'), { recursive: true });
    expect(await index.search({ words: 'four ticks' })).toMatchObject({ hits: [], lost: true });
    await bring(real, 'other', say('other', 'five tocks'));
    await index.update(undefined, undefined, ['other']);
    expect((await index.search({ words: 'four ticks' })).lost).toBeUndefined();
    expect(await found(index, 'four ticks')).toEqual(['rich#3 result']);
    expect(await found(index, 'five tocks')).toEqual(['other#2 answer']);
  });

  it('that is deleted under the window is made again before anybody is told that there is nothing', async () => {
    const { index, folder } = await bench(bringRich);
    const keeper = new IndexKeeper({
      search: (query) => index.search(query),
      update: (ids) => index.update((progress) => keeper.told(progress), undefined, ids),
      status: () => Promise.resolve(index.status()),
      close: () => index.close(),
    });
    onTestFinished(() => keeper.close());
    keeper.changed();
    await until(() => keeper.building === undefined);
    rmSync(join(folder, 'search'), { recursive: true });
    const { hits } = await keeper.search({ words: 'four ticks' });
    expect(hits.map(({ run, seq }) => [run, seq])).toEqual([['rich', 3]]);
    expect(keeper.building).toBeUndefined();
  });

  it('of a second process that searches at the same time is one of its own', async () => {
    const { index, open } = await bench(bringRich);
    const other = await open();
    expect(other.path).not.toBe(index.path);
    await Promise.all([index.update(), other.update()]);
    for (const one of [index, other]) expect(await found(one, 'four ticks')).toEqual(['rich#3 result']);
  });

  it('is removed when nobody used it for long, but never while somebody has it', async () => {
    const { index, open, folder } = await bench(bringRich);
    const second = await open();
    const third = await open();
    const gone = join(folder, 'search', 'of-a-store-that-is-gone.1.db');
    writeFileSync(gone, 'x');
    await third.close();
    const long = new Date('2020-01-01');
    for (const path of [index.path, second.path, third.path, gone]) utimesSync(path, long, long);
    const again = await open();
    expect(again.path).toBe(third.path);
    const names = () => readdirSync(join(folder, 'search')).filter((name) => name.endsWith('.db'));
    expect(names()).toHaveLength(3);
    await again.update();
    expect(await found(again, 'four ticks')).toEqual(['rich#3 result']);
  });

  it('reads a journal of many pieces and long lines whole', async () => {
    const long = 'x '.repeat(1_500_000);
    const { index } = await bench((store) =>
      bring(
        store,
        'r',
        say(
          'r',
          `${long} needle`,
          'small',
          ...Array.from({ length: 20 }, (_, n) => `${'y '.repeat(100_000)} pin${n}`),
        ),
      ),
    );
    await index.update();
    expect(await found(index, 'needle')).toEqual(['r#2 answer']);
    expect(await found(index, 'pin19')).toEqual(['r#23 answer']);
  });

  it('works for stores that cannot give a part of a journal', async () => {
    const store = memoryStore();
    await bring(store, 'm', chatRecords('m', 12, 'memory words'));
    const index = await SearchIndex.open(store, tempFolder());
    onTestFinished(() => index.close());
    await index.update();
    expect((await index.search({ words: 'memory words' })).hits.length).toBeGreaterThan(5);
  });

  it('forgets what is gone also where time stands still', async () => {
    const { index, runs } = await bench((store) => bring(store, 'a', say('a', 'before')));
    await index.update();
    const { mtime, size } = statSync(join(runs, 'a.json'));
    writeFileSync(join(runs, 'a.json'), Buffer.concat(say('a', 'after1 and more').map(encodeLine)));
    utimesSync(join(runs, 'a.json'), mtime, mtime);
    expect(statSync(join(runs, 'a.json')).size).not.toBe(size);
    await index.update();
    expect(await found(index, 'before')).toEqual([]);
  });
});

describe('snippets and queries', () => {
  it('mark words without regard to case and accents, and never cut a character', () => {
    const text = `${'a '.repeat(100)}🙂 Crème BRÛLÉE 🙂${' z'.repeat(200)}`;
    const snippet = snippetOf(text, termsOf('creme brulee'));
    if (!snippet) throw new Error('no snippet');
    expect(snippet.marks.map(([from, to]) => snippet.text.slice(from, to))).toEqual(['Crème', 'BRÛLÉE']);
    expect(snippet).toMatchObject({ before: true, after: true });
    expect((snippet.text as string & { isWellFormed(): boolean }).isWellFormed()).toBe(true);
  });

  it('quote everything for the index', () => {
    const word = (one: string, open = '') => `(text : "${one}"${open} OR joined : "${one}"${open})`;
    const match = `${word('say')} AND text : "he said" AND ${word('now')}`;
    expect(queryOf('say "he said" now').match).toBe(match);
    expect(queryOf('say "he said" now').open).toBe(
      `${word('say')} AND text : "he said" AND ${word('now', ' *')}`,
    );
    expect(queryOf('say "he said"').open).toBeUndefined();
    expect(queryOf('a"b').match).toBe(`${word('a')} AND ${word('b')}`);
    expect(queryOf('  ').match).toBeUndefined();
  });
});
