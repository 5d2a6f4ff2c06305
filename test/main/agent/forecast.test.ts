import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../../src/shared/run/failure';
import { STOP } from '../../../src/shared/run/record';
import { preflight, resumeRun } from '../../../src/main/agent';
import type { Preflight, ResumeOptions, UnknownAnswer } from '../../../src/main/agent/session';
import type { RunStore } from '../../../src/main/journal/journal';
import { crashed } from '../../support/crash';
import { scriptedModel, type ScriptedReply } from '../../support/scripted-model';
import { scene, start, testProfile, testTool, Watched } from '../../support/agent';

/**
 * What the pre-flight told is held against what then happened, for runs that were cut at any record, with their notes or
 * without, under other settings, with every answer, forced or not, resumed or spoken into.
 */
const soak = process.env.HOLDFAST_SOAK !== undefined;
const RUNS = soak ? 5_000 : 200;

const call = fc.record({
  name: fc.constantFrom('look', 'change', 'change', 'missing'),
  bad: fc.option(fc.constant('{"a"'), { nil: undefined, freq: 6 }),
});
const reply = fc.record({
  text: fc.constantFrom('words', ''),
  tools: fc.array(call, { maxLength: 3 }),
  stop: fc.constantFrom(
    undefined,
    undefined,
    undefined,
    undefined,
    STOP.maxTokens,
    STOP.pauseTurn,
    STOP.refusal,
  ),
  fail: fc.constantFrom(undefined, undefined, undefined, undefined, true),
});
const plot = fc.record({
  chat: fc.boolean(),
  replies: fc.array(reply, { minLength: 1, maxLength: 5 }),
  cut: fc.nat(),
  notes: fc.constantFrom('all', 'no intents', 'none'),
  steps: fc.constantFrom(1, 2, 50),
  tokens: fc.constantFrom(0, 0, 0, 20, 40),
  drift: fc.boolean(),
  force: fc.boolean(),
  says: fc.boolean(),
  answers: fc.array(fc.constantFrom<UnknownAnswer['decision']>('run', 'skip', 'happened'), {
    minLength: 1,
    maxLength: 3,
  }),
  allow: fc.boolean(),
  yes: fc.boolean(),
});
type Plot = typeof plot extends fc.Arbitrary<infer T> ? T : never;
type Look = typeof preflight;

const clean = ({ text, tools, stop, fail }: Plot['replies'][number]): ScriptedReply => ({
  text,
  tools: tools.map(({ name, bad }) => ({ name, ...(bad !== undefined && { bad }) })),
  ...(stop !== undefined && { stop }),
  ...(fail && { fail: new Failure({ code: 'model_overloaded', message: 'busy' }) }),
});

/** Plays one plot; what was told and was not so. */
async function play(of: Plot, look: Look): Promise<{ wrong: string[]; then: string }> {
  const ran: string[] = [];
  let current = '';
  const run = () => (ran.push(current), { content: 'ok' });
  const tools = [testTool('look', run), testTool('change', run, { changes: true })];
  const model = scriptedModel([...of.replies.map(clean), { text: 'end' }], { repeat: true });
  const it_ = scene(model, tools);
  const limits = { max_iterations: 50, max_tokens: 0 };
  const first = await start(
    { ...it_, profile: testProfile({ limits }) },
    { chat: of.chat, allow: ['change'] },
  );
  await first.session.settled();
  await first.session.close();
  const { records } = await it_.store.load('r');
  const seq = 1 + (of.cut % records.length);
  const kept = new Set(
    records
      .filter((record) => record.seq <= seq)
      .flatMap(
        ({ assistant }) => assistant?.message.content?.flatMap(({ tool_use: use }) => use?.id ?? []) ?? [],
      ),
  );
  const store: RunStore = await crashed(it_.store, 'r', {
    seq,
    keep: (entry) =>
      of.notes === 'all'
        ? entry.kind !== 'intent' || kept.has(entry.tool_use_id)
        : of.notes === 'no intents' && entry.kind !== 'intent',
  });
  const profile = testProfile({
    ...(of.drift && { model: 'other' }),
    limits: { max_iterations: of.steps, max_tokens: of.tokens },
  });
  const after = scriptedModel([{ text: 'after' }], { repeat: true });
  const parts = { ...it_.parts, model: () => after };
  const common = {
    store,
    id: 'r',
    profile,
    approvals: 'ask' as const,
    force: of.force,
    ...(of.allow && { allow: ['change'] }),
  };
  const told = await look(parts, common);
  const unknown = told.unknown.map(({ toolUseId, hash }, n) => {
    const decision = of.answers[n % of.answers.length] ?? 'skip';
    return { toolUseId, hash, decision, ...(decision === 'happened' && { words: 'it did' }) };
  });
  const says = of.says && told.say !== undefined;
  const options: ResumeOptions = {
    ...common,
    unknown,
    acceptOrigin: told.origin.seen,
    ...(says && { say: 'words of the person', instead: true }),
  };
  ran.length = 0;
  const wrong: string[] = [];
  let watched: Watched;
  try {
    watched = new Watched(await resumeRun(parts, options));
  } catch (error) {
    if (told.ok) wrong.push(`it was refused: ${String(error)}`);
    if (after.requests.length + ran.length > 0) wrong.push('something happened though it was refused');
    return { wrong, then: 'refused' };
  }
  if (!told.ok) wrong.push('it went though a gate refuses');
  const asked: string[] = [];
  watched.session.on((event) => {
    if (event.type === 'tool_started') current = event.toolUseId;
    if (event.type !== 'approval') return;
    asked.push(event.request.toolUseId);
    queueMicrotask(() => watched.session.answer(event.request.hash, { decision: of.yes ? 'once' : 'deny' }));
  });
  const outcome = await watched.session.settled();
  await watched.session.close();
  const now = await store.load('r');
  const fresh = now.records.filter((record) => record.seq > seq);
  wrong.push(
    ...differences(says ? told.say : told.resume, {
      of,
      unknown,
      asked,
      ran,
      fresh,
      outcome: outcome.reason,
      calls: after.requests.length,
      says,
    }),
  );
  if (of.chat !== (told.say !== undefined) && told.resume.then !== 'nothing')
    wrong.push('words offered where none can be said');
  return { wrong, then: (says ? told.say : told.resume)?.then ?? '' };
}

