import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FRAME_LIMIT, utf8Length, type Frame, type Port } from '../../src/shared/contract/frame';
import { sampled } from '../support/prerequisites';
import { until } from '../support/wait';

export interface PortPair {
  /** The end that serves, and the end of the window. */
  main: Port;
  window: Port;
  /** The window goes away without a word: its page is closed, its line is cut. */
  leave(): void;
  dispose(): Promise<void>;
}

const event = (n: number, payload: unknown): Frame => ({ kind: 'event', n, name: 'app.notice', payload });

/** What every port promises, whatever carries it. */
export function portSuite(name: string, setup: () => Promise<PortPair>): void {
  describe(`port: ${name}`, () => {
    let pair: PortPair;
    beforeEach(async () => {
      pair = await setup();
    });
    afterEach(() => pair.dispose());

    const ways = [
      ['main to window', () => [pair.main, pair.window]],
      ['window to main', () => [pair.window, pair.main]],
    ] as [string, () => [Port, Port]][];

    for (const [way, ends] of ways) {
      it(`delivers frames whole, once and in order (${way})`, async () => {
        const [from, to] = ends();
        const got: unknown[] = [];
        to.onFrame((frame) => got.push(frame));
        const payloads = fc.sample(fc.jsonValue({ maxDepth: 4 }), { numRuns: sampled(300, 5_000), seed: 7 });
        payloads.push(
          '\u2028\u0000"\\\ud800 lone',
          '🙂'.repeat(1000),
          { ['__proto__']: { x: 1 } },
          '</script>',
        );
        const sent = payloads.map((payload, n) => event(n + 1, payload));
        for (const frame of sent) expect(from.send(frame)).toBe(true);
        await until(() => got.length >= sent.length);
        // A lone surrogate cannot travel as UTF-8 everywhere, but it never breaks the frame around it.
        expect(got.length).toBe(sent.length);
        expect(JSON.stringify(got).replaceAll('\\ud800', '\ufffd')).toBe(
          JSON.stringify(sent).replaceAll('\\ud800', '\ufffd'),
        );
      });

      it(`takes a frame of just the limit and refuses one byte more, staying open (${way})`, async () => {
        const [from, to] = ends();
        const got: unknown[] = [];
        to.onFrame((frame) => got.push(frame));
        const bare = utf8Length(JSON.stringify(event(1, '')));
        const odd = '€';
        const fill = odd + 'x'.repeat(FRAME_LIMIT - bare - 3);
        expect(from.send(event(1, fill))).toBe(true);
        expect(from.send(event(1, `${fill}x`))).toBe(false);
        expect(from.send(event(1, '€'.repeat(FRAME_LIMIT / 3)))).toBe(false);
        expect(from.send(event(2, 'after'))).toBe(true);
        await until(() => got.length >= 2);
        expect(got.map((frame) => (frame as { n: number }).n)).toEqual([1, 2]);
        expect((got[0] as { payload: string }).payload === fill).toBe(true);
      });

      it(`keeps frames that came before anybody listened (${way})`, async () => {
        const [from, to] = ends();
        const marker: unknown[] = [];
        from.send(event(1, 'early'));
        from.send(event(2, 'still early'));
        await new Promise((resolve) => setImmediate(resolve));
        to.onFrame((frame) => marker.push((frame as { payload: unknown }).payload));
        from.send(event(3, 'late'));
        await until(() => marker.length >= 3);
        expect(marker).toEqual(['early', 'still early', 'late']);
      });

      it(`shares nothing between the ends (${way})`, async () => {
        const [from, to] = ends();
        const got: { payload: { list: number[] } }[] = [];
        to.onFrame((frame) => got.push(frame as never));
        const payload = { list: [1], gone: undefined };
        from.send(event(1, payload));
        payload.list.push(2);
        await until(() => got.length === 1);
        expect(got[0]?.payload).toEqual({ list: [1] });
        expect(Object.keys(got[0]?.payload ?? {})).toEqual(['list']);
      });

      it(`refuses what is no JSON without breaking (${way})`, async () => {
        const [from, to] = ends();
        const got: unknown[] = [];
        to.onFrame((frame) => got.push(frame));
        const loop: Record<string, unknown> = {};
        loop.self = loop;
        expect(from.send(event(1, loop))).toBe(false);
        expect(from.send(event(1, 10n))).toBe(false);
        expect(from.send(event(2, 'fine'))).toBe(true);
        await until(() => got.length === 1);
      });
    }

    it('delivers nothing after it was closed, and says so to who sends', async () => {
      const got: unknown[] = [];
      pair.window.onFrame((frame) => got.push(frame));
      pair.main.send(event(1, 'one'));
      await until(() => got.length === 1);
      let closed = 0;
      pair.main.onClose(() => closed++);
      pair.main.close();
      pair.main.close();
      await until(() => closed === 1);
      expect(pair.main.send(event(2, 'two'))).toBe(false);
      let told = 0;
      pair.main.onClose(() => told++);
      expect(told).toBe(1);
      expect(closed).toBe(1);
      expect(got.length).toBe(1);
    });

    it('tells the main end, once, that the window is gone', async () => {
      let closed = 0;
      pair.main.onFrame(() => undefined);
      pair.main.onClose(() => closed++);
      pair.leave();
      await until(() => closed === 1);
      expect(pair.main.send(event(1, 'nobody'))).toBe(false);
      expect(closed).toBe(1);
    });
  });
}
