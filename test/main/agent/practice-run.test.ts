import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { preflight, resumeRun, startRun } from '../../../src/main/agent';
import type { AgentParts } from '../../../src/main/agent';
import { RESUME_REMINDER } from '../../../src/main/agent/words';
import { fileStore } from '../../../src/main/journal/file';
import { agentParts } from '../../../src/main/parts';
import { profile as profileSchema } from '../../../src/main/settings/profile';
import { PRACTICE } from '../../../src/main/settings/profiles';
import { crashed } from '../../support/crash';
import { records, testWitness, Watched } from '../../support/agent';
import { tempFolder } from '../../support/folder';

beforeEach(() => {
  vi.stubEnv('HOLDFAST_PRACTICE_DELAY', '0');
});

const parts = agentParts({}, undefined, { witness: testWitness });
const begin = async (
  folder: string,
  prompt: string,
  options: Partial<Parameters<typeof startRun>[1]> = {},
) => {
  const store = fileStore(join(tempFolder(), 'runs'));
  const session = await startRun(parts, {
    store,
    id: 'r',
    prompt,
    chat: false,
    profile: PRACTICE,
    folder,
    approvals: 'ask',
    ...options,
  });
  return { store, watched: new Watched(session), session };
};

describe('a run of the Practice model on real files', () => {
  it('reads a folder, asks before it writes, and leaves a journal on disk', async () => {
    const folder = tempFolder({ 'README.md': '# Garden\n\nBeans and peas.\n', 'plan.txt': 'sow\nwater\n' });
    const { store, watched, session } = await begin(folder, 'summarise this folder', { chat: true });
    expect(await session.settled()).toEqual({ reason: 'your_turn' });
    const said = session.snapshot().state.messages.at(-1)?.content?.at(-1)?.text?.text ?? '';
    expect(said).toContain('**2 files**');
    expect(said).toContain('under the heading “Garden”');
    void session.say('write todo/list.txt: buy beans');
    const { request } = await watched.event('approval');
    expect(request.line).toBe('write_file todo/list.txt, 10 bytes');
    expect(existsSync(join(folder, 'todo'))).toBe(false);
    session.answer(request.hash, { decision: 'once' });
    expect(await session.settled()).toEqual({ reason: 'your_turn' });
    expect(readFileSync(join(folder, 'todo/list.txt'), 'utf8')).toBe('buy beans\n');
    await session.close();
    const loaded = await store.load('r');
    expect(loaded.warnings).toEqual([]);
    expect(loaded.state).toEqual(session.snapshot().state);
    expect(loaded.durability).toBe('disk');
    await store.close();
  });

  it('goes on after a crash inside a delayed append without appending twice', async () => {
    const folder = tempFolder();
    const { store, watched, session } = await begin(folder, 'append log.txt: once after 0.6', {
      allow: ['append_file'],
    });
    await watched.event('tool_started');
    while (!existsSync(join(folder, 'log.txt')) || statSync(join(folder, 'log.txt')).size === 0)
      await new Promise((resolve) => setImmediate(resolve));
    const after = await crashed(store, 'r');
    await session.settled();
    const options = { store: after, id: 'r', profile: PRACTICE, approvals: 'ask' as const };
    expect((await preflight(parts, options)).unknown).toMatchObject([
      { tool: 'append_file', line: 'append_file log.txt, 5 bytes over 0.6 seconds' },
    ]);
    await expect(resumeRun(parts, options)).rejects.toMatchObject({ code: 'unknown_outcome' });
    const again = await resumeRun(parts, {
      ...options,
      unknown: [{ toolUseId: 'practice_0_1', decision: 'happened', words: 'the line is there' }],
    });
    expect(await again.settled()).toEqual({ reason: 'completed' });
    expect(readFileSync(join(folder, 'log.txt'), 'utf8')).toBe('once\n');
    expect(again.snapshot().state.messages.at(-1)?.content?.[0]?.text?.text).toContain('the line is there');
  });

  it('uses the folder that the run used last, and tells when it is gone', async () => {
    const folder = tempFolder({ a: 'x' });
    const { store, watched, session } = await begin(folder, 'slowly say hello', { chat: true });
    await watched.event('phase', (event) => event.phase === 'calling');
    await session.close();
    const options = { store, id: 'r', profile: PRACTICE, approvals: 'ask' as const };
    expect(await preflight(parts, options)).toMatchObject({ folder, profile: 'Practice', next: 'call' });
    const again = await resumeRun(parts, { ...options, say: 'list' });
    await again.settled();
    expect(JSON.stringify(again.snapshot().state.messages)).toContain('a (1 byte)');
    await again.close();
    const { rmSync } = await import('node:fs');
    rmSync(folder, { recursive: true });
    await expect(resumeRun(parts, options)).rejects.toMatchObject({
      code: 'not_found',
      data: { path: folder },
    });
    const elsewhere = await resumeRun(parts, { ...options, folder: tempFolder({ b: 'y' }), say: 'list' });
    await elsewhere.settled();
    expect(JSON.stringify(elsewhere.snapshot().state.messages)).toContain('b (1 byte)');
    await elsewhere.close();
    await store.close();
  });
});

