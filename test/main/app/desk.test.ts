import { mkdirSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { Drafts } from '../../../src/main/app/drafts';
import { SAMPLE_FILES } from '../../../src/main/app/sample';
import { profile as profileSchema } from '../../../src/shared/run/profile';
import { makeDesk, makeHomeFolder, startChat, type Desk, type DeskOptions } from '../../support/app';
import { HOSTILE_LINKS } from '../../support/hostile-links';
import { sampled } from '../../support/prerequisites';
import { failureOf } from '../../support/wait';

let desk: Desk;
let made: Desk[] = [];
const open = (options: DeskOptions = {}) => {
  desk = makeDesk(options);
  made.push(desk);
  return desk.window();
};
beforeEach(() => {
  made = [];
});
afterEach(async () => {
  for (const each of made) {
    expect(each.bugs).toEqual([]);
    await each.close();
  }
});

describe('hello', () => {
  it('says what this is, where runs are kept and what the door can do', async () => {
    const client = open();
    expect(await client.call('app.hello', {})).toMatchObject({
      version: '0.0.0-test',
      door: 'browser',
      nativeDialogs: false,
      home: desk.home,
      store: { label: 'Test', url: desk.store.url },
    });
    expect(await open({ kind: 'electron' }).call('app.hello', {})).toMatchObject({ nativeDialogs: true });
  });
});

describe('drafts', () => {
  it('survive the process as soon as they were taken, each under its key', async () => {
    const client = open();
    await client.call('draft.set', { key: 'new', text: 'half a thought' });
    await client.call('draft.set', { key: 'run:../../x', text: 'other' });
    const files = readdirSync(join(desk.home, 'state', 'drafts'));
    expect(files.length).toBe(2);
    for (const file of files) {
      expect(file).toMatch(/^[0-9a-f]{64}\.json$/);
      if (process.platform !== 'win32') {
        expect(statSync(join(desk.home, 'state', 'drafts', file)).mode & 0o777).toBe(0o600);
      }
    }
    const again = open({ home: desk.home });
    expect(await again.call('draft.get', { key: 'new' })).toEqual({ text: 'half a thought' });
    expect(await again.call('draft.get', { key: 'run:../../x' })).toEqual({ text: 'other' });
    await again.call('draft.set', { key: 'new', text: '' });
    expect(readdirSync(join(desk.home, 'state', 'drafts')).length).toBe(1);
  });

  it('end with the last text that was set, however fast they came', async () => {
    open();
    const drafts = new Drafts(join(desk.home, 'd'), () => false);
    await Promise.all(Array.from({ length: 200 }, (_, n) => drafts.set('k', `text ${n}`)));
    expect(await new Drafts(join(desk.home, 'd'), () => false).get('k')).toBe('text 199');
    expect(readdirSync(join(desk.home, 'd')).length).toBe(1);
  });

  it('ignore a broken file', async () => {
    const client = open();
    await client.call('draft.set', { key: 'new', text: 'x' });
    const [file = ''] = readdirSync(join(desk.home, 'state', 'drafts'));
    writeFileSync(join(desk.home, 'state', 'drafts', file), '{');
    const again = open({ home: desk.home });
    expect(await again.call('draft.get', { key: 'new' })).toEqual({ text: '' });
  });
});

describe('preferences', () => {
  it('are remembered, told to the door, and survive a broken file', async () => {
    const client = open();
    expect(await client.call('prefs.get', {})).toEqual({ theme: 'system', zoom: 1 });
    await client.call('prefs.set', { theme: 'dark' });
    await client.call('prefs.set', { zoom: 1.5, profile: 'Practice' });
    expect(desk.asked.themes).toEqual(['system', 'dark']);
    const again = open({ home: desk.home });
    expect(await again.call('prefs.get', {})).toEqual({ theme: 'dark', zoom: 1.5, profile: 'Practice' });
    writeFileSync(join(desk.home, 'state', 'prefs.json'), '{"theme":"loud","zoom":99,"profile":7}');
    const broken = open({ home: desk.home });
    expect(await broken.call('prefs.get', {})).toEqual({ theme: 'system', zoom: 1 });
  });

  it('keeps also what was set just before everything closed', async () => {
    const client = open();
    await client.call('prefs.get', {});
    const set = client.call('prefs.set', { theme: 'dark', zoom: 1.25 }).catch(() => undefined);
    await desk.app.close();
    expect(JSON.parse(readFileSync(join(desk.home, 'state', 'prefs.json'), 'utf8'))).toEqual({
      theme: 'dark',
      zoom: 1.25,
    });
    await set;
  });
});

describe('folders', () => {
  it('are chosen in a native dialog where there is one, and nowhere else', async () => {
    const client = open({ kind: 'electron' });
    const secret = join(desk.home, 'secret');
    mkdirSync(secret);
    for (const folder of [
      secret,
      desk.folder,
      '/',
      '/etc',
      desk.home,
      'papers',
      '.',
      '',
      `${desk.folder}/..`,
      '\u0000',
    ]) {
      const failure = await failureOf(startChat(client, 'list', { folder }));
      expect(['forbidden', 'not_found'], folder).toContain(failure.code);
    }
    expect((await failureOf(client.call('folder.list', { path: desk.home }))).code).toBe('unsupported');
    expect((await client.call('library.page', { offset: 0, limit: 1 })).all).toBe(0);
  });

  it('that were picked may be used, also after a restart, and not what lies beside or below them', async () => {
    const first = open({ kind: 'electron' });
    expect(await first.call('folder.pick', {})).toEqual({ folder: '' });
    const picked = join(desk.home, 'papers');
    const client = open({ home: desk.home, kind: 'electron', picks: [picked] });
    expect(await client.call('folder.pick', {})).toEqual({ folder: picked });
    await startChat(client, 'list', { folder: picked });
    const again = open({ home: desk.home, kind: 'electron' });
    expect(await again.call('folder.recent', {})).toEqual({ folders: [picked] });
    await startChat(again, 'list', { folder: picked });
    mkdirSync(join(picked, 'deeper'));
    for (const folder of [`${picked}/deeper`, `${picked}-2`]) {
      mkdirSync(folder, { recursive: true });
      expect((await failureOf(startChat(again, 'list', { folder }))).code).toBe('forbidden');
    }
  });

  it('are listed below home without what is hidden, links that lead out, or files', async () => {
    const client = open();
    for (const name of ['b 10', 'b 9', 'A', '.ssh', '.config/x'])
      mkdirSync(join(desk.home, name), { recursive: true });
    writeFileSync(join(desk.home, 'file.txt'), 'x');
    symlinkSync('/etc', join(desk.home, 'out'));
    symlinkSync(join(desk.home, '.ssh'), join(desk.home, 'hidden-link'));
    symlinkSync(join(desk.home, 'A'), join(desk.home, 'in'));
    const list = await client.call('folder.list', { path: '' });
    expect(list).toMatchObject({ path: desk.home, files: 1 });
    expect(list.folders).toEqual(['A', 'b 9', 'b 10', 'in', 'papers']);
    expect(list.parent).toBeUndefined();
    expect(await client.call('folder.list', { path: join(desk.home, 'A') })).toMatchObject({
      parent: desk.home,
    });
    for (const path of [
      '/',
      '/etc',
      join(desk.home, '.ssh'),
      join(desk.home, '..'),
      join(desk.home, 'out'),
      'A',
    ]) {
      expect((await failureOf(client.call('folder.list', { path }))).code, path).toBe('forbidden');
    }
  });

  it('never lead outside the picker’s roots, whatever path a page names', async () => {
    open();
    const root = join(desk.home, 'root');
    mkdirSync(join(root, 'inner', '.hidden'), { recursive: true });
    symlinkSync('/', join(root, 'slash'));
    symlinkSync('..', join(root, 'inner', 'up'));
    const client = open({ home: join(root, 'inner'), roots: [root] });
    const piece = fc.constantFrom(
      '..',
      '.',
      'inner',
      'slash',
      'up',
      'etc',
      '.hidden',
      'root',
      '',
      'papers',
      '/',
      '~',
    );
    const paths = fc
      .tuple(fc.constantFrom(root, '', '/', `${root}/inner`, desk.home), fc.array(piece, { maxLength: 6 }))
      .map(([start, parts]) => [start, ...parts].join('/'));
    let inside = 0;
    await fc.assert(
      fc.asyncProperty(paths, async (path) => {
        const list = await client.call('folder.list', { path }).catch(() => undefined);
        if (!list) return;
        inside++;
        expect(`${list.path}/`.startsWith(`${root}/`)).toBe(true);
        expect(list.path).not.toContain('/.');
      }),
      { numRuns: sampled(600, 20_000) },
    );
    expect(inside).toBeGreaterThan(0);
  });

  it('may be used on a door without dialogs when they could be picked there, but not home itself', async () => {
    const client = open();
    mkdirSync(join(desk.home, '.ssh'));
    await startChat(client, 'list', { folder: desk.folder });
    expect(await client.call('folder.recent', {})).toEqual({ folders: [desk.folder] });
    for (const folder of [desk.home, join(desk.home, '.ssh'), '/etc', '/', join(desk.home, '..')]) {
      expect((await failureOf(startChat(client, 'list', { folder }))).code, folder).toBe('forbidden');
    }
    rmSync(desk.folder, { recursive: true });
    expect((await failureOf(startChat(client, 'list', { folder: desk.folder }))).code).toBe('not_found');
    expect(await client.call('folder.recent', {})).toEqual({ folders: [] });
  });

  it('may lie around Holdfast’s own, which stays closed to tools that were allowed to write', async () => {
    const home = makeHomeFolder();
    onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 3 }));
    const client = open({ home, roots: [home] });
    const { shown } = await startChat(client, 'write runs/forged.json: {}', { folder: home });
    await shown.status('waiting');
    await client.call('run.approve', {
      id: shown.head?.row.id ?? '',
      hash: shown.head?.approval?.hash ?? '',
      decision: 'once',
    });
    await shown.status('your_turn');
    expect(shown.call('write_file')?.result).toMatchObject({ isError: true });
    expect(shown.call('write_file')?.result?.text).toContain('Holdfast keeps its own things');
    expect(readdirSync(join(home, 'runs'))).not.toContain('forged.json');
  });

  it('are never those that Holdfast keeps its own things in, wherever they lie', async () => {
    const client = open();
    await client.call('prefs.set', { zoom: 1 });
    mkdirSync(join(desk.home, 'state', 'drafts'), { recursive: true });
    mkdirSync(join(desk.home, 'config', 'x'), { recursive: true });
    for (const folder of ['state', 'state/drafts', 'config', 'config/x', 'runs']) {
      mkdirSync(join(desk.home, folder), { recursive: true });
      const failure = await failureOf(startChat(client, 'list', { folder: join(desk.home, folder) }));
      expect(failure.code, folder).toBe('forbidden');
    }
  });

  it('include a sample that is made once, may be used, and is left as the person left it', async () => {
    const client = open({ kind: 'electron' });
    const { folder } = await client.call('folder.sample', {});
    for (const [name, text] of Object.entries(SAMPLE_FILES)) {
      expect(readFileSync(join(folder, name), 'utf8')).toBe(text);
    }
    writeFileSync(join(folder, 'plan.txt'), 'mine now');
    rmSync(join(folder, 'members.csv'));
    expect(await client.call('folder.sample', {})).toEqual({ folder });
    expect(await client.call('folder.recent', {})).toEqual({ folders: [folder], sample: folder });
    expect(readFileSync(join(folder, 'plan.txt'), 'utf8')).toBe('mine now');
    expect(readdirSync(folder)).not.toContain('members.csv');
    await startChat(client, 'list', { folder });
  });
});

