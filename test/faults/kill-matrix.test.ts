import { describe, expect, it } from 'vitest';
import type { TestContext } from 'vitest';
import { built, need, sampled } from '../support/prerequisites';
import { playAll, pointsOf, sum } from './kill/matrix';
import type { Case } from './kill/matrix';

/**
 * The built command on real folders, killed with SIGKILL: from inside at every point where it touches its store, from
 * outside at every line that it prints, and at random. After each kill the run is resumed, killed again where the case
 * says so, and must come to its end with nothing lost, nothing paid twice and nothing run twice unasked.
 */
const ROUNDS = 'repeat 3: append log.txt: line # after 0.06';
const BATCH = 'read in.txt, append log.txt: first after 0.06, append log.txt: second after 0.06';
const PROMPTS = [ROUNDS, BATCH];

const cli = (context: TestContext) =>
  need(context, built('main/cli.js'), 'kill matrix', 'run `npm run build` first');

/** Numbers that look random and are the same every time. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

const unknownOf = (index: number) => (index % 2 === 0 ? 'run' : 'skip');

/** Every `step`th point of an undisturbed run, by its number. */
function pointCases(prompt: string, points: string[], step: number): Case[] {
  return points.flatMap((name, at) =>
    at % step === 0
      ? [{ name: `at point ${at} (${name})`, prompt, kills: [{ at }], unknown: unknownOf(at / step) }]
      : [],
  );
}

function lineCases(prompt: string, lines: number): Case[] {
  return Array.from({ length: lines }, (_, index) => ({
    name: `after line ${index + 1}`,
    prompt,
    kills: [{ afterLine: index + 1 }],
    unknown: unknownOf(index),
  }));
}

/** Killed again and again, at any time from before the first record to after the last. */
function randomCases(count: number, kills: number, points: number): Case[] {
  const random = randomFrom(20_260_720);
  return Array.from({ length: count }, (_, index) => ({
    name: `random ${index}`,
    prompt: PROMPTS[index % PROMPTS.length] ?? ROUNDS,
    kills: Array.from({ length: kills }, () =>
      random() < 0.5 ? { afterMs: Math.floor(random() * 700) } : { at: Math.floor(random() * points) },
    ),
    unknown: unknownOf(index >> 1),
  }));
}

describe('the kill matrix', () => {
  it('loses nothing, pays nothing twice, runs nothing twice unasked, and finishes every run', async (context) => {
    const command = cli(context);
    const cases: Case[] = [];
    for (const prompt of PROMPTS) {
      const points = await pointsOf(command, prompt);
      expect(points.length).toBeGreaterThan(40);
      cases.push(
        ...pointCases(prompt, points, sampled(Math.ceil(points.length / 20), 1)),
        ...lineCases(prompt, 8),
      );
    }
    cases.push(...randomCases(sampled(8, 340), 3, 60));
    const total = sum(await playAll(command, cases));
    await context.annotate(
      `kill matrix: ${total.kills} kills in ${total.runs} runs, ${total.finished} finished, asked ${total.asked} times; ` +
        `acknowledged records lost ${total.lost.length}, model calls repeated ${total.repeated.length}, ` +
        `tools run twice unasked ${total.doubled.length}`,
      'figures',
    );
    expect(total).toMatchObject({ lost: [], repeated: [], doubled: [], wrong: [], finished: cases.length });
    expect(total.kills).toBeGreaterThanOrEqual(sampled(60, 1_000));
    expect(total.asked).toBeGreaterThan(0);
  });
});

describe('the kill matrix notices', () => {
  const mutant = (context: TestContext, cases: Case[]) => playAll(cli(context), cases).then(sum);

  it('a build that acknowledges a record before it is written', async (context) => {
    const cases: Case[] = lineCases(ROUNDS, 4).map((each) => ({ ...each, mutant: 'early' }));
    expect((await mutant(context, cases)).lost.length).toBeGreaterThan(0);
  });

  it('a build that forgets that a tool was started', async (context) => {
    // Right behind the effect: what is noted next would show that a line is missing.
    const cases = [2, 4].map((nth): Case => ({
      name: `before the proof of record ${nth}`,
      prompt: ROUNDS,
      kills: [{ point: { name: 'before write note own', nth } }],
      unknown: 'run',
      mutant: 'no-intent',
    }));
    const total = await mutant(context, cases);
    expect(total.doubled.length).toBeGreaterThan(0);
  });

  it('a build that loses the last record when it opens a run', async (context) => {
    const cases: Case[] = lineCases(ROUNDS, 8)
      .slice(-2)
      .map((each) => ({ ...each, mutant: 'forgetful' }));
    expect((await mutant(context, cases)).lost.length).toBeGreaterThan(0);
  });
});
