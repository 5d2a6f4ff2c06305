import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '../../../src/shared/contract/connect';
import type { ExportFormat, MoveJob } from '../../../src/shared/contract/moving';
import { fileStore } from '../../../src/main/journal/file';
import { exportProblems } from '../../../src/main/library/schemas';
import { makeDesk, makeHomeFolder, startChat, type Desk } from '../../support/app';
import { bring, bringRich, KEY_SHAPE, SECRET } from '../../support/histories';
import { answerRecord, chatRecords, metaRecord } from '../../support/journal-records';
import { failureOf, until } from '../../support/wait';

process.env.HOLDFAST_PRACTICE_DELAY = '0';
let desk: Desk;
let client: Client;
let out: string;
beforeEach(() => {
  desk = makeDesk({ home: makeHomeFolder(), env: { ANTHROPIC_API_KEY: SECRET } });
  client = desk.window();
  out = join(desk.home, 'Downloads');
  mkdirSync(out);
});
afterEach(async () => {
  expect(desk.bugs).toEqual([]);
  await desk.close();
  rmSync(desk.home, { recursive: true, force: true, maxRetries: 3 });
});

const ALL = { tools: true, thinking: true, redact: false, attachments: 'inline' } as const;

/** Waits for a job's end, as a window learns of it. */
async function ended(job: string): Promise<MoveJob> {
  let view: MoveJob | undefined;
  await until(async () => {
    view = (await client.call('moving.jobs', {})).jobs.find(({ id }) => id === job);
    return view?.state !== 'running' && view?.state !== 'receiving';
  });
  return view as MoveJob;
}

async function exported(
  ids: string[],
  format: ExportFormat,
  more: { options?: Partial<Record<keyof typeof ALL, unknown>>; folder?: string; name?: string } = {},
): Promise<MoveJob> {
  const { job } = await client.call('export.start', {
    ids,
    format,
    options: { ...ALL, ...more.options } as typeof ALL,
    to: { folder: more.folder ?? out, name: more.name ?? 'out' },
  });
  return ended(job);
}

/** Brings files in as a window does: announced, in pieces, ended. */
async function imported(files: Record<string, Uint8Array | string>, store?: string): Promise<MoveJob> {
  const all = Object.entries(files).map(([name, bytes]) => ({ name, bytes: Buffer.from(bytes as string) }));
  const { job } = await client.call('import.begin', {
    ...(store && { store }),
    files: all.map(({ name, bytes }) => ({ name, size: bytes.length })),
  });
  for (const [file, { bytes }] of all.entries())
    for (let offset = 0; offset < bytes.length; offset += 700)
      await client.call('import.chunk', {
        job,
        file,
        offset,
        data: bytes.subarray(offset, offset + 700).toString('base64'),
      });
  await client.call('import.end', { job });
  return ended(job);
}

