import { Tooltip } from 'radix-ui';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import type { PreflightView } from '../../src/shared/contract/views';
import { runStatus } from '../../src/shared/contract/views';
import { canBeDone } from '../../src/shared/run/status';
import { markableOf } from '../../src/renderer/view/browse/bulk';
import { Decide } from '../../src/renderer/view/resume/decide';
import { drift, head, row } from '../support/scenes';

const ready: PreflightView = {
  ...drift,
  ok: true,
  gates: drift.gates.map((gate) => ({ ...gate, outcome: 'pass' })),
  unknown: [],
  pending: [],
  missing: [],
  endpoint: { changed: false },
  next: 'call',
  resume: { ...drift.resume, then: 'call' },
};
const lacks = (code: 'key_missing' | 'model_request' | 'not_found' | 'bad_request') => ({
  code,
  message: 'Something is not there.',
});

function shown(flight: PreflightView, originOk = false) {
  const page = renderToStaticMarkup(
    <Tooltip.Provider>
      <Decide
        head={head(row('r', 'A run', 'interrupted', '', 1))}
        flight={flight}
        entry={undefined}
        folder={undefined}
        answers={{}}
        endpointOk={false}
        originOk={originOk}
        onProfile={() => undefined}
        onFolder={() => undefined}
        onLook={() => undefined}
      />
    </Tooltip.Provider>,
  );
  const button = (name: string) =>
    [...page.matchAll(/<button([^>]*)>([\s\S]*?)<\/button>/g)]
      .filter(([, , words]) => words?.replace(/<[^>]*>/g, '') === name)
      .map(([, how]) => (/\bdisabled\b/.test(how ?? '') ? 'blocked' : 'free'))[0];
  return { button, page };
}

describe('the buttons of the pre-flight', () => {
  it('resume only when a key, a model, an address and a folder are there, and say beside them what is missing', () => {
    expect(shown(ready).button('Resume')).toBe('free');
    for (const [code, words] of [
      ['key_missing', 'add a key to the profile'],
      ['model_request', 'choose a model in the profile'],
      ['not_found', 'choose another folder'],
      ['bad_request', 'settle what is said above'],
    ] as const) {
      const { button, page } = shown({ ...ready, missing: [lacks(code)] });
      expect([code, button('Resume')]).toEqual([code, 'blocked']);
      expect(page).toContain(`First ${words}`);
    }
    // Nothing is sent and nothing runs, so nothing is needed.
    const finish: PreflightView = {
      ...ready,
      missing: [lacks('key_missing')],
      next: 'finish',
      resume: { ...ready.resume, then: 'finish' },
    };
    expect(shown(finish).button('Finish')).toBe('free');
  });

  it('offer a new run wherever another kind of service was chosen, also for a run from elsewhere once that is agreed', () => {
    const crossing: PreflightView = {
      ...ready,
      gates: ready.gates.map((gate) => (gate.gate === 'provider' ? { ...gate, outcome: 'refuse' } : gate)),
    };
    const elsewhere: PreflightView = { ...crossing, origin: { kind: 'elsewhere', seen: 'x', told: {} } };
    const name = 'Continue in a new run';
    expect(shown(ready).button(name)).toBeUndefined();
    expect(shown(crossing).button(name)).toBe('free');
    expect(shown({ ...crossing, missing: [lacks('key_missing')] }).button(name)).toBe('blocked');
    expect(shown(elsewhere).button(name)).toBe('blocked');
    expect(shown(elsewhere, true).button(name)).toBe('free');
  });
});

describe('marking a selection as done', () => {
  it('takes the runs that wait for a person, and offers the way back when all of them are marked', () => {
    const rows = runStatus.options.map((status) => row(status, 'A run', status, '', 1));
    const waits = rows.filter(({ status }) => canBeDone(status)).map(({ id }) => id);
    expect(waits.length).toBeGreaterThan(2);
    const all = new Set(rows.map(({ id }) => id));
    expect(markableOf(all, rows)).toEqual({ ids: waits, done: false });
    expect(
      markableOf(
        all,
        rows.map((one) => ({ ...one, done: true })),
      ),
    ).toEqual({ ids: waits, done: true });
    expect(markableOf(new Set(['finished']), rows).ids).toEqual([]);
    expect(markableOf(new Set(['far']), rows)).toEqual({ ids: ['far'], done: false });
    expect(
      markableOf(
        new Set(['failed']),
        rows.map((one) => ({ ...one, elsewhere: true })),
      ).ids,
    ).toEqual([]);
  });
});
