import { describe, expect, it } from 'vitest';
import { Allowance } from '../../src/shared/run/allowance';
import type { RunRecord } from '../../src/shared/run/record';
import type { SidecarEntry } from '../../src/shared/run/sidecar';
import { spentOf, tokensOf, tokensText } from '../../src/shared/run/tokens';
import {
  answerRecord,
  callRecord,
  fingerprint,
  metaRecord,
  resultRecord,
  userRecord,
} from '../support/journal-records';

const resumed = (after: number, limits: object = {}): SidecarEntry => ({
  kind: 'resume',
  at: '2026-07-20T09:08:07Z',
  after_seq: after,
  forced: false,
  accepted: { ...fingerprint, ...limits },
  changed: [],
  unknown: [],
});
function allowance(records: RunRecord[], notes: SidecarEntry[] = []): Allowance {
  const made = new Allowance();
  for (const note of notes) made.note(note);
  for (const record of records) made.push(record);
  return made;
}
const chat = [
  metaRecord('r'),
  callRecord(2, ['a']),
  resultRecord(3, 'a', 'ok'),
  answerRecord(4, 'done', 1),
  userRecord(5, 'more'),
  callRecord(6, ['b'], 2),
  resultRecord(7, 'b', 'ok'),
  callRecord(8, ['c'], 3),
  resultRecord(9, 'c', 'ok'),
];

describe('the steps of a run', () => {
  it('are those of the newest message in a chat, and all in a single task', () => {
    expect(allowance(chat.slice(0, 4)).steps).toEqual({ used: 2, cap: 50 });
    expect(allowance(chat.slice(0, 5)).steps).toEqual({ used: 0, cap: 50 });
    expect(allowance(chat).steps).toEqual({ used: 2, cap: 50 });
    const task = [metaRecord('r', 'go', false), ...chat.slice(1)];
    expect(allowance(task).steps).toEqual({ used: 4, cap: 50 });
  });

  it('go on after a resume in the middle of an answer, which allows as many again', () => {
    expect(allowance(chat, [resumed(7)]).steps).toEqual({ used: 2, cap: 51 });
    expect(allowance(chat, [resumed(7), resumed(9)]).steps).toEqual({ used: 2, cap: 52 });
    expect(allowance(chat, [resumed(9), resumed(9)]).steps).toEqual({ used: 2, cap: 52 });
    // A message that has its answer gets no more, and the next one has its own.
    expect(allowance(chat.slice(0, 4), [resumed(4)]).steps).toEqual({ used: 2, cap: 50 });
    expect(allowance(chat, [resumed(3), resumed(4)]).steps).toEqual({ used: 2, cap: 50 });
    // A single task never gets more than it has for all its life.
    const task = [metaRecord('r', 'go', false), ...chat.slice(1)];
    expect(allowance(task, [resumed(7)]).steps).toEqual({ used: 4, cap: 50 });
  });

  it('and its tokens have the limits that were accepted last', () => {
    const raised = resumed(7, { max_iterations: 80, max_tokens: 9 });
    expect(allowance(chat).tokens).toBe(fingerprint.max_tokens);
    expect(allowance(chat, [raised]).steps).toEqual({ used: 2, cap: 81 });
    expect(allowance(chat, [raised]).tokens).toBe(9);
  });

  it('are the same whether they are asked for once or after each record', () => {
    const asked = new Allowance();
    const told = chat.map((record) => {
      asked.push(record);
      if (record.seq === 7) asked.note(resumed(7));
      return asked.steps;
    });
    expect(told.at(-1)).toEqual(allowance(chat, [resumed(7)]).steps);
    expect(told.map(({ used }) => used)).toEqual([0, 1, 1, 2, 0, 1, 1, 2, 2]);
  });
});

describe('tokens', () => {
  const counters = { in_tokens: 100, out_tokens: 20, cache_read_tokens: 3_000, cache_create_tokens: 4 };

  it('in are all that the model was given, and all are those in and out', () => {
    expect(tokensOf(spentOf(counters))).toEqual({ in: 3_104, out: 20, all: 3_124 });
  });
  it('are said with what the cache had of them', () => {
    const said = (more: object) => tokensText(spentOf({ ...counters, ...more }));
    expect(said({})).toBe('3104 in (3000 read from the cache, 4 written to it), 20 out');
    expect(said({ cache_read_tokens: 0 })).toBe('104 in (4 written to the cache), 20 out');
    expect(said({ cache_read_tokens: 0, cache_create_tokens: 0 })).toBe('100 in, 20 out');
  });
});