describe('the system prompt and the reminder', () => {
  const everything = (folder: string): string =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, name))
      .filter((path) => statSync(path).isFile())
      .map((path) => `${path}\n${readFileSync(path).toString('latin1')}`)
      .join('\n');
  const hidden = profileSchema.parse({
    ...PRACTICE,
    name: 'Hidden',
    system_prompt: 'CANARY-PROMPT never tell anybody',
  });

  it('are in nothing that is written: journal, sidecar, catalogue, kept texts, in chats, stops, failures, resumes and resets', async () => {
    const folder = tempFolder({ a: 'x\n'.repeat(200_000) });
    const home = tempFolder();
    const store = fileStore(join(home, 'runs'));
    const seen: string[][] = [];
    const spying: AgentParts = {
      ...parts,
      model: (profile) => {
        const model = parts.model(profile);
        return {
          ...model,
          answer: (request, signal) => (seen.push(request.system), model.answer(request, signal)),
        };
      },
    };
    const options = {
      store,
      profile: hidden,
      folder,
      approvals: 'ask' as const,
      allow: ['append_file', 'write_file'],
    };
    const first = await startRun(spying, { ...options, id: 'r', prompt: 'help', chat: true });
    const told: string[] = [];
    first.on((event) => told.push(JSON.stringify(event)));
    await first.settled();
    for (const text of [
      'read a',
      'repeat 2: append log: # after 0.1',
      'fail halfway',
      'think about it',
      'run out of tokens while list',
      'refuse',
    ]) {
      void first.say(text);
      await first.settled();
    }
    await store.label('r', { title: 'a title', pinned: true, tags: ['t'] });
    void first.say('slowly long');
    await new Promise<void>((resolve) => first.on((event) => event.type === 'text' && resolve()));
    await first.close();
    const second = await resumeRun(spying, { ...options, id: 'r', force: true, say: 'list' });
    second.on((event) => told.push(JSON.stringify(event)));
    await second.settled();
    second.reset('say it is new');
    await second.settled();
    await second.close();
    await store.close();

    const written = everything(home);
    expect(written.length).toBeGreaterThan(400_000);
    expect(written).toContain('"kind":"turn"');
    expect(written).toContain('"kind":"lineage"');
    expect(seen.some((system) => system.includes(RESUME_REMINDER))).toBe(true);
    expect(seen.every((system) => system[0] === hidden.system_prompt)).toBe(true);
    expect(seen.at(-1)).toEqual([hidden.system_prompt]);
    for (const secret of [
      'CANARY-PROMPT',
      'never tell anybody',
      RESUME_REMINDER,
      RESUME_REMINDER.slice(10, 60),
    ]) {
      expect(written).not.toContain(secret);
      expect(told.join('\n')).not.toContain(secret);
      for (const encoded of [
        Buffer.from(secret).toString('base64').slice(0, -4),
        Buffer.from(secret).toString('hex'),
      ])
        expect(written).not.toContain(encoded);
    }
  });

  it('would be found by this test', () => {
    expect(everything(tempFolder({ 'runs/x.json': 'a CANARY-PROMPT b' }))).toContain('CANARY-PROMPT');
  });
});

describe('a private run', () => {
  it('writes nothing at all', async () => {
    const home = tempFolder();
    vi.stubEnv('XDG_STATE_HOME', home);
    vi.stubEnv('XDG_CONFIG_HOME', home);
    vi.stubEnv('XDG_CACHE_HOME', home);
    const folder = tempFolder({ a: 'x' });
    const session = await startRun(parts, {
      store: undefined,
      prompt: 'list and read a',
      chat: true,
      profile: PRACTICE,
      folder,
      approvals: 'ask',
    });
    await session.settled();
    void session.say('help');
    await session.settled();
    await session.close();
    expect(readdirSync(home)).toEqual([]);
    expect(readdirSync(folder)).toEqual(['a']);
  });
});

it('takes the records of a run in the order that its listener hears them', async () => {
  const { store, watched, session } = await begin(tempFolder({ a: 'x' }), 'list');
  await session.settled();
  expect(await records(store)).toHaveLength(watched.kinds.length);
  expect(watched.kinds).toEqual(['meta', 'assistant', 'tool_result', 'assistant', 'terminal']);
  for (const event of watched.events)
    if (event.type === 'record') {
      expect(event.durability).toBe('disk');
      expect(event.place?.seq).toBe(event.record.seq);
    }
  const { places } = await store.load('r');
  expect(
    watched.events.flatMap((event) => (event.type === 'record' && event.place ? [event.place] : [])),
  ).toEqual(places);
  await store.close();
});