describe('an export', () => {
  it('breaks lines on a web page as the window does, where that is switched on', async () => {
    await bring(desk.store, 'lines', [metaRecord('lines', 'go'), answerRecord(2, 'one\ntwo', 0)]);
    const page = async (name: string) => {
      expect((await exported(['lines'], 'html', { name })).state).toBe('done');
      return readFileSync(join(out, `${name}.html`), 'utf8');
    };
    expect(await page('off')).not.toMatch(/one<br/);
    await client.call('prefs.set', { breaks: true });
    expect(await page('on')).toMatch(/one<br \/>\ntwo/);
  });

  it('as JSON is what the published schema says, and counts every record of a run that was never opened', async () => {
    await bring(desk.store, 'long', chatRecords('long', 10_000));
    const job = await exported(['long'], 'json');
    expect(job).toMatchObject({
      state: 'done',
      exported: {
        runs: 1,
        complete: 1,
        found: { records: 10_000, calls: 2500, results: 2500 },
        written: { records: 10_000, calls: 2500, results: 2500 },
        at: join(out, 'out.state.json'),
      },
    });
    const text = readFileSync(join(out, 'out.state.json'), 'utf8');
    expect(exportProblems(JSON.parse(text))).toEqual([]);
    expect((JSON.parse(text) as { records: unknown[] }).records).toHaveLength(10_000);
  });

  it('as a journal comes back with the same bytes under a new name', async () => {
    const bytes = await bringRich(desk.store);
    const job = await exported(['rich'], 'journal', { name: 'rich' });
    expect(job.exported?.fileCount).toBe(4);
    const files = Object.fromEntries(
      readdirSync(out, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .map((path) => [path.slice(out.length + 1), readFileSync(path)]),
    );
    const back = await imported(files);
    expect(back.imported).toMatchObject({ imported: 1, failed: 0, store: 'default' });
    const [row] = back.imported?.rows ?? [];
    if (row?.outcome !== 'imported') throw new Error('It did not come in.');
    expect(row).toMatchObject({ wanted: 'rich', records: 16, source: 'rich.json', schema: [] });
    expect(row.title).toBe('A <rich> run');
    expect(row.id).not.toBe('rich');
    expect(Buffer.from(await desk.store.bytes(row.id))).toEqual(bytes);
    expect(Buffer.from(await desk.store.bytes('rich'))).toEqual(bytes);
    const { catalogue } = await desk.store.load(row.id);
    expect(catalogue).toMatchObject({ tags: ['one'], pinned: true });
    const found = await client.call('library.page', { offset: 0, limit: 10 });
    expect(found.rows.map(({ id }) => id)).toContain(row.id);
  });

  it('takes secrets out that settings know, without telling them to the window', async () => {
    await bringRich(desk.store);
    const job = await exported(['rich'], 'md', { options: { redact: true } });
    const text = readFileSync(join(out, 'out.md'), 'utf8');
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain(KEY_SHAPE);
    expect(job.exported?.redacted).toBeGreaterThanOrEqual(3);
    expect(JSON.stringify(job)).not.toContain(SECRET);
    expect(await failureOf(exported(['rich'], 'journal', { options: { redact: true } }))).toMatchObject({
      code: 'bad_request',
    });
  });

  it('never replaces a file, and says which name was taken', async () => {
    await bringRich(desk.store);
    writeFileSync(join(out, 'out.md'), 'mine');
    const job = await exported(['rich'], 'md');
    expect(job).toMatchObject({ state: 'failed', failure: { code: 'exists', data: { name: 'out' } } });
    expect(readFileSync(join(out, 'out.md'), 'utf8')).toBe('mine');
    expect(readdirSync(out)).toEqual(['out.md']);
  });

  it('of runs of several stores makes one zip, and pages by their titles', async () => {
    mkdirSync(join(desk.home, 'config'), { recursive: true });
    writeFileSync(
      join(desk.home, 'config', 'stores.yaml'),
      JSON.stringify({ stores: [{ name: 'team', url: `file:${join(desk.home, 'team')}` }] }),
    );
    await bringRich(desk.store);
    await bringRich(fileStore(join(desk.home, 'team')));
    await desk.close();
    desk = makeDesk({ home: desk.home });
    client = desk.window();
    await until(async () =>
      (await client.call('stores.list', {})).stores.some(
        ({ name, state }) => name === 'team' && state === 'ok',
      ),
    );
    const zip = await exported(['rich', 'team.rich'], 'zip');
    expect(zip.exported).toMatchObject({ runs: 2, complete: 2, failed: 0, fileCount: 1 });
    const pages = await exported(['rich', 'team.rich'], 'html');
    expect(pages.exported?.files.map((file) => file.slice(out.length + 1)).sort()).toEqual([
      'A rich run (2).html',
      'A rich run.html',
    ]);
    const back = await imported({ 'all.zip': readFileSync(join(out, 'out.zip')) }, 'team');
    expect(back.imported).toMatchObject({ imported: 2, failed: 0, store: 'team' });
    for (const row of back.imported?.rows ?? [])
      expect(row.outcome === 'imported' && row.id.startsWith('team.')).toBe(true);
  });

  it('goes nowhere but where the person may choose, whatever the name says', async () => {
    await bringRich(desk.store);
    symlinkSync('/', join(out, 'root'));
    mkdirSync(join(desk.home, '.ssh'));
    mkdirSync(join(desk.home, 'state'));
    const places = ['/', '/etc', join(desk.home, '.ssh'), join(desk.home, 'runs'), join(desk.home, 'state')];
    for (const folder of [...places, join(out, 'root'), `${out}/../.ssh`, 'relative'])
      expect([folder, (await failureOf(exported(['rich'], 'md', { folder })))?.code]).toEqual([
        folder,
        'forbidden',
      ]);
    for (const [name, file] of [
      ['../../etc/passwd', 'etc passwd.md'],
      ['.bashrc', 'bashrc.md'],
      ['a\u0000b\u202egnp.exe', 'a b gnp.exe.md'],
      ['con', 'run con.md'],
      ['$(touch x)`;&', '(touch x).md'],
      ['   ', 'run.md'],
      ['x'.repeat(200), `${'x'.repeat(80)}.md`],
    ] as const) {
      const job = await exported(['rich'], 'md', { name });
      expect([name, job.exported?.files]).toEqual([name, [join(out, file)]]);
    }
    expect(
      await failureOf(client.call('export.choose', { name: 'x', format: 'md', many: false })),
    ).toMatchObject({
      code: 'unsupported',
    });
  });

  it('behind dialogs of the system goes to the place that was chosen, once', async () => {
    await bringRich(desk.store);
    await desk.close();
    const file = join(out, 'mine.md');
    mkdirSync(join(desk.home, 'state'), { recursive: true });
    const picks = [file, join(desk.home, 'state', 'x.md')];
    desk = makeDesk({ home: desk.home, kind: 'electron', picks });
    client = desk.window();
    const start = (to: { place: string } | { folder: string; name: string }) =>
      client.call('export.start', { ids: ['rich'], format: 'md', options: ALL, to });
    const { place, path } = await client.call('export.choose', { name: 'A/b', format: 'md', many: false });
    expect([path, desk.asked.saves]).toEqual([file, ['A b.md']]);
    const { job } = await start({ place });
    expect((await ended(job)).exported).toMatchObject({ files: [file] });
    await client.call('moving.show', { job });
    expect(desk.asked.shown).toEqual([file]);
    expect(await failureOf(start({ place }))).toMatchObject({ code: 'forbidden' });
    expect(await failureOf(start({ place: '' }))).toMatchObject({ code: 'forbidden' });
    expect(await failureOf(start({ folder: out, name: 'x' }))).toMatchObject({ code: 'forbidden' });
    // What is Holdfast's own stays its own, and no page can pile dialogs up.
    expect(
      await failureOf(client.call('export.choose', { name: 'x', format: 'md', many: false })),
    ).toMatchObject({ code: 'forbidden' });
    const choose = () => client.call('export.choose', { name: 'x', format: 'md', many: false });
    const [one, other] = await Promise.allSettled([choose(), choose()]);
    expect([one, other]).toMatchObject([
      { status: 'fulfilled', value: { place: '', path: '' } },
      { status: 'rejected', reason: { code: 'busy' } },
    ]);
  });

  it('of a private chat there is none', async () => {
    const { id } = await startChat(client, 'secret', { private: true });
    expect(await failureOf(exported([id], 'md'))).toMatchObject({ code: 'unsupported' });
    expect(await failureOf(client.call('run.fork', { id }))).toMatchObject({ code: 'unsupported' });
    expect(await failureOf(client.call('run.compare', { a: id, b: id }))).toMatchObject({
      code: 'unsupported',
    });
  });
});

describe('an import', () => {
  it('takes what is a run, tells of the rest, and leaves nothing on the way', async () => {
    const bytes = await bringRich(desk.store, 'seed');
    const job = await imported({
      '../../../evil.json': bytes,
      'broken.json': 'not a journal\nat all\n',
      'notes.txt': 'pears\n',
      'empty.json': '',
      'folder/inner/deep.json': bytes,
      'folder/.hidden.json': bytes,
      'folder/page.state.json': '{}',
    });
    expect(job.imported).toMatchObject({ imported: 2, failed: 3 });
    const told = job.imported?.rows.map((row) => `${row.outcome} ${row.source}`).sort();
    expect(told).toEqual([
      'failed broken.json',
      'failed empty.json',
      'failed notes.txt',
      'imported evil.json',
      'imported folder/inner/deep.json',
    ]);
    // Nothing beside them tells what a person called them: they go by their first words, as in the library.
    const { rows } = await client.call('library.page', { offset: 0, limit: 10 });
    for (const row of job.imported?.rows ?? [])
      if (row.outcome === 'imported') expect(row.title).toBe(rows.find(({ id }) => id === row.id)?.title);
    expect(existsSync(join(desk.home, '..', 'evil.json'))).toBe(false);
    await until(() => readdirSync(join(desk.home, 'state', 'moving')).length === 0);
  });

  it('takes no byte more or other than was announced', async () => {
    const { job } = await client.call('import.begin', { files: [{ name: 'a.json', size: 4 }] });
    const put = (more: object) =>
      client.call('import.chunk', { job, file: 0, offset: 0, data: 'YWJj', ...more });
    await put({});
    for (const wrong of [{ offset: 0 }, { offset: 4 }])
      expect((await failureOf(put(wrong)))?.code).toMatch(/bad_request|not_found/);
    expect(await ended(job)).toMatchObject({ state: 'failed' });
    const more = await client.call('import.begin', { files: [{ name: 'a.json', size: 2 }] });
    const chunk = { job: more.job, file: 0, offset: 0, data: 'YWJj' };
    expect(await failureOf(client.call('import.chunk', chunk))).toMatchObject({ code: 'bad_request' });
    const short = await client.call('import.begin', { files: [{ name: 'a.json', size: 2 }] });
    expect(await failureOf(client.call('import.end', { job: short.job }))).toMatchObject({
      code: 'bad_request',
    });
    expect(
      await failureOf(client.call('import.begin', { files: [{ name: 'a.json', size: 9e15 }] })),
    ).toMatchObject({ code: 'too_large' });
    expect(readdirSync(join(desk.home, 'state', 'moving'))).toEqual([]);
  });

  it('ends with the window that was sending, and on request', async () => {
    const other = desk.window();
    const { job } = await other.call('import.begin', { files: [{ name: 'a.json', size: 4 }] });
    other.close();
    expect(await ended(job)).toMatchObject({ state: 'cancelled' });
    const mine = await client.call('import.begin', { files: [{ name: 'a.json', size: 4 }] });
    expect(await client.call('moving.cancel', { job: mine.job })).toEqual({ done: true });
    expect(await ended(mine.job)).toMatchObject({ state: 'cancelled' });
    expect(await client.call('moving.forget', { job: mine.job })).toEqual({ done: true });
    expect((await client.call('moving.jobs', {})).jobs.map(({ id }) => id)).toEqual([job]);
    await until(() => readdirSync(join(desk.home, 'state', 'moving')).length === 0);
  });
});

describe('what a process that died left', () => {
  it('is cleared away at the next start, and nothing else', async () => {
    const moving = join(desk.home, 'state', 'moving');
    const dead = join(moving, '999999999-0123456789ab');
    mkdirSync(dead, { recursive: true });
    mkdirSync(join(moving, 'mine'));
    const part = join(out, '.out.md.holdfast-0a1b2c3d.part');
    for (const path of [part, join(out, 'keep.md'), join(dead, '0')]) writeFileSync(path, 'half');
    writeFileSync(join(dead, 'unfinished'), `${part}\n${join(out, 'keep.md')}\nrelative.part\n`);
    await desk.close();
    desk = makeDesk({ home: desk.home });
    expect(readdirSync(out)).toEqual(['keep.md']);
    expect(readdirSync(moving)).toEqual(['mine']);
  });
});
