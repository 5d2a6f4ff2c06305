import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeDesk, startChat, type Desk } from '../../support/app';
import { openaiStandIn } from '../../support/openai-standin';
import type { StandIn } from '../../support/standin';
import { failureOf } from '../../support/wait';

const KEY = 'sk-right-0123456789-abcdWXYZ';

describe('keys and models through the contract', () => {
  let service: StandIn;
  let desk: Desk;
  beforeEach(async () => {
    service = await openaiStandIn({ seed: 1, key: KEY, calm: true, models: ['small', 'large'] });
  });
  afterEach(async () => {
    expect(desk.bugs).toEqual([]);
    await desk.close();
    await service.stop();
  });
  const profile = (more: object = {}) => ({
    name: 'Mine',
    provider: 'openai' as const,
    model: 'small',
    endpoint: service.origin,
    ...more,
  });
  const hold = (client: ReturnType<Desk['window']>, value = KEY) =>
    client.call('keys.hold', { kind: 'key', service: service.origin, value });

  it('lead from a pasted key to a first answer, with one question, and again after a restart', async () => {
    desk = makeDesk({ answers: [true] });
    const client = desk.window();
    const held = await hold(client);
    expect(held).toMatchObject({ hint: 'WXYZ', service: service.origin, uses: [], where: 'session' });
    const at = { provider: 'openai' as const, endpoint: service.origin, key: held.id };
    expect(await client.call('profiles.models', at)).toEqual({ models: ['small', 'large'] });
    expect(await client.call('profiles.try', { profile: profile(), key: held.id })).toMatchObject({
      words: 'Answer 1.',
    });
    await client.call('profiles.save', { profile: profile(), key: { id: held.id, keep: 'disk' } });
    expect(desk.asked.questions).toHaveLength(1);
    expect(desk.asked.questions[0]?.detail).toContain('which ends in WXYZ');
    const { shown } = await startChat(client, 'hello', { profile: 'Mine' });
    await shown.status('your_turn');
    expect(shown.texts()).toContain('Answer 2.');

    const again = makeDesk({ home: desk.home });
    const window = again.window();
    const second = await startChat(window, 'hello again', { profile: 'Mine' });
    await second.shown.status('your_turn');
    expect((await window.call('keys.list', {})).keys).toMatchObject([
      { uses: ['Mine'], where: 'disk', hint: 'WXYZ' },
    ]);
    expect(again.asked.questions).toEqual([]);
    await again.close();
  });

  it('say in plain words what a test finds wrong', async () => {
    desk = makeDesk({ answers: [true, true] });
    const client = desk.window();
    const wrong = await hold(client, 'sk-wrong-0123456789-abcd');
    const failure = await failureOf(client.call('profiles.try', { profile: profile(), key: wrong.id }));
    expect(failure).toMatchObject({ code: 'model_auth' });
    expect(failure.message).toMatch(/does not accept the key that you entered/);
    expect(failure.todo).toMatch(/copied all of the key/);
    expect(JSON.stringify(failure.toJSON())).not.toContain('wrong-0123');
    const right = await hold(client);
    const lost = await failureOf(
      client.call('profiles.try', { profile: profile({ endpoint: 'http://127.0.0.1:9' }), key: right.id }),
    );
    expect(lost.code).toBe('forbidden');
    await client.call('profiles.try', { profile: profile(), key: right.id });
  });

  it('find the models of an address that lacks its version', async () => {
    await service.stop();
    service = await openaiStandIn({ seed: 1, key: KEY, calm: true, models: ['m'], base: '/openai/v1' });
    desk = makeDesk({ answers: [true] });
    const client = desk.window();
    const held = await hold(client);
    const asked = { provider: 'openai' as const, endpoint: `${service.origin}/openai`, key: held.id };
    expect(await client.call('profiles.models', asked)).toEqual({
      models: ['m'],
      endpoint: `${service.origin}/openai/v1`,
    });
  });

  it('send nothing where the person says no, and save nothing', async () => {
    desk = makeDesk({ answers: [false] });
    const client = desk.window();
    const held = await hold(client);
    const save = client.call('profiles.save', { profile: profile(), key: { id: held.id, keep: 'disk' } });
    expect((await failureOf(save)).code).toBe('forbidden');
    expect(service.counts.requests).toBe(0);
    expect((await client.call('profiles.list', {})).profiles.map((one) => one.profile.name)).toEqual([
      'Practice',
    ]);
  });

  it('never write a key that was pasted into another field', async () => {
    desk = makeDesk({ answers: [true, true, true, true] });
    const client = desk.window();
    for (const wrong of [
      { name: KEY },
      { model: KEY },
      { key_env: 'gsk_0123456789abcdefABCDEF01' },
      { endpoint: `${service.origin}/v1?key=${KEY}` },
      { endpoint: service.origin.replace('//', '//me:hunter22@') },
    ]) {
      const failure = await failureOf(client.call('profiles.save', { profile: profile(wrong) }));
      expect(failure.code, JSON.stringify(wrong)).toBe('bad_request');
      expect(JSON.stringify(failure.toJSON())).not.toMatch(/0123456789|hunter22/);
    }
  });

  it('ask before another key takes the place of one, and follow a profile that is renamed', async () => {
    desk = makeDesk({ answers: [true, false, true] });
    const client = desk.window();
    const held = await hold(client);
    await client.call('profiles.save', { profile: profile(), key: { id: held.id, keep: 'disk' } });
    const replace = (value: string) => client.call('keys.replace', { id: held.id, value });
    expect((await failureOf(replace('sk-other-0123456789-abcd'))).code).toBe('forbidden');
    await client.call('profiles.save', { profile: profile({ name: 'Ours' }), was: 'Mine' });
    expect((await client.call('keys.list', {})).keys).toMatchObject([{ uses: ['Ours'], hint: 'WXYZ' }]);
    await replace('sk-other-0123456789-abcd');
    expect((await client.call('keys.list', {})).keys).toMatchObject([{ uses: ['Ours'], hint: 'abcd' }]);
    await client.call('keys.remove', { id: held.id });
    expect((await client.call('keys.list', {})).keys).toEqual([]);
  });

  it('that cannot be read are told, and stay', async () => {
    desk = makeDesk({ answers: [true] });
    const client = desk.window();
    const held = await hold(client);
    await client.call('profiles.save', { profile: profile(), key: { id: held.id, keep: 'disk' } });
    const file = join(desk.home, 'config', 'keys.json');
    const good = readFileSync(file, 'utf8');
    writeFileSync(file, good.slice(0, 40));
    const again = makeDesk({ home: desk.home });
    const window = again.window();
    const list = await window.call('keys.list', {});
    expect(list.problem).toMatchObject({ code: 'secrets_unavailable' });
    const { shown } = await startChat(window, 'hello', { profile: 'Mine' });
    await shown.status('failed');
    expect(shown.head?.failure?.code).toBe('secrets_unavailable');
    await again.close();
    expect(readFileSync(file, 'utf8')).toBe(good.slice(0, 40));
  });
});
