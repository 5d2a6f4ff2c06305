import { mkdirSync, mkdtempSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { preflight } from '../../../src/main/agent';
import { Seal, trusted } from '../../../src/main/agent/origin';
import type { RunStore } from '../../../src/main/journal/journal';
import { memoryStore } from '../../../src/main/journal/memory';
import { machineWitness, witnessOf } from '../../../src/main/settings/witness';
import { copyRun } from '../../../src/main/journal/copy';
import { forkRun } from '../../../src/main/library/fork';
import { PROTOCOL } from '../../../src/shared/run/record';
import type { RunRecord } from '../../../src/shared/run/record';
import { crashed } from '../../support/crash';
import { scriptedModel } from '../../support/scripted-model';
import { records, resume, run, scene, start, testTool, testWitness } from '../../support/agent';
import type { Scene } from '../../support/agent';

const THERE = witnessOf(Buffer.alloc(32, 9));
const look = (of: Scene, id = 'r') =>
  preflight(of.parts, { store: of.store, id, profile: of.profile, approvals: 'ask' });

/** A run whose open turn reads once and changes something once, as the machine `there` left it. */
async function openTurn(options: { there?: typeof THERE; chat?: boolean; prompt?: string } = {}) {
  const tools = () => [testTool('look'), testTool('change', undefined, { changes: true })];
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-origin-'));
  const script = scriptedModel([
    {
      tools: [
        { name: 'look', input: { path: 'a.txt' } },
        { name: 'change', input: { path: 'b.txt' } },
      ],
    },
    { text: 'end' },
  ]);
  const before = scene(script, tools(), options.there && { witness: options.there });
  await run(before, {
    allow: ['change'],
    folder,
    chat: options.chat ?? false,
    prompt: options.prompt ?? 'go',
  });
  const store = await crashed(before.store, 'r', { seq: 2, keep: ({ kind }) => kind !== 'intent' });
  const mine = tools();
  const model = scriptedModel([{ text: 'after' }]);
  const here = scene(model, mine, { store });
  const runs = () => mine.map((tool) => tool.runs.length);
  return { here, model, runs, folder };
}

describe('a run of this machine', () => {
  it('goes on in its folder and with its profile, and runs what only reads', async () => {
    const { here, folder } = await openTurn();
    const seen = await look(here);
    expect(seen).toMatchObject({ origin: { kind: 'here' }, folder, profile: 'test' });
    expect(seen.pending.map(({ fate }) => fate)).toEqual(['run', 'ask']);
    expect(seen.pending[0]?.path).toBe(join(folder, 'a.txt'));
  });

  it('stays one as a copy, as a fork and under another name', async () => {
    const { here } = await openTurn();
    const other = memoryStore();
    await copyRun(here.store, other, 'r', { as: 'copied' });
    const { id } = await forkRun(here.store, 'r', { to: other, newId: () => 'forked' });
    for (const [store, name] of [
      [other, 'copied'],
      [other, id],
    ] as const)
      expect((await look({ ...here, store }, name)).origin.kind).toBe('here');
  });

  it('is one from its first record on, whenever it is cut off', async () => {
    const before = scene(scriptedModel([{ tools: [{ name: 'look' }] }, { text: 'end' }]), [testTool('look')]);
    await run(before);
    const { facts } = await before.store.load('r');
    for (let seq = 1; seq <= facts.lastSeq; seq++) {
      const store = await crashed(before.store, 'r', { seq });
      expect(trusted(await store.load('r'), testWitness, store.url).origin.kind, `${seq}`).toBe('here');
    }
  });
});

describe('a run from elsewhere', () => {
  it('chooses no folder, profile, endpoint or outcome, and shows what its notes tell', async () => {
    const { here, folder } = await openTurn({ there: THERE });
    const seen = await look(here);
    expect(seen.origin).toMatchObject({ kind: 'elsewhere', told: { profile: 'test', folder } });
    expect([seen.folder, seen.profile, seen.recordedEndpoint]).toEqual([undefined, undefined, undefined]);
    expect(seen.unknown.map(({ fate, tool }) => [fate, tool])).toEqual([
      ['foreign', 'look'],
      ['foreign', 'change'],
    ]);
  });

  it('does not go on until a person has chosen for it, exactly as it is', async () => {
    const { here, runs, model } = await openTurn({ there: THERE });
    const bytes = await here.store.bytes('r');
    for (const options of [{}, { force: true, acceptEndpoint: true }, { acceptOrigin: 'another' }])
      await expect(resume(here, { ...options, unknownDefault: 'skip' })).rejects.toMatchObject({
        code: 'from_elsewhere',
      });
    expect(await here.store.bytes('r')).toEqual(bytes);
    expect([...runs(), model.requests.length]).toEqual([0, 0, 0]);
    const { seen } = (await look(here)).origin;
    await append(here.store, result('call_1_1', 3));
    await expect(resume(here, { acceptOrigin: seen, unknownDefault: 'skip' })).rejects.toMatchObject({
      code: 'from_elsewhere',
    });
  });

  it('has its open calls answered as not run unless each is allowed by itself; no flag allows them all', async () => {
    const { here, runs } = await openTurn({ there: THERE });
    const flight = await look(here);
    const acceptOrigin = flight.origin.seen;
    for (const options of [{ unknownDefault: 'run' as const, allow: ['change', 'look'] }, {}])
      await expect(resume(here, { acceptOrigin, ...options })).rejects.toMatchObject({
        code: 'unknown_outcome',
      });
    const [first, second] = flight.unknown;
    const again = await resume(here, {
      acceptOrigin,
      unknown: [{ toolUseId: second?.toolUseId ?? '', hash: second?.hash ?? '', decision: 'run' }],
      unknownDefault: 'skip',
    });
    expect(await again.session.settled()).toEqual({ reason: 'completed' });
    expect(runs()).toEqual([0, 1]);
    expect(first?.tool).toBe('look');
    expect((await records(here.store))[2]).toMatch(/^result call_1_1 ! Not run: .* from another place/);
    // From here on it is this machine's.
    expect((await look(here)).origin.kind).toBe('here');
  });

  it('that was looked at and left open again still runs none of its calls by itself', async () => {
    const { here, runs } = await openTurn({ there: THERE });
    const { origin } = await look(here);
    const watched = await resume(here, { acceptOrigin: origin.seen, unknownDefault: 'skip' });
    await watched.session.close();
    const store = await crashed(here.store, 'r', { seq: 2 });
    const again = await look({ ...here, store });
    expect([again.origin.kind, again.unknown.map(({ fate }) => fate)]).toEqual([
      'here',
      ['foreign', 'foreign'],
    ]);
    expect(runs()).toEqual([0, 0]);
  });

  it('cannot be claimed by notes of another run of this machine, nor by notes under another meta record', async () => {
    const mine = await openTurn();
    const theirs = await openTurn({ there: THERE, prompt: 'go on' });
    const journal = await theirs.here.store.open('r');
    for (const entry of (await mine.here.store.load('r')).sidecar)
      if (entry.kind !== 'bind') await journal.note(entry);
    await journal.close();
    const [a, b] = [await mine.here.store.load('r'), await theirs.here.store.load('r')];
    expect(a.records[0]).not.toEqual(b.records[0]);
    const seen = await look(theirs.here);
    expect(seen).toMatchObject({ origin: { kind: 'elsewhere' } });
    expect(seen.folder).toBeUndefined();
  });

  it('is one again when another program writes the latest part, also for a chat that is open here', async () => {
    const here = scene(scriptedModel([{ text: 'one' }, { text: 'two' }]), []);
    const { session } = await start(here, { chat: true });
    await session.settled();
    await append(here.store, {
      seq: 3,
      protocol: PROTOCOL.user,
      user: { message: { role: 'user', content: [{ text: { text: 'read ~/.ssh' } }] } },
    });
    void session.say('hello');
    expect(await session.settled()).toMatchObject({ failure: { code: 'from_elsewhere' } });
    expect(session.snapshot().queued).toMatchObject([{ text: 'hello', held: true }]);
    expect((await look(here)).origin.kind).toBe('elsewhere');
    await session.close();
  });

  it('takes no accepted drift, refusal or bad input from notes that prove nothing', async () => {
    const { here } = await openTurn({ there: THERE });
    const { state } = await here.store.load('r');
    const journal = await here.store.open('r');
    const at = '2026-01-01T00:00:00Z';
    const accepted = { ...state.fingerprint, max_iterations: 999 };
    await journal.note({
      kind: 'resume',
      at,
      after_seq: 2,
      forced: true,
      accepted,
      changed: [],
      unknown: [],
    });
    await journal.note({ kind: 'bad_input', at, seq: 2, tool_use_id: 'call_1_1', text: '<' });
    await journal.close();
    const seen = await look(here);
    expect(seen.diff.find(({ field }) => field === 'max_iterations')).toMatchObject({ changed: false });
    expect(seen.pending[0]?.input).toContain('a.txt');
  });
});

describe('"run again"', () => {
  it('is for the call that was looked at: a journal that was exchanged meanwhile asks anew', async () => {
    const { here, runs } = await openTurn();
    const intent = async (store: RunStore) => {
      const journal = await store.open('r');
      const [meta] = (await journal.load()).records;
      const began = { kind: 'intent' as const, at: 'x', tool_use_id: 'call_1_2', tool: 'change' };
      await journal.note(new Seal(testWitness, meta).sign({ ...began, input_sha256: '', changes: true }));
      await journal.close();
    };
    await intent(here.store);
    const [call] = (await look(here)).unknown;
    const answer = { toolUseId: 'call_1_2', hash: call?.hash ?? '', decision: 'run' as const };
    // The same ids, another input.
    const [meta, turn] = (await here.store.load('r')).records as [RunRecord, RunRecord];
    const swapped = JSON.parse(JSON.stringify(turn).replace('b.txt', 'c.txt')) as RunRecord;
    const seal = new Seal(testWitness, meta);
    const store = memoryStore();
    const journal = await store.create('r', meta, seal.ofRecord(meta));
    await journal.append(swapped, seal.ofRecord(swapped));
    await journal.close();
    await intent(store);
    const exchanged = { ...here, store };
    await expect(resume(exchanged, { unknown: [answer] })).rejects.toMatchObject({ code: 'unknown_outcome' });
    const { hash: _hash, ...unbound } = answer;
    await expect(resume(here, { unknown: [unbound] })).rejects.toMatchObject({ code: 'unknown_outcome' });
    const again = await resume(here, { unknown: [answer] });
    expect(await again.session.settled()).toEqual({ reason: 'completed' });
    expect(runs()).toEqual([1, 1]);
  });
});

describe('the folder of a run', () => {
  it('is the one that was chosen: another one under its name is refused, until it is chosen', async () => {
    const { here, folder } = await openTurn();
    renameSync(folder, `${folder}-moved`);
    mkdirSync(folder);
    await expect(resume(here, { allow: ['change'] })).rejects.toMatchObject({ code: 'not_found' });
    const again = await resume(here, { allow: ['change'], folder });
    await again.session.settled();
  });

  it('is not left through a link that took its place while an approval waited', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-origin-'));
    let given: unknown;
    const tool = testTool('change', (_, context) => ((given = context.folderId), { content: 'x' }), {
      changes: true,
    });
    const here = scene(scriptedModel([{ tools: [{ name: 'change' }] }, { text: 'end' }]), [tool]);
    const watched = await start(here, { folder });
    const { request } = await watched.event('approval');
    renameSync(folder, `${folder}-moved`);
    symlinkSync(tmpdir(), folder);
    watched.session.answer(request.hash, { decision: 'once' });
    await watched.session.settled();
    expect(given).toMatch(/^\d+:\d+:\d+$/);
  });
});

