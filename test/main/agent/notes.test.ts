import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { preflight } from '../../../src/main/agent';
import { runConfig } from '../../../src/main/agent/config';
import { inspect } from '../../../src/main/agent/inspect';
import { fileStore } from '../../../src/main/journal/file';
import { proofOf } from '../../../src/main/journal/proof';
import { loadedRun, readRun } from '../../../src/main/journal/read';
import { metaSha256, readSidecar } from '../../../src/main/journal/sidecar';
import { decodeSlip } from '../../../src/main/journal/slip';
import { resume, scene, start, testTool } from '../../support/agent';
import type { Scene } from '../../support/agent';
import { scriptedModel } from '../../support/scripted-model';
import type { ScriptStep } from '../../support/scripted-model';
import { soak } from '../../support/prerequisites';
import { Seeded } from '../../support/seeded';
import { storeFolder } from '../../support/store-folder';
import type { StoreFolder } from '../../support/store-folder';

let folder: StoreFolder;
beforeEach(() => void (folder = storeFolder()));
afterEach(() => folder.remove());

/** The files of a run at one moment, as a kill leaves them, and what had begun then without a result. */
interface Moment {
  when: string;
  journal: Buffer;
  notes: Buffer | undefined;
  began: Buffer | undefined;
  begun: ReadonlySet<string>;
}

const file = (name: string): Buffer | undefined => {
  try {
    return readFileSync(folder.of(name));
  } catch {
    return undefined;
  }
};

/** A chat of two turns with calls that change something, and every moment of it. */
async function lived(id = 'r', prompt = 'go'): Promise<{ moments: Moment[]; place: Scene }> {
  const moments: Moment[] = [];
  const begun = new Set<string>();
  const take = (when: string): void => {
    const journal = file(`${id}.json`);
    if (journal === undefined) return;
    const [notes, began] = [file(`${id}.aux.jsonl`), file(`${id}.began`)];
    moments.push({ when, journal, notes, began, begun: new Set(begun) });
  };
  const change = (input: unknown): { content: string } => {
    const { call } = input as { call: string };
    take(`before the effect of ${call}`);
    begun.add(call);
    take(`after the effect of ${call}`);
    return { content: 'changed' };
  };
  const tools = [testTool('look'), testTool('change', change, { changes: true })];
  const calls = (turn: number): ScriptStep => ({
    tools: [1, 2, 3].map((n) => {
      const call = `call_${turn}_${n}`;
      return { id: call, name: n === 2 ? 'look' : 'change', input: { call } };
    }),
  });
  const place = scene(scriptedModel([calls(1), calls(2), { text: 'done' }]), tools, {
    store: fileStore(folder.path),
  });
  const watching = await start(place, { id, prompt, chat: true });
  watching.session.on((event) => {
    if (event.type === 'record' && event.record.tool_result)
      begun.delete(event.record.tool_result.result.tool_use_id);
    if (event.type === 'record') take(`record ${event.record.seq}`);
    if (event.type !== 'approval') return;
    take(`approval of ${event.request.toolUseId}`);
    setImmediate(() => watching.session.answer(event.request.hash, { decision: 'once' }));
  });
  await watching.session.settled();
  await watching.session.close();
  return { moments, place };
}

/** Calls that a resume would run without asking whether they ran, and those that it asks about. */
function fates(
  { parts, profile, store: { url: store } }: Scene,
  { journal, notes, began }: Moment,
  id = 'r',
) {
  const reading = readRun(journal);
  const meta = metaSha256(journal.subarray(0, journal.indexOf(0x0a)));
  const sidecar = readSidecar((notes ?? '').toString('utf8').split('\n'), meta);
  const run = loadedRun(
    reading,
    { ...sidecar, began: began && decodeSlip(began, meta) },
    { id, updated: new Date(0), catalogue: {}, writer: 'none', durability: 'disk' },
  );
  const view = { interactive: true, force: false, allow: new Set(['change']), witness: parts.witness, store };
  const { pending } = inspect(run, runConfig(parts, profile), view);
  const of = (fate: string) =>
    pending.filter((call) => call.fate === fate && call.changes).map(({ toolUseId }) => toolUseId);
  return { run: of('run'), asked: [...of('unknown'), ...of('foreign')], damage: sidecar.damage };
}

function* mutations(moment: Moment, earlier: readonly Moment[], chance: Seeded | undefined) {
  const { notes } = moment;
  yield { how: 'removed', ...moment, notes: undefined };
  if (notes === undefined) return;
  for (const [n, before] of earlier.entries())
    yield { how: `as of moment ${n}`, ...moment, notes: before.notes };
  for (let at = 0; at < notes.length; at++) {
    yield { how: `cut at ${at}`, ...moment, notes: notes.subarray(0, at) };
    for (const bit of chance ? [chance.below(8)] : [0, 1, 2, 3, 4, 5, 6, 7]) {
      const flipped = Buffer.from(notes);
      flipped[at]! ^= 1 << bit;
      yield { how: `bit ${bit} of ${at}`, ...moment, notes: flipped };
    }
  }
  const lines = notes.toString('utf8').split('\n');
  for (let n = 0; n < lines.length; n++) {
    const without = [...lines.slice(0, n), ...lines.slice(n + 1)];
    yield { how: `without line ${n}`, ...moment, notes: Buffer.from(without.join('\n')) };
    for (let m = 0; m < n; m++) {
      const swapped = [...lines];
      [swapped[n], swapped[m]] = [lines[m]!, lines[n]!];
      yield { how: `lines ${m} and ${n} swapped`, ...moment, notes: Buffer.from(swapped.join('\n')) };
    }
  }
}

