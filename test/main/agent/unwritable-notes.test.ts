import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { preflight } from '../../../src/main/agent';
import { fileStore } from '../../../src/main/journal/file';
import { nodeVfs } from '../../../src/main/journal/file/vfs';
import type { Vfs } from '../../../src/main/journal/file/vfs';
import { tempFolder } from '../../support/folder';
import { resume, scene, start, testTool } from '../../support/agent';
import type { Scene } from '../../support/agent';
import { scriptedModel } from '../../support/scripted-model';

const NOTES = '.aux.jsonl';
/** Root may write what is read-only, so the file layer says it. */
const readOnlyNotes: Vfs = {
  ...nodeVfs,
  open: async (path, flags) => {
    if (!path.endsWith(NOTES)) return nodeVfs.open(path, flags);
    throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
  },
};

const CALLS = ['call_1', 'call_2', 'call_3'];
const script = [{ tools: CALLS.map((id) => ({ id, name: 'change', input: { call: id } })) }];

/** A run that was killed after its first of three calls, before the second began; its folder. */
async function killedAfterOne(): Promise<string> {
  const [folder, left] = [tempFolder(), tempFolder()];
  const tool = testTool('change', () => ({ content: 'changed' }), { changes: true });
  const place = scene(scriptedModel([...script, { text: 'end' }]), [tool], { store: fileStore(folder) });
  const watched = await start(place, { allow: ['change'] });
  watched.session.on((event) => {
    if (event.type === 'record' && event.record.seq === 3) cpSync(folder, left, { recursive: true });
  });
  await watched.session.settled();
  await place.store.close();
  return left;
}

/** The same folder in another process, with its own eyes. */
const placeIn = (folder: string, effect: (call: string) => void, vfs?: Vfs): Scene =>
  scene(
    scriptedModel([{ text: 'end' }]),
    [
      testTool(
        'change',
        (input) => {
          effect((input as { call: string }).call);
          return { content: 'changed' };
        },
        { changes: true },
      ),
    ],
    { store: fileStore(folder, vfs ? { vfs } : {}) },
  );

const look = (place: Scene) =>
  preflight(place.parts, { ...place, id: 'r', approvals: 'ask', allow: ['change'] });

describe('Notes that cannot be written', () => {
  it('because they are read-only stop no resume; at each kill the call that had begun is asked about', async () => {
    const folder = await killedAfterOne();
    const kills: { call: string; when: string; left: string }[] = [];
    const kill = (call: string, when: string): void => {
      const left = tempFolder();
      cpSync(folder, left, { recursive: true });
      kills.push({ call, when, left });
    };
    const ran: string[] = [];
    const place = placeIn(
      folder,
      (call) => {
        kill(call, 'before the effect');
        ran.push(call);
        kill(call, 'after the effect');
      },
      readOnlyNotes,
    );
    const watched = await resume(place, { allow: ['change'] });
    expect(await watched.session.settled()).toEqual({ reason: 'completed' });
    expect(ran).toEqual(['call_2', 'call_3']);
    expect(watched.warnings).toEqual(['notes_unwritable']);
    await place.store.close();
    expect((await fileStore(folder).load('r')).state.completed).toBe(true);

    expect(kills).toHaveLength(4);
    for (const { call, when, left } of kills) {
      const seen = placeIn(left, () => undefined);
      const { pending } = await look(seen);
      const fate = pending.find(({ toolUseId }) => toolUseId === call)?.fate;
      expect(['unknown', 'foreign'], `${call} ${when}`).toContain(fate);
      await seen.store.close();
    }
  });

  it('because a folder has their place are asked about as missing ones are, and then go on', async () => {
    const folder = await killedAfterOne();
    const missing = tempFolder();
    cpSync(folder, missing, { recursive: true });
    rmSync(join(missing, `r${NOTES}`));
    rmSync(join(folder, `r${NOTES}`));
    mkdirSync(join(folder, `r${NOTES}`));

    const ran: string[] = [];
    const place = placeIn(folder, (call) => ran.push(call));
    const seen = await look(place);
    expect({ ...seen, origin: seen.origin.kind }).toEqual({
      ...(await look(placeIn(missing, () => undefined))),
      origin: seen.origin.kind,
    });
    const open = seen.unknown.map(({ toolUseId }) => toolUseId);
    expect(open).toEqual(['call_2', 'call_3']);
    const answers = seen.unknown.map(({ toolUseId, hash }) => ({
      toolUseId,
      hash,
      decision: toolUseId === 'call_2' ? ('skip' as const) : ('run' as const),
    }));
    const watched = await resume(place, {
      acceptOrigin: seen.origin.seen,
      acceptEndpoint: true,
      allow: ['change'],
      unknown: answers,
    });
    expect(await watched.session.settled()).toEqual({ reason: 'completed' });
    expect(ran).toEqual(['call_3']);
    expect(watched.warnings).toEqual(['notes_unwritable']);
    await place.store.close();
  });

  it('let no call begin where nothing else could tell of it later', async () => {
    const folder = await killedAfterOne();
    const ran: string[] = [];
    const place = placeIn(folder, (call) => ran.push(call), {
      ...readOnlyNotes,
      open: async (path, flags) => {
        if (!path.includes('.began')) return readOnlyNotes.open(path, flags);
        throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
      },
    });
    const watched = await resume(place, { allow: ['change'] });
    expect(await watched.session.settled()).toMatchObject({ failure: { code: 'journaling' } });
    expect(ran).toEqual([]);
    await place.store.close();
  });

  it('let a chat go on after its rest, as this session left it', async () => {
    const folder = tempFolder();
    const first = scene(scriptedModel([{ text: 'one' }]), [], { store: fileStore(folder) });
    const begun = await start(first, { chat: true });
    await begun.session.settled();
    await begun.session.close();
    await first.store.close();
    const place = scene(scriptedModel([{ text: 'two' }, { text: 'three' }]), [], {
      store: fileStore(folder, { vfs: readOnlyNotes }),
    });
    const watched = await resume(place, { say: 'more' });
    expect(await watched.session.settled()).toMatchObject({ reason: 'your_turn' });
    expect(await watched.session.say('and more')).toBe(true);
    expect(await watched.session.settled()).toMatchObject({ reason: 'your_turn' });
    expect(watched.session.snapshot().state.messages.at(-1)?.content?.[0]?.text?.text).toBe('three');
    await watched.session.close();
    await place.store.close();
  });
});
