import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { runRow as rowSchema } from '../../../src/shared/contract/views';
import type { RunSummary } from '../../../src/main/journal/journal';
import { readAux } from '../../../src/main/journal/jetstream/aux';
import { rowOf } from '../../../src/main/journal/jetstream/catalogue';
import { claimIn } from '../../../src/main/journal/jetstream/claim';
import type { Ground } from '../../../src/main/journal/jetstream/ground';
import type { Stored } from '../../../src/main/journal/jetstream/read';
import { decodeRow } from '../../../src/main/journal/jetstream/row';
import { Subjects } from '../../../src/main/journal/jetstream/subjects';
import { runRow } from '../../../src/main/library/rows';

const soak = process.env.HOLDFAST_SOAK === '1';
const RUNS = soak ? 200_000 : 2_000;
const ground = { subjects: new Subjects('runs') } as Ground;
const GOOD = [
  1,
  10,
  0,
  [1, 2, 0, 3, 4, 0, 0],
  1,
  ['error', 'no'],
  [false, 2, 'user'],
  ['t'],
  true,
  false,
  '',
  0,
];

/** A good row in which one thing, at any depth, is something else. */
const nearly = fc
  .tuple(fc.nat(GOOD.length - 1), fc.jsonValue({ maxDepth: 3 }), fc.boolean())
  .map(([at, other, inside]) => {
    const row: unknown[] = structuredClone(GOOD);
    const part = row[at];
    if (inside && Array.isArray(part) && part.length > 0) part[0] = other;
    else row[at] = other;
    return row;
  });
const header = fc.oneof(
  nearly.map((row) => JSON.stringify(row)),
  fc.json({ maxDepth: 4 }),
  fc.string({ maxLength: 200 }),
  nearly.map((row) => JSON.stringify(row).slice(0, -3)),
);
const text = fc.oneof(fc.json({ maxDepth: 3 }), fc.string({ maxLength: 100 }), header);
const message = (subject: string, data: string): Stored => ({
  seq: 7,
  subject,
  data: Buffer.from(data),
  headers: undefined,
  time: new Date(0),
});

describe('what anybody may have written into a stream (fuzz)', () => {
  it('in the header of a record gives a row that the window takes, or none', () => {
    let rows = 0;
    fc.assert(
      fc.property(header, fc.date({ noInvalidDate: false }), (line, created) => {
        const folded = decodeRow(line);
        if (folded === undefined) return;
        rows++;
        const summary: RunSummary = {
          id: 'r',
          health: 'ok',
          prompt: 'p',
          created,
          updated: created,
          catalogue: {},
          writer: 'none',
          durability: 'acknowledged',
          ...folded,
        };
        expect(rowSchema.safeParse(runRow(summary, undefined, 'S')).success).toBe(true);
      }),
      { numRuns: RUNS },
    );
    expect(rows).toBeGreaterThan(0);
  });

  it('as labels, as a claim and as notes is passed over where it is none', () => {
    fc.assert(
      fc.property(text, fc.constantFrom('1', '999999999999999999999', 'x', '-1', '1.5'), (body, token) => {
        const row = rowOf(ground, message(`runs._cat.r.${token}`, body));
        expect(Number.isSafeInteger(row.n)).toBe(true);
        expect(typeof row.labels).toBe('object');
        const claim = claimIn(ground, message(`runs._claim.r.${token}`, body));
        if (claim) expect([typeof claim.held, typeof claim.nonce]).toEqual(['boolean', 'string']);
        const notes = readAux(ground, [message(`runs._aux.r.${token}`, `${body}\n{"kind":"bind"}`)], 'f00');
        expect(notes.bound).toBe(false);
      }),
      { numRuns: RUNS },
    );
  });
});