describe('Notes beside a run', () => {
  it('that are whole raise no question but for what had begun, at every moment', async () => {
    const { moments, place } = await lived();
    expect(moments.length).toBeGreaterThan(20);
    for (const moment of moments) {
      const { run, asked, damage } = fates(place, moment);
      expect(damage, moment.when).toBeUndefined();
      // What stands noted as about to run counts as begun; nothing else does.
      const known = [...moment.begun, ...(/^before the effect of (.+)$/.exec(moment.when)?.slice(1) ?? [])];
      expect(asked, moment.when).toEqual(known);
      for (const call of moment.begun) expect(run).not.toContain(call);
    }
  });

  it('that are aged, cut, flipped, swapped or removed let nothing run twice unasked', async () => {
    const { moments, place } = await lived();
    const chance = soak ? undefined : new Seeded(9);
    let [tried, told, caught] = [0, 0, 0];
    for (const [n, moment] of moments.entries()) {
      // A call may have taken effect and has no result: the moments that matter.
      if (moment.begun.size === 0 || !(soak || moment.when === 'after the effect of call_2_1')) continue;
      const { records } = readRun(moment.journal);
      const meta = metaSha256(moment.journal.subarray(0, moment.journal.indexOf(0x0a)));
      const began = moment.began && decodeSlip(moment.began, meta);
      for (const mutation of mutations(moment, moments.slice(0, n), chance)) {
        const read = readSidecar((mutation.notes ?? '').toString('utf8').split('\n'), meta);
        const run = { id: 'r', records, sidecar: read.entries };
        const told_ = read.damage !== undefined;
        for (const call of moment.begun) {
          const proof = proofOf({ ...run, ...(began && { began }) }, run.sidecar)(call);
          expect(proof, `${moment.when}, notes ${mutation.how}`).not.toBe('never_began');
          // The mutant: notes that nothing in them speaks against are believed.
          if (!told_ && proofOf(run, run.sidecar)(call) === 'never_began') caught++;
        }
        tried++;
        if (told_) told++;
        if (tried % 500 !== 0) continue;
        const { run: unasked, asked } = fates(place, mutation);
        for (const call of moment.begun)
          expect([unasked.includes(call), asked.includes(call)]).toEqual([false, true]);
      }
      // The slip alone, with notes that are whole.
      for (let at = 0; at < (moment.began?.length ?? 0); at += soak ? 1 : 9) {
        const flipped = Buffer.from(moment.began!);
        flipped[at]! ^= 4;
        for (const began of [undefined, flipped, moment.began!.subarray(0, at)])
          expect(fates(place, { ...moment, began }).run.filter((call) => moment.begun.has(call))).toEqual([]);
      }
    }
    expect(tried).toBeGreaterThan(2_000);
    expect(told).toBeGreaterThan(tried / 3);
    expect(caught).toBeGreaterThan(0);
  });

  it('of another run, or of this one under another name, prove nothing of it', async () => {
    const { moments, place } = await lived();
    const waiting = moments.find(({ when }) => when === 'approval of call_1_1')!;
    expect(fates(place, waiting)).toMatchObject({ asked: [] });
    expect(fates(place, waiting, 'copy')).toMatchObject({ run: [], asked: ['call_1_1', 'call_1_3'] });
    const other = await lived('other', 'another task');
    const theirs = other.moments.find(({ when }) => when === waiting.when)!;
    expect(fates(place, { ...waiting, notes: theirs.notes })).toMatchObject({
      run: [],
      asked: ['call_1_1', 'call_1_3'],
    });
  });

  it('of a turn that another program has gone on with prove nothing of the rest of it', async () => {
    const { moments, place } = await lived();
    const waiting = moments.find(({ when }) => when === 'approval of call_1_1')!;
    const answered = moments.find(({ when }) => when === 'record 3')!;
    // The result of the first call came from elsewhere: these notes do not know that it began.
    const mixed = { ...waiting, journal: answered.journal };
    expect(fates(place, mixed)).toMatchObject({ run: [], asked: ['call_1_3'] });
    expect(fates(place, { ...answered, began: undefined })).toMatchObject({ asked: [] });
  });

  it('ask in a resume, and what is said there is not asked again once it is answered', async () => {
    const { moments, place } = await lived();
    const moment = moments.find(({ when }) => when === 'after the effect of call_2_1')!;
    folder.put('k', moment.journal);
    const store = fileStore(folder.path);
    const tools = place.parts.tools(place.profile) as ReturnType<typeof testTool>[];
    const again = scene(scriptedModel([{ text: 'after' }]), tools, { store });
    const before = tools[1]!.runs.length;
    const options = { store, id: 'k', profile: again.profile, approvals: 'ask' as const };
    const { origin } = await preflight(again.parts, options);
    const looked = { id: 'k', allow: ['change'], acceptOrigin: origin.seen };
    await expect(resume(again, looked)).rejects.toMatchObject({ code: 'unknown_outcome' });
    const { session } = await resume(again, { ...looked, unknownDefault: 'skip' });
    await session.settled();
    await session.close();
    expect(tools[1]!.runs.length).toBe(before);
    expect((await store.load('k')).state.pending).toBeNull();
  });
});