describe('links', () => {
  it('are opened by the door alone, after it was asked', async () => {
    const client = open({ kind: 'electron', answers: [true, false] });
    expect(await client.call('link.open', { url: 'https://example.org/x' })).toEqual({ done: true });
    expect(await client.call('link.open', { url: 'mailto:ada@example.org' })).toEqual({ done: false });
    expect(desk.asked.links.map(({ host }) => host)).toEqual(['example.org', 'ada@example.org']);
  });
  it('that are hostile never reach the door', async ({ annotate }) => {
    const client = open({ kind: 'electron', answers: HOSTILE_LINKS.map(() => true) });
    const codes = await Promise.all(
      HOSTILE_LINKS.filter((url) => url.length <= 4096).map(
        async (url) => (await failureOf(client.call('link.open', { url }))).code,
      ),
    );
    expect(new Set(codes)).toEqual(new Set(['forbidden']));
    expect(desk.asked.links).toEqual([]);
    await annotate(`hostile addresses: ${codes.length} tried, ${desk.asked.links.length} opened`, 'figures');
  });
  it('are left to the browser on its door', async () => {
    const failure = await failureOf(open().call('link.open', { url: 'https://example.org/x' }));
    expect(failure).toMatchObject({ code: 'forbidden', data: { host: 'example.org' } });
  });
});

