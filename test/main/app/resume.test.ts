import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeDesk, Shown, startChat, type Desk } from '../../support/app';
import { failureOf, until } from '../../support/wait';

process.env.HOLDFAST_PRACTICE_DELAY = '0';
let desk: Desk;
const others: Desk[] = [];
beforeEach(() => {
  desk = makeDesk();
  mkdirSync(join(desk.home, 'config'), { recursive: true });
});
afterEach(async () => {
  for (const each of [...others.splice(0), desk]) {
    expect(each.bugs).toEqual([]);
    await each.close();
  }
});

const profiles = (text: string) => writeFileSync(join(desk.home, 'config', 'profiles.yaml'), text);
const one = (model: string, prompt: string) =>
  `profiles:\n  - name: Work\n    provider: practice\n    model: ${model}\n    system_prompt: ${prompt}\n    tools: [list_files, read_file, append_file]\n`;
const choice = { profile: 'Work', force: false, acceptEndpoint: false, unknown: [] };

/** The same store in a process that never saw the run: a new app over the same files. */
function afterRestart(): Desk {
  const next = makeDesk({ home: desk.home });
  others.push(next);
  return next;
}

describe('resume behind the contract', () => {
  it('refuses drift, shows it field by field, goes on when forced, and does not ask again', async () => {
    profiles(one('practice-1', 'Be brief.'));
    const first = desk.window();
    const { id, shown } = await startChat(first, 'list', { profile: 'Work', folder: desk.folder });
    await shown.status('your_turn');
    await desk.app.close();

    profiles(one('practice-1', 'Be long.'));
    const client = afterRestart().window();
    const view = await client.call('run.preflight', { id });
    expect(view).toMatchObject({ ok: false, profile: 'Work', next: 'input', folder: desk.folder });
    expect(view.diff.filter((field) => field.changed).map((field) => field.field)).toEqual(['system_hash']);
    expect(view.texts).toEqual({ prompt: { recorded: 'Be brief.', current: 'Be long.' } });
    expect(view.gates.map(({ gate, outcome }) => `${gate} ${outcome}`)).toEqual([
      'completed pass',
      'interactivity pass',
      'provider pass',
      'drift refuse',
    ]);
    expect(view.matching).toEqual([]);
    const say = { id, text: 'list again' };
    expect((await failureOf(client.call('run.say', say))).code).toBe('drift');
    expect((await failureOf(client.call('run.resume', { id, ...choice, say: 'list again' }))).code).toBe(
      'drift',
    );
    const watched = await new Shown(client, id).status('your_turn');
    await client.call('run.resume', { id, ...choice, force: true, say: 'list again' });
    await until(() => watched.head?.phase === 'idle' && watched.list().length > 4);
    const seam = watched.list().find((item) => item.kind === 'seam');
    expect(seam).toMatchObject({ forced: true, changed: [{ field: 'system_hash' }] });
    const order = watched.list().map((item) => item.kind);
    expect(order.indexOf('seam')).toBe(order.lastIndexOf('prompt') - 1);
    await others[0]?.app.close();

    const again = afterRestart().window();
    expect(await again.call('run.preflight', { id })).toMatchObject({ ok: true, matching: ['Work'] });
    await again.call('run.say', say);
    const shownAgain = await new Shown(again, id).status('your_turn');
    expect(shownAgain.list().filter((item) => item.kind === 'seam').length).toBe(1);
  });

  it('shows the words of changed prompts and tools, by texts that are beside the settings only and can be cleared', async () => {
    profiles(one('practice-1', 'Be brief with zebras.'));
    const first = desk.window();
    const { id, shown } = await startChat(first, 'list', { profile: 'Work', folder: desk.folder });
    await shown.status('your_turn');
    const versions = join(desk.home, 'config', 'versions');
    await until(() => readdirSync(versions).length === 2);
    // What was used last comes first in the list.
    await until(async () => (await first.call('profiles.list', {})).profiles[0]?.profile.name === 'Work');
    const { profile } = (await first.call('profiles.list', {})).profiles[0]!;
    const { name, provider, model } = profile;
    // A version that no run used yet is kept as soon as another one takes its place.
    profiles(one('practice-1', 'Be quick.'));
    const save = (system_prompt: string, tools: string[]) =>
      first.call('profiles.save', { profile: { name, provider, model, system_prompt, tools }, was: name });
    await save('Be long.', ['list_files', 'file_stats']);
    expect(readdirSync(versions).length).toBe(3);
    const { texts } = await first.call('run.preflight', { id });
    expect(texts.prompt).toEqual({ recorded: 'Be brief with zebras.', current: 'Be long.' });
    expect(texts.tools?.recorded?.map((tool) => tool.name)).toEqual([
      'list_files',
      'read_file',
      'append_file',
    ]);
    expect(texts.tools?.current.map((tool) => tool.name)).toEqual(['list_files', 'file_stats']);
    expect(texts.tools?.current[0]?.description).toMatch(/\w/);
    const stored = readdirSync(join(desk.home, 'runs'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
      .join();
    expect(stored).not.toContain('zebras');
    expect(await first.call('profiles.versions', {})).toMatchObject({ versions: 3, folder: versions });
    await first.call('profiles.forget', {});
    expect(await first.call('profiles.versions', {})).toMatchObject({ versions: 0, bytes: 0 });
    expect((await first.call('run.preflight', { id })).texts.prompt).toEqual({ current: 'Be long.' });
    // A private chat leaves nothing of its profile behind.
    const hidden = await startChat(first, 'list', { profile: 'Work', private: true });
    await hidden.shown.status('your_turn');
    expect((await first.call('profiles.versions', {})).versions).toBe(0);
  });

  it('finds a renamed profile by its settings and names it, and tells what is missing before anything runs', async () => {
    profiles(one('practice-1', 'Be brief.'));
    const work = join(desk.home, 'work');
    mkdirSync(work);
    const { id, shown } = await startChat(desk.window(), 'list', { profile: 'Work', folder: work });
    await shown.status('your_turn');
    await desk.app.close();
    profiles(one('practice-1', 'Be brief.').replace('name: Work', 'name: Job'));
    rmdirSync(work);
    const client = afterRestart().window();
    const view = await client.call('run.preflight', { id });
    expect(view).toMatchObject({ ok: true, profile: 'Job', matching: ['Job'], gone: 'Work' });
    expect(view.missing.map(({ code }) => code)).toEqual(['not_found']);
    expect(view.missing[0]?.message).toContain(work);
    mkdirSync(work);
    profiles(one('practice-1', 'Be long.').replace('name: Work', 'name: Other'));
    expect(await client.call('run.preflight', { id })).toMatchObject({ gone: 'Work', matching: [] });
  });

  it('offers a profile that matches first, and takes it when none is named', async () => {
    profiles(one('practice-1', 'Be brief.'));
    const { id, shown } = await startChat(desk.window(), 'list', { profile: 'Work', folder: desk.folder });
    await shown.status('your_turn');
    await desk.app.close();
    profiles(
      `${one('practice-1', 'Be long.')}  - name: Old work\n    provider: practice\n    model: practice-1\n    system_prompt: Be brief.\n    tools: [list_files, read_file, append_file]\n`,
    );
    const client = afterRestart().window();
    expect(await client.call('run.preflight', { id })).toMatchObject({ ok: false, matching: ['Old work'] });
    expect(await client.call('run.preflight', { id, profile: 'Old work' })).toMatchObject({ ok: true });
    expect((await failureOf(client.call('run.preflight', { id, profile: 'None' }))).code).toBe(
      'profile_unknown',
    );
    await client.call('run.resume', { id, ...choice, profile: 'Old work', say: 'list again' });
    await new Shown(client, id).status('your_turn');
  });

  it('shows the model that was accepted in the list, also after a restart, and the recorded one when that is back', async () => {
    profiles(one('practice-1', 'Be brief.'));
    const first = desk.window();
    const { id, shown } = await startChat(first, 'list', { profile: 'Work', folder: desk.folder });
    await shown.status('your_turn');
    await desk.app.close();
    for (const model of ['practice-2', 'practice-3', 'practice-1']) {
      profiles(one(model, 'Be brief.'));
      const again = afterRestart();
      const client = again.window();
      const listed = async () => (await client.call('library.page', { offset: 0, limit: 1 })).rows[0]?.model;
      await client.call('run.resume', { id, ...choice, force: true, say: 'list again' });
      await until(async () => (await listed()) === model);
      const watched = await new Shown(client, id).status('your_turn');
      expect(watched.head?.row.model).toBe(model);
      await again.app.close();
      const later = afterRestart().window();
      expect((await later.call('library.page', { offset: 0, limit: 1 })).rows[0]?.model).toBe(model);
    }
  });

  it('never goes on with another provider, forced or not', async () => {
    profiles(one('practice-1', 'Be brief.'));
    const { id, shown } = await startChat(desk.window(), 'list', { profile: 'Work', folder: desk.folder });
    await shown.status('your_turn');
    await desk.app.close();
    profiles(one('gpt', 'Be brief.').replace('provider: practice', 'provider: openai'));
    const client = afterRestart().window();
    const view = await client.call('run.preflight', { id });
    expect(view.gates.find((gate) => gate.gate === 'provider')?.outcome).toBe('refuse');
    const forced = client.call('run.resume', { id, ...choice, force: true, acceptEndpoint: true, say: 'x' });
    expect((await failureOf(forced)).code).toBe('provider_changed');
  });

  it('asks about a tool whose outcome nobody knows, and goes on as it was told', async () => {
    profiles(one('practice-1', 'Be brief.'));
    const client = desk.window();
    const { id, shown } = await startChat(client, 'append log.txt: a line', {
      profile: 'Work',
      folder: desk.folder,
    });
    await shown.status('waiting');
    const path = join(desk.home, 'runs', `${id}.json`);
    const aux = join(desk.home, 'runs', `${id}.aux.jsonl`);
    const call = shown.call('append_file');
    const before = { journal: readFileSync(path), aux: readFileSync(aux) };
    await client.call('run.approve', { id, hash: shown.head?.approval?.hash ?? '', decision: 'once' });
    await shown.status('your_turn');
    await desk.app.close();
    // What a crash right after the tool began leaves: its intent, and no result.
    const intent = readFileSync(aux, 'utf8')
      .split('\n')
      .find((line) => line.includes('"intent"'));
    writeFileSync(path, before.journal);
    writeFileSync(aux, before.aux);
    appendFileSync(aux, `${intent}\n`);

    const next = afterRestart();
    const window = next.window();
    const stored = await new Shown(window, id).status('interrupted');
    expect(stored.call('append_file')).toMatchObject({ state: 'unknown', changes: true });
    const view = await window.call('run.preflight', { id });
    expect(view.unknown).toMatchObject([
      { tool: 'append_file', fate: 'unknown', toolUseId: call?.toolUseId },
    ]);
    expect((await failureOf(window.call('run.resume', { id, ...choice }))).code).toBe('unknown_outcome');
    expect(readFileSync(join(desk.folder, 'log.txt'), 'utf8')).toBe('a line\n');
    await window.call('run.resume', {
      id,
      ...choice,
      unknown: [{ toolUseId: call?.toolUseId ?? '', decision: 'happened', words: 'The line is there.' }],
    });
    await stored.status('your_turn');
    expect(readFileSync(join(desk.folder, 'log.txt'), 'utf8')).toBe('a line\n');
    expect(stored.call('append_file')?.result?.text).toContain('The line is there.');
  });

  it('refuses a folder that nobody chose, but takes the one that the run works in', async () => {
    const { id, shown } = await startChat(desk.window(), 'list', { folder: desk.folder });
    await shown.status('your_turn');
    await desk.app.close();
    const next = makeDesk({ home: desk.home, kind: 'electron' });
    others.push(next);
    writeFileSync(join(desk.home, 'state', 'folders.json'), '{"folders":[]}');
    const client = next.window();
    const practice = { ...choice, profile: 'Practice', say: 'list' };
    for (const folder of ['/etc', desk.home]) {
      expect((await failureOf(client.call('run.resume', { id, ...practice, folder }))).code).toBe(
        'forbidden',
      );
      expect((await failureOf(client.call('run.preflight', { id, folder }))).code).toBe('forbidden');
    }
    await client.call('run.resume', { id, ...practice, folder: desk.folder });
    await new Shown(client, id).status('your_turn');
  });

  it('is done once, however often it is asked for at the same time', async () => {
    const { id, shown } = await startChat(desk.window(), 'say one');
    await shown.status('your_turn');
    await desk.app.close();
    const client = afterRestart().window();
    const practice = { ...choice, profile: 'Practice', say: 'say two' };
    const results = await Promise.allSettled(
      [1, 2, 3].map(() => client.call('run.resume', { id, ...practice })),
    );
    expect(results.filter((result) => result.status === 'fulfilled').length).toBe(1);
    const after = await new Shown(client, id).status('your_turn');
    await until(() => after.list().filter((item) => item.kind === 'prompt').length === 2);
  });
});

describe('a conversation that became too long', () => {
  it('goes on in a new run that begins with an excerpt and knows where it came from', async () => {
    const client = desk.window();
    const { id, shown } = await startChat(client, 'say plums are blue', { folder: desk.folder });
    await shown.status('your_turn');
    await client.call('run.say', { id, text: 'fail with context' });
    await until(() => shown.head?.failure?.code === 'model_context');
    const before = readFileSync(join(desk.home, 'runs', `${id}.json`));

    const next = await client.call('run.continue', { id });
    expect(next.id).not.toBe(id);
    const fresh = await new Shown(client, next.id).status('your_turn');
    const first = fresh.list()[0];
    expect(first).toMatchObject({ kind: 'prompt' });
    expect(JSON.stringify(first)).toContain('plums are blue');
    expect(fresh.head?.folder).toBe(shown.head?.folder);
    const notes = readFileSync(join(desk.home, 'runs', `${next.id}.aux.jsonl`), 'utf8');
    const lineage = notes.split('\n').filter((line) => line.includes('"lineage"'));
    expect(lineage.map((line) => JSON.parse(line))).toMatchObject([{ from: id, why: 'continue' }]);
    // It goes by the title of the run that it came from, which is named by its title too.
    await until(() => fresh.head?.row.title === 'say plums are blue (continued)');
    await until(async () => {
      const { head } = await client.call('run.watch', { id: next.id });
      return head.origin?.from === id && head.origin.title === 'say plums are blue';
    });
    expect(readFileSync(join(desk.home, 'runs', `${id}.json`)).equals(before)).toBe(true);
  });

  it('does not send its words to an address that nobody was asked about', async () => {
    const at = (endpoint: string) =>
      profiles(
        `profiles:\n  - name: Work\n    provider: openai\n    model: m\n    endpoint: ${endpoint}\n    tools: []\n`,
      );
    at('http://127.0.0.1:9/v1');
    const client = desk.window();
    const { id, shown } = await startChat(client, 'hello', { profile: 'Work' });
    await until(() => shown.head?.failure !== undefined);
    at('http://127.0.0.1:10/v1');
    expect((await failureOf(client.call('run.continue', { id }))).code).toBe('endpoint_changed');
  });

  it('goes on with another kind of service in a new run, with the profile that was chosen', async () => {
    const both = (kind: string) =>
      profiles(
        `profiles:\n  - name: Local\n    provider: openai\n    model: m\n    endpoint: http://127.0.0.1:9/v1\n    tools: []\n${one('practice-1', kind).replace('profiles:\n', '')}`,
      );
    both('Be brief.');
    const client = desk.window();
    const { id, shown } = await startChat(client, 'say plums are blue', {
      profile: 'Work',
      folder: desk.folder,
    });
    await shown.status('your_turn');
    const view = await client.call('run.preflight', { id, profile: 'Local' });
    expect(view.gates.find(({ gate }) => gate === 'provider')?.outcome).toBe('refuse');
    const next = await client.call('run.continue', { id, profile: 'Local', acceptEndpoint: true });
    const fresh = new Shown(client, next.id);
    await until(() => fresh.head?.failure !== undefined);
    expect(fresh.head).toMatchObject({ profile: 'Local', row: { provider: 'openai', model: 'm' } });
    const text = fresh.texts().join();
    expect(text).toContain('plums are blue');
    expect(text).toContain('another model service');
    expect(text).not.toContain('too long');
  });
});
