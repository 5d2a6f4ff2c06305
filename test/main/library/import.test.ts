import { createWriteStream, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import yazl from 'yazl';
import { describe, expect, it } from 'vitest';
import { fileStore } from '../../../src/main/journal/file';
import type { RunStore } from '../../../src/main/journal/journal';
import { exportRuns } from '../../../src/main/library/export';
import { importRuns } from '../../../src/main/library/import';
import type { Imported } from '../../../src/main/library/import';
import {
  exportProblems,
  schemaFolder,
  schemaProblems,
  SCHEMA_FILES,
} from '../../../src/main/library/schemas';
import { encodeLine, encodeRecord } from '../../../src/shared/run/codec';
import { faultyVfs } from '../../support/faulty-vfs';
import { tempFolder } from '../../support/folder';
import { bring, bringRich, richNotes, richRecords } from '../../support/histories';
import { answerRecord, chatRecords, metaRecord } from '../../support/journal-records';

let next = 0;
const newId = () => `fresh${++next}`;
const take = (store: RunStore, ...paths: string[]) => importRuns(store, paths, { newId });

const place = () => {
  const folder = tempFolder();
  return { folder, from: fileStore(join(folder, 'runs')), to: fileStore(join(folder, 'other')) };
};
const journal = (id: string) => Buffer.concat(richRecords(id).map(encodeLine));

/** A zip with these entries; names are written as they are. */
async function zipOf(
  path: string,
  entries: Record<string, string | Buffer>,
  mode = 0o100600,
): Promise<string> {
  const zip = new yazl.ZipFile();
  const names = Object.keys(entries);
  // The library refuses bad names, so they are put in afterwards, at the same length.
  for (const name of names)
    zip.addBuffer(Buffer.from(entries[name] ?? ''), name.replaceAll('..', '%%').replace(/^\//, '%'), {
      mode,
    });
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(path));
  let bytes = readFileSync(path).toString('latin1');
  for (const name of names) bytes = bytes.replaceAll(name.replaceAll('..', '%%').replace(/^\//, '%'), name);
  writeFileSync(path, Buffer.from(bytes, 'latin1'));
  return path;
}

describe('a round trip', () => {
  it.each(['journal', 'zip'] as const)(
    'as %s gives back the same bytes, notes, labels and texts',
    async (format) => {
      const { folder, from, to } = place();
      const bytes = await bringRich(from);
      await bring(from, 'plain', chatRecords('plain', 9));
      const out = join(folder, format === 'zip' ? 'runs.zip' : 'shelf');
      const written = await exportRuns(from, ['rich', 'plain'], { format, out });
      expect(written.runs.map(({ complete }) => complete)).toEqual([true, true]);
      const report = await take(to, out);
      expect(report).toMatchObject({ imported: 2, failed: 0 });
      expect(Buffer.from(await to.bytes('rich'))).toEqual(bytes);
      const { catalogue, sidecar } = await to.load('rich');
      expect(catalogue).toEqual({ title: 'A <rich> run', tags: ['one'], pinned: true });
      expect(sidecar.filter(({ kind }) => kind !== 'bind').slice(0, -1)).toEqual(richNotes);
      expect(sidecar.at(-1)).toMatchObject({ kind: 'lineage', why: 'import', from: 'rich' });
      expect(await to.kept('rich', 'whole-1.txt')).toContain('the whole text');
    },
  );

  it('as a journal without notes has none that could say a tool never ran', async () => {
    const { folder, from, to } = place();
    await bring(from, 'bare', richRecords('bare'));
    await exportRuns(from, ['bare'], { format: 'journal', out: `${folder}/shelf/` });
    expect(readdirSync(join(folder, 'shelf'))).toEqual(['bare.json']);
    await take(to, join(folder, 'shelf'));
    expect((await to.load('bare')).sidecarBound).toBe(false);
  });

  it('as JSON keeps its published schema, whatever is left out', async () => {
    const { folder, from } = place();
    await bringRich(from);
    for (const [n, view] of [{}, { tools: false, thinking: false }, { secrets: ['practice-1'] }].entries()) {
      const out = join(folder, `out${n}.json`);
      await exportRuns(from, ['rich'], { format: 'json', out, ...view });
      expect(exportProblems(JSON.parse(readFileSync(out, 'utf8')))).toEqual([]);
    }
    const broken = JSON.parse(readFileSync(join(folder, 'out0.json'), 'utf8')) as Record<string, unknown>;
    expect(exportProblems({ ...broken, more: 1 })).not.toEqual([]);
    expect(exportProblems({ ...broken, state: { version: 3 } })).not.toEqual([]);
  });

  it('as JSON is not taken for a journal, and says what to do instead', async () => {
    const { folder, from, to } = place();
    await bringRich(from);
    const out = join(folder, 'rich.json');
    await exportRuns(from, ['rich'], { format: 'json', out });
    expect((await take(to, out)).files).toMatchObject([
      { outcome: 'failed', failure: { code: 'unsupported' } },
    ]);
  });
});

describe('an import', () => {
  it('never overwrites: a taken name, also one in the trash, gives the run a new one', async () => {
    const { folder, to } = place();
    const mine = await bring(to, 'same', chatRecords('same', 5));
    await bring(to, 'gone', chatRecords('gone', 5));
    await to.trash('gone');
    mkdirSync(join(folder, 'shelf'));
    for (const id of ['same', 'gone', 'free'])
      writeFileSync(join(folder, 'shelf', `${id}.json`), journal(id));
    const { files } = await take(to, join(folder, 'shelf'));
    const ids = new Map(
      files.flatMap((file) => (file.outcome === 'imported' ? [[file.wanted, file.id]] : [])),
    );
    expect(ids.get('free')).toBe('free');
    expect(ids.get('same')).toMatch(/^fresh/);
    expect(ids.get('gone')).toMatch(/^fresh/);
    expect(Buffer.from(await to.bytes('same'))).toEqual(mine);
    expect(Buffer.from(await to.bytes(ids.get('same') ?? ''))).toEqual(journal('same'));
    await to.restore('gone');
  });

  it('reports damaged, empty and foreign files with their reason, and takes the rest', async () => {
    const { folder, to } = place();
    const shelf = join(folder, 'shelf');
    mkdirSync(join(shelf, 'deeper'), { recursive: true });
    const bytes = journal('x');
    const at = bytes.indexOf('{"seq":9,');
    writeFileSync(
      join(shelf, 'a-corrupt.json'),
      Buffer.concat([bytes.subarray(0, at), Buffer.from('{{{\n'), bytes.subarray(at)]),
    );
    writeFileSync(join(shelf, 'b-empty.json'), '');
    writeFileSync(join(shelf, 'c-other.json'), '{"name":"package"}\n');
    writeFileSync(
      join(shelf, 'd-version.json'),
      journal('v').toString().replace('"version":3', '"version":4'),
    );
    writeFileSync(join(shelf, 'e-torn.json'), Buffer.concat([bytes, Buffer.from('{"seq":17,"pro')]));
    writeFileSync(join(shelf, 'not a name!.json'), journal('n'));
    writeFileSync(join(shelf, 'deeper', 'good.json'), journal('good'));
    writeFileSync(join(shelf, 'notes.txt'), 'nothing to see');
    symlinkSync(join(shelf, 'deeper', 'good.json'), join(shelf, 'link.json'));
    const report = await take(to, shelf, join(folder, 'nowhere'));
    const told = report.files.map((file) => [
      file.source.slice(file.source.lastIndexOf('/') + 1).replace(/^shelf: /, ''),
      file.outcome === 'failed' ? file.failure.code : `${file.records}/${file.dropped}`,
    ]);
    expect(Object.fromEntries(told)).toEqual({
      'a-corrupt.json': 'corrupt',
      'b-empty.json': 'empty',
      'c-other.json': 'no_meta',
      'd-version.json': 'version',
      'e-torn.json': '16/14',
      'good.json': '16/0',
      'not a name!.json': '16/0',
      nowhere: 'not_found',
    });
    expect(report).toMatchObject({ imported: 3, failed: 5 });
    expect((await to.list()).map(({ health }) => health)).toEqual(['ok', 'ok', 'ok']);
  });

  it('takes a single journal by any name, with what lies beside it', async () => {
    const { folder, to } = place();
    writeFileSync(join(folder, 'run.journal'), journal('a'));
    writeFileSync(join(folder, 'b.json'), journal('b'));
    writeFileSync(join(folder, 'b.catalogue.jsonl'), '{"id":"b","set":{"title":"Beside"}}\n');
    expect(await take(to, join(folder, 'run.journal'), join(folder, 'b.json'))).toMatchObject({
      imported: 2,
    });
    expect((await to.summary('b')).catalogue).toEqual({ title: 'Beside' });
  });

  it('tells where records differ from the published schemas, and takes them as they are', async () => {
    const { folder, to } = place();
    const odd = journal('odd').toString().replace('"seq":7,', '"seq":7,"extra":1,');
    writeFileSync(join(folder, 'odd.json'), odd);
    const { files } = await take(to, join(folder, 'odd.json'));
    expect(files).toMatchObject([{ outcome: 'imported', schema: [{ line: 7 }] }]);
    expect(Buffer.from(await to.bytes('odd')).toString()).toBe(odd);
  });

  it('stops when it is told to, and keeps what it had', async () => {
    const { folder, to } = place();
    mkdirSync(join(folder, 'shelf'));
    for (const id of ['a', 'b', 'c']) writeFileSync(join(folder, 'shelf', `${id}.json`), journal(id));
    const stop = new AbortController();
    const report = await importRuns(to, [join(folder, 'shelf')], {
      newId,
      signal: stop.signal,
      onProgress: ({ done }) => done === 1 && stop.abort(),
    });
    expect(report).toMatchObject({ imported: 2, cancelled: true });
  });

  it('into a store that is only read says so and changes nothing', async () => {
    const { folder } = place();
    mkdirSync(join(folder, 'foreign'));
    writeFileSync(join(folder, 'foreign', 'x.json'), journal('x'));
    writeFileSync(join(folder, 'y.json'), journal('y'));
    const report = await take(fileStore(join(folder, 'foreign')), join(folder, 'y.json'));
    expect(report.files).toMatchObject([{ failure: { code: 'unsupported' } }]);
    expect(readdirSync(join(folder, 'foreign'))).toEqual(['x.json']);
  });
});

describe('a zip from somewhere', () => {
  const codes = (files: Imported[]) =>
    files.map((file) => (file.outcome === 'failed' ? file.failure.code : file.id));

  it('that names files outside of it writes nothing there, and its good ones are taken', async () => {
    const { folder, to } = place();
    const zip = await zipOf(join(folder, 'slip.zip'), {
      '../../evil.json': journal('evil'),
      '/abs.json': journal('abs'),
      'good.json': journal('good'),
    });
    const report = await take(to, zip);
    expect(codes(report.files)).toEqual(['store_unsafe', 'store_unsafe', 'good']);
    expect(readdirSync(folder).sort()).toEqual(['other', 'slip.zip']);
    expect((await to.list()).map(({ id }) => id)).toEqual(['good']);
  });

  it('with a link instead of a file follows none', async () => {
    const { folder, to } = place();
    const zip = await zipOf(join(folder, 'link.zip'), { 'l.json': '/etc/passwd' }, 0o120777);
    expect(codes((await take(to, zip)).files)).toEqual(['store_unsafe']);
  });

  it('that would unpack to far more than it is, is refused before anything is unpacked', async () => {
    const { folder, to } = place();
    const path = await zipOf(join(folder, 'bomb.zip'), {
      'a.json': Buffer.alloc(1_000_000),
      'b.json': Buffer.alloc(1_000_000),
      'c.json': 'x',
    });
    const bytes = readFileSync(path);
    // Sizes as a bomb's index would have them.
    for (let at = bytes.indexOf('PK\u0001\u0002'); at >= 0; at = bytes.indexOf('PK\u0001\u0002', at + 1))
      bytes.writeUInt32LE(1_000_000_000, at + 24);
    writeFileSync(path, bytes);
    expect((await take(to, path)).files).toMatchObject([{ source: path, failure: { code: 'too_large' } }]);
  });

  it('whose index lies about a size, whose bytes were changed, or which is cut off is told apart from a good one', async () => {
    const { folder, from, to } = place();
    const lying = await zipOf(join(folder, 'lying.zip'), { 'a.json': journal('a') });
    const bytes = readFileSync(lying);
    bytes.writeUInt32LE(100, bytes.indexOf('PK\u0001\u0002') + 24);
    writeFileSync(lying, bytes);
    await bring(from, 'r', richRecords('r'));
    const changed = join(folder, 'changed.zip');
    await exportRuns(from, ['r'], { format: 'zip', out: changed });
    const manifest = readFileSync(changed);
    writeFileSync(join(folder, 'cut.zip'), manifest.subarray(0, manifest.length - 200));
    const data = manifest.indexOf('journals/r.json') + 15 + 40;
    manifest[data] = (manifest[data] ?? 0) ^ 0xff;
    writeFileSync(changed, manifest);
    for (const path of [lying, changed, join(folder, 'cut.zip')])
      expect(codes((await take(to, path)).files)).toEqual(['corrupt']);
    const [cut] = (await take(to, join(folder, 'cut.zip'))).files;
    expect(cut).toMatchObject({
      failure: {
        message: 'The zip cannot be read: it is not whole, or not a zip.',
        kept: 'Nothing of it was taken.',
        todo: expect.stringContaining('again') as string,
        data: { reason: expect.any(String) as string },
      },
    });
    expect(await to.list()).toEqual([]);
  });

  it('of ours with another journal under a name than was exported is found out', async () => {
    const { folder, to } = place();
    const manifest = {
      format: 'holdfast.runs',
      runs: [{ journal: { path: 'journals/r.json', sha256: '0'.repeat(64) } }],
    };
    const zip = await zipOf(join(folder, 'x.zip'), {
      'journals/r.json': journal('r'),
      'holdfast.json': JSON.stringify(manifest),
    });
    expect(codes((await take(to, zip)).files)).toEqual(['corrupt']);
  });
});

describe('the published schemas', () => {
  it('have ids of our own and describe every record that we write', () => {
    for (const name of SCHEMA_FILES) {
      const schema = JSON.parse(readFileSync(join(schemaFolder(), `${name}.json`), 'utf8')) as {
        $id: string;
      };
      expect(schema.$id).toBe(`urn:holdfast:schema:v1:${name}`);
    }
    for (const record of [...richRecords('r'), ...chatRecords('c', 20)])
      expect(schemaProblems(encodeRecord(record))).toEqual([]);
    const golden = readFileSync(join(schemaFolder(), '../../test/fixtures/golden-v3.jsonl'), 'utf8');
    for (const line of golden.split('\n').filter(Boolean)) expect(schemaProblems(line)).toEqual([]);
  });

  it.each([
    [{ ...metaRecord('x'), seq: 2 }, /seq/],
    [{ ...answerRecord(2, 'x'), more: 1 }, /more/],
    [{ seq: 2, protocol: 'io.choria.fisk-ai.v1.session.terminal', terminal: { reason: 'tired' } }, /reason/],
    [{ seq: 0, protocol: 'io.choria.fisk-ai.v1.session.user', user: { message: { role: 'user' } } }, /seq/],
    [{ seq: 2, protocol: 'io.choria.fisk-ai.v1.session.user' }, /user/],
    [{ seq: 2, protocol: 'other' }, /protocol/],
  ])('say what is wrong with %j', (record, problem) => {
    expect(schemaProblems(JSON.stringify(record)).join()).toMatch(problem);
  });
});

describe('a name', () => {
  it('that no run can have gives way to the one that is recorded', async () => {
    const { folder, to } = place();
    writeFileSync(join(folder, 'A rich run (2).json'), journal('rich'));
    writeFileSync(join(folder, 'note.json'), 'pears\n');
    const { files } = await take(to, join(folder, 'A rich run (2).json'), join(folder, 'note.json'));
    expect(files).toMatchObject([
      { outcome: 'imported', id: 'rich', wanted: 'rich' },
      { outcome: 'failed', failure: { message: expect.stringContaining('not a run') as string } },
    ]);
  });
});

describe('an import that a crash cut short', () => {
  it('is cleared away by the next one, but for a run that is being brought in right now', async () => {
    const { folder, to } = place();
    await bring(to, 'first', richRecords('first'));
    const runs = join(folder, 'other');
    mkdirSync(join(runs, 'half.files'));
    for (const name of [
      '.half.part',
      'half.aux.jsonl',
      'half.files/whole-1.txt',
      '.first.part',
      '.other.part',
    ])
      writeFileSync(join(runs, name), 'half');
    const held = await fileStore(runs).create('other', metaRecord('other'));
    const again = fileStore(runs);
    await bring(again, 'second', richRecords('second'));
    await held.close();
    expect(readdirSync(runs).filter((name) => /half|\.part$/.test(name) && !name.endsWith('.lock'))).toEqual([
      '.other.part',
    ]);
    expect(Buffer.from(await again.bytes('first'))).toEqual(journal('first'));
  });
});

describe('an import that the disk does not take', () => {
  it('leaves nothing of a run that was not brought in, wherever it failed, and brings it in later', async () => {
    const from = fileStore(join(tempFolder(), 'runs'));
    const bytes = await bringRich(from);
    const out = join(tempFolder(), 'out');
    await exportRuns(from, ['rich'], { format: 'journal', out: `${out}/` });
    const runs = join(tempFolder(), 'runs');
    await bringRich(fileStore(runs), 'other');
    // Locks stay where a name was ever locked: removing one could let two in.
    const left = () => readdirSync(runs).filter((name) => !name.endsWith('.lock'));
    const before = left();
    let points = 0;
    for (const fault of ['ENOSPC', 'torn'] as const)
      for (let at = 1; ; at++) {
        const vfs = faultyVfs();
        const store = fileStore(runs, { vfs });
        // What comes first of all is not the import's.
        await store.summary('other');
        vfs.plan({ at, fault, ...(fault === 'torn' && { only: ['write', 'overwrite'] as const }) });
        const report = await take(store, out).catch((error: unknown) => error as Error);
        const failed = vfs.failed.length > 0;
        vfs.plan(undefined);
        if (!failed) {
          expect(report).toMatchObject({ imported: 1 });
          expect(Buffer.from(await store.bytes('rich'))).toEqual(bytes);
          await store.purge('rich');
          break;
        }
        points++;
        if (!(report instanceof Error) && report.imported > 0) {
          // It was no part of what the run needs.
          expect(Buffer.from(await store.bytes('rich'))).toEqual(bytes);
          expect((await store.load('rich')).catalogue.title).toBe('A <rich> run');
          await store.purge('rich');
        } else expect([fault, at, left()]).toEqual([fault, at, before]);
        await store.close();
      }
    expect(points).toBeGreaterThan(20);
  });
});