describe('profiles', () => {
  const remote = (more: object = {}) => ({
    name: 'Remote',
    provider: 'openai' as const,
    model: 'm',
    endpoint: 'https://models.example/v1',
    key_env: 'SOME_KEY',
    ...more,
  });

  it('that talk to a new place, or send a key there, are asked for outside the page', async () => {
    const client = open({ answers: [false, true] });
    expect((await failureOf(client.call('profiles.save', { profile: remote() }))).code).toBe('forbidden');
    expect((await client.call('profiles.list', {})).profiles.map(({ profile }) => profile.name)).toEqual([
      'Practice',
    ]);
    let changed = 0;
    client.on('profiles.changed', () => changed++);
    expect(await client.call('profiles.save', { profile: remote() })).toEqual({ done: true });
    expect(desk.asked.questions.length).toBe(2);
    expect(desk.asked.questions[1]).toMatchObject({ message: 'Let Holdfast talk to models.example?' });
    expect(desk.asked.questions[1]?.detail).toContain('SOME_KEY');
    // What was agreed to once is not asked again, another key or another place is.
    await client.call('profiles.save', { profile: remote({ model: 'm2' }), was: 'Remote' });
    expect(desk.asked.questions.length).toBe(2);
    for (const other of [
      remote({ name: 'B', key_env: 'AWS_SECRET_ACCESS_KEY' }),
      remote({ name: 'C', endpoint: 'https://evil.example/v1' }),
      remote({ name: 'D', endpoint: 'http://models.example/v1' }),
      remote({ name: 'E', endpoint: 'https://models.example:8443/v1' }),
      { name: 'F', provider: 'openai', model: 'm', key_env: 'AWS_SECRET_ACCESS_KEY' } as const,
      { name: 'G', provider: 'anthropic', model: 'm', endpoint: 'https://evil.example' } as const,
      {
        name: 'H',
        provider: 'openai',
        model: 'm',
        endpoint: 'http://127.0.0.1:9/v1',
        key_env: 'OPENAI_API_KEY',
      } as const,
    ]) {
      expect((await failureOf(client.call('profiles.save', { profile: other }))).code, other.name).toBe(
        'forbidden',
      );
    }
    expect(desk.asked.questions.length).toBe(9);
    expect(changed).toBe(2);
    const listed = await client.call('profiles.list', {});
    expect(listed.profiles.map(({ profile }) => profile.name)).toEqual(['Practice', 'Remote']);
    expect(listed.profiles[1]?.problem).toContain('SOME_KEY');
    await client.call('profiles.remove', { name: 'Remote' });
    expect((await client.call('profiles.list', {})).profiles.length).toBe(1);
  });

  it('of the services themselves, of this machine and of the Practice model need no question', async () => {
    const client = open();
    for (const profile of [
      { name: 'A', provider: 'anthropic', model: 'm' } as const,
      { name: 'O', provider: 'openai', model: 'm' } as const,
      { name: 'L', provider: 'openai', model: 'm', endpoint: 'http://127.0.0.1:11434/v1' } as const,
      { name: 'P', provider: 'practice', model: 'practice-1' } as const,
    ]) {
      await client.call('profiles.save', { profile });
    }
    expect(desk.asked.questions).toEqual([]);
  });

  it('send no key anywhere to list models, unless that was asked for', async () => {
    const client = open({ env: { SOME_KEY: 'sk-secret-key' } });
    const asked = { provider: 'openai', endpoint: 'https://models.invalid/v1', key_env: 'SOME_KEY' } as const;
    expect((await failureOf(client.call('profiles.models', asked))).code).toBe('forbidden');
    for (const endpoint of ['file:///etc/passwd', 'nonsense', 'ftp://x']) {
      const failure = await failureOf(client.call('profiles.models', { provider: 'openai', endpoint }));
      expect(failure.code).toBe('bad_request');
    }
    expect(await client.call('profiles.models', { provider: 'practice' })).toEqual({
      models: ['practice-1'],
    });
  });

  it('of a file that a person wrote are used without a question, and a broken file is told and left alone', async () => {
    const client = open({ env: { SOME_KEY: 'k' } });
    mkdirSync(join(desk.home, 'config'), { recursive: true });
    const file = join(desk.home, 'config', 'profiles.yaml');
    writeFileSync(
      file,
      'profiles:\n  - name: Mine\n    provider: openai\n    model: m\n    endpoint: https://mine.example/v1\n    key_env: SOME_KEY\n',
    );
    const listed = await client.call('profiles.list', {});
    expect(listed.profiles[1]).toMatchObject({ profile: { name: 'Mine' }, builtIn: false, problem: '' });
    await client.call('profiles.save', {
      profile: profileSchema.parse({
        name: 'Mine',
        provider: 'openai',
        model: 'n',
        endpoint: 'https://mine.example/v1',
        key_env: 'SOME_KEY',
      }),
    });
    expect(desk.asked.questions).toEqual([]);
    writeFileSync(file, 'profiles: [');
    const broken = await client.call('profiles.list', {});
    expect(broken.problem).toMatchObject({
      code: 'settings_broken',
      message: expect.stringContaining('line 1, column 12: a list that begins with "[" is not closed'),
      todo: expect.stringContaining(file),
      data: { line: 1, column: 12, details: expect.stringContaining('Flow sequence') },
    });
    expect(broken.profiles.map(({ profile }) => profile.name)).toEqual(['Practice']);
    expect((await failureOf(startChat(client, 'x', { profile: 'Mine' }))).code).toBe('settings_broken');
    expect((await failureOf(startChat(client, 'x', { profile: 'No such' }))).code).toBe('settings_broken');
    expect(readFileSync(file, 'utf8')).toBe('profiles: [');
  });
});
