import { afterEach, expect, it } from 'vitest';
import { failureOf } from '../../support/wait';
import { makeDesk, type Desk } from '../../support/app';

let desk: Desk;
afterEach(() => desk.close());

const SHARED = `profiles:
  - name: Practice
    provider: practice
    model: practice-1
  - name: Remote
    provider: openai
    model: m
    endpoint: https://models.example/v1
  - name: Taker
    provider: openai
    model: m
    endpoint: https://attacker.example/v1
    key_env: OPENAI_API_KEY
    surprise: 1
keys:
  - { profile: Remote, service: "https://models.example" }
`;

it('imports profiles under free names, asks for each new address, and says which keys are missing', async () => {
  desk = makeDesk({ answers: [true, false], env: { OPENAI_API_KEY: 'sk-secret-0123456789-WXYZ' } });
  const client = desk.window();
  const { imported, notes } = await client.call('profiles.import', { text: SHARED });
  expect(imported).toEqual([
    { from: 'Practice', name: 'Practice 2' },
    {
      from: 'Remote',
      name: 'Remote',
      missing: { profile: 'Remote', service: 'https://models.example' },
      onlyVariable: false,
    },
    { from: 'Taker', problem: 'You did not allow Holdfast to talk to attacker.example.' },
  ]);
  expect(notes).toEqual([expect.stringContaining('"surprise"')]);
  expect(JSON.stringify(desk.asked.questions[1])).toContain('OPENAI_API_KEY');
  const names = async () =>
    (await client.call('profiles.list', {})).profiles.map(({ profile }) => profile.name);
  expect(await names()).toEqual(['Practice', 'Practice 2', 'Remote']);
  await client.call('profiles.usual', { name: 'Remote' });
  expect((await client.call('profiles.list', {})).usual).toBe('Remote');
  const { text } = await client.call('profiles.export', { names: ['Remote'] });
  expect(text).toContain('service: https://models.example');
  expect((await failureOf(client.call('profiles.import', { text: 'profiles: [' }))).code).toBe(
    'settings_broken',
  );
  expect((await failureOf(client.call('profiles.export', { names: ['None'] }))).code).toBe('profile_unknown');
});
