import { describe, expect, it } from 'vitest';
import { strictSession, type SessionReport } from '../support/strict-sessions';

const soak = process.env['HOLDFAST_SOAK'] !== undefined;
/** Sessions of each API. */
const SESSIONS = soak ? 500 : 30;
const AT_ONCE = 4;

describe.each(['anthropic', 'openai'] as const)('a strict stand-in of the %s API', (api) => {
  it(
    `refuses nothing in ${SESSIONS} sessions of chat, tools, stops, kills, restarts and resumes`,
    { timeout: 3_600_000 },
    async (context) => {
      const reports: SessionReport[] = [];
      let next = 1;
      const worker = async (): Promise<void> => {
        while (next <= SESSIONS) reports.push(await strictSession(next++, api));
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));

      const count = (pick: (report: SessionReport) => number) => reports.reduce((sum, r) => sum + pick(r), 0);
      const requests = count((report) => report.requests);
      const deeds = reports.flatMap((report) => report.deeds);
      const done = (deed: string) => deeds.filter((other) => other === deed).length;
      const tally = ['say', 'resume', 'kill', 'pause', 'cancel', 'close', 'reset'].map(
        (deed) => `${done(deed)} ${deed}`,
      );

      expect(
        reports.flatMap((report) => report.rejected.map((why) => `seed ${report.seed}: ${why}`)),
      ).toEqual([]);
      expect(
        reports.flatMap((report) => report.outcomes).filter((outcome) => outcome.includes('model_request')),
      ).toEqual([]);
      expect(reports.flatMap((report) => report.leaks)).toEqual([]);
      expect(reports).toHaveLength(SESSIONS);
      expect(requests).toBeGreaterThan(SESSIONS * 3);
      for (const deed of ['say', 'resume', 'kill', 'pause', 'cancel', 'close', 'reset'])
        expect(done(deed), deed).toBeGreaterThan(0);
      await context.annotate(
        `strict ${api}: ${SESSIONS} sessions, ${requests} requests, rejected 0 (${tally.join(', ')})`,
        'figures',
      );
    },
  );
});
