import { afterAll, beforeAll, describe } from 'vitest';
import { Bench } from './journal/bench';
import type { JournalSetup } from './journal/bench';
import { beside } from './journal/beside';
import { reading } from './journal/reading';
import { writing } from './journal/writing';

export type { JournalSetup } from './journal/bench';

/** Every promise of journal.ts as a test. Adapters differ only where `supports` says so. */
export function journalSuite(name: string, setup: () => Promise<JournalSetup>): void {
  describe(`${name} keeps the promises of a run store`, () => {
    const bench = new Bench();
    beforeAll(async () => bench.begin(await setup()));
    afterAll(() => bench.end());

    writing(bench);
    reading(bench);
    beside(bench);
  });
}