interface Happened {
  of: Plot;
  unknown: UnknownAnswer[];
  asked: string[];
  ran: string[];
  fresh: Awaited<ReturnType<RunStore['load']>>['records'];
  outcome: string;
  calls: number;
  says: boolean;
}

function differences(told: Preflight['resume'] | undefined, was: Happened): string[] {
  if (!told) return ['nothing was told'];
  const wrong: string[] = [];
  const answered = new Set(was.fresh.flatMap(({ tool_result: result }) => result?.tool_use_id ?? []));
  for (const { toolUseId: id, fate } of told.calls) {
    const ran = was.ran.filter((one) => one === id).length;
    const asked = was.asked.includes(id);
    const decision = was.unknown.find(({ toolUseId }) => toolUseId === id)?.decision;
    const expected =
      fate === 'run' ||
      (fate === 'ask' && was.of.yes) ||
      ((fate === 'unknown' || fate === 'foreign') && decision === 'run');
    if (ran !== Number(expected)) wrong.push(`${id} was told as ${fate} and ran ${ran} times`);
    if (asked !== (fate === 'ask'))
      wrong.push(`${id} was told as ${fate} and ${asked ? 'asked' : 'did not ask'}`);
    if (answered.has(id) === (fate === 'answered' || fate === 'later'))
      wrong.push(`${id} was told as ${fate} and has ${answered.has(id) ? 'a' : 'no'} new result`);
  }
  const called = was.calls > 0;
  if (called !== (told.then === 'call'))
    wrong.push(`"${told.then}" was told, and the model was called ${was.calls} times`);
  const said = was.fresh.filter(({ user }) => user).length;
  const sent = was.says && !told.calls.some(({ fate }) => fate === 'later');
  if (said !== Number(sent)) wrong.push(`${said} messages were recorded`);
  const ENDS: Partial<Record<typeof told.then, string>> = {
    budget: 'budget',
    steps: 'max_iterations',
    cut_short: 'error',
    input: 'your_turn',
  };
  const end = ENDS[told.then];
  if (end !== undefined && was.outcome !== end)
    wrong.push(`"${told.then}" was told, and it ended as ${was.outcome}`);
  if (told.then === 'nothing' && was.fresh.length > 0)
    wrong.push('nothing was told, and something was recorded');
  if (told.then === 'finish' && was.fresh.filter(({ terminal }) => !terminal).length > 0)
    wrong.push('only the end was told, and more was recorded');
  return wrong;
}

const check = (look: Look, runs: number, seen = new Map<string, number>(), endOnFailure = false) =>
  fc.check(
    fc.asyncProperty(plot, async (of) => {
      const { wrong, then } = await play(of, look);
      seen.set(then, (seen.get(then) ?? 0) + 1);
      expect(wrong.join('; ')).toBe('');
    }),
    { numRuns: runs, seed: 20_261_130, endOnFailure },
  );

describe('the pre-flight', () => {
  it(
    'tells what then happens: calls, questions, the model, the end, for every cut, answer, force and word',
    async () => {
      const seen = new Map<string, number>();
      const result = await check(preflight, RUNS, seen);
      expect(
        result.failed ? `${String(result.errorInstance)} ${fc.defaultReportMessage(result) ?? ''}` : '',
      ).toBe('');
      for (const then of ['call', 'input', 'finish', 'cut_short', 'budget', 'steps', 'refused'])
        expect([then, seen.get(then) ?? 0]).not.toEqual([then, 0]);
    },
    soak ? 900_000 : 60_000,
  );

  it('that is made of another state is noticed', async () => {
    /** Looks at the run as it was one record earlier. */
    const stale: Look = async (parts, options) => {
      const { facts } = await options.store.load(options.id);
      const earlier = await crashed(options.store, options.id, { seq: Math.max(1, facts.lastSeq - 1) });
      return preflight(parts, { ...options, store: earlier });
    };
    expect((await check(stale, 100, undefined, true)).failed).toBe(true);
  });
});
