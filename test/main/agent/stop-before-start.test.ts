import { describe, expect, it } from 'vitest';
import { records, resume, scene, start, testTool } from '../../support/agent';
import { scriptedModel } from '../../support/scripted-model';

/** A session begins a moment after it was opened; what is asked of it in that moment must hold. */
describe('a chat that is opened with words and stopped before it begins', () => {
  it.each(['close', 'cancel', 'pause'] as const)('by %s keeps the words and calls nobody', async (how) => {
    const change = testTool('change', undefined, { changes: true });
    const model = scriptedModel([{ text: 'x' }, { tools: [{ name: 'change' }] }, { text: 'end' }]);
    const it_ = scene(model, [change]);
    const first = await start(it_, { chat: true });
    await first.session.settled();
    await first.session.close();

    const second = await resume(it_, { say: 'go on' });
    const stopped = second.session[how]();
    await second.session.settled();
    await stopped;
    expect((await records(it_.store)).slice(-2)).toEqual(['user go on', 'terminal suspended']);
    expect(model.requests).toHaveLength(1);
    expect(await it_.store.writer('r')).toBe('none');
    await second.session.close();
  });
});