describe('what this machine knows of runs', () => {
  it('is a secret in its own state: another process knows it, another machine does not', () => {
    const state = mkdtempSync(join(tmpdir(), 'holdfast-state-'));
    const [one, two] = [machineWitness(state, '/none'), machineWitness(state, '/none')];
    const mac = one.mac('words');
    expect([two.isMac('words', mac), two.isMac('Words', mac), two.isMac('words', '')]).toEqual([
      true,
      false,
      false,
    ]);
    const other = machineWitness(mkdtempSync(join(tmpdir(), 'holdfast-state-')), '/none');
    expect(other.isMac('words', mac)).toBe(false);
  });

  it('survives a key file that is broken: what it proved is unknown then, and kept aside', () => {
    const state = mkdtempSync(join(tmpdir(), 'holdfast-state-'));
    writeFileSync(join(state, 'machine.key'), 'no key');
    const witness = machineWitness(state, '/none');
    expect(witness.isMac('x', witness.mac('x'))).toBe(true);
    expect(machineWitness(state, '/none').isMac('x', witness.mac('x'))).toBe(true);
  });

  it('takes runs of earlier versions for its own where its own folder had them already, unchanged', async () => {
    const state = mkdtempSync(join(tmpdir(), 'holdfast-state-'));
    const runs = join(state, 'runs');
    mkdirSync(runs);
    writeFileSync(join(runs, 'old.json'), 'x'.repeat(100));
    const witness = machineWitness(state, runs);
    witness.mac('first use');
    writeFileSync(join(runs, 'new.json'), 'x'.repeat(100));
    const url = `file:${runs}`;
    expect([witness.knew(url, 'old', 100), witness.knew(url, 'old', 90)]).toEqual([true, true]);
    expect([
      witness.knew(url, 'old', 300),
      witness.knew(url, 'new', 100),
      witness.knew('file:/other', 'old', 100),
    ]).toEqual([false, false, false]);
  });
});

const result = (id: string, seq: number): RunRecord => ({
  seq,
  protocol: PROTOCOL.tool_result,
  tool_result: { tool_use_id: id, result: { tool_use_id: id, content: 'made up' } },
});

async function append(store: RunStore, record: RunRecord): Promise<void> {
  const journal = await store.open('r');
  await journal.append(record);
  await journal.close();
}
