import { describe, expect, it } from 'vitest';
import { profile as profileSchema } from '../../src/shared/run/profile';
import { emptyForm, formOf, problemsOf, profileOf } from '../../src/renderer/view/profiles/form';

const tools = [{ name: 'read_file', description: 'Reads.', changes: false }];
const good = { ...emptyForm(tools), name: 'Work', model: 'some-model' };

describe('the profile editor’s form', () => {
  it('makes a profile that the schema takes, and comes back the same', () => {
    const full = {
      ...good,
      endpoint: ' https://api.example.org/v1 ',
      key_env: 'MY_KEY',
      max_output_tokens: '9,000',
    };
    const saved = profileSchema.parse(profileOf(full));
    expect(saved).toMatchObject({
      endpoint: 'https://api.example.org/v1',
      key_env: 'MY_KEY',
      limits: { max_output_tokens: 9_000 },
    });
    expect(profileSchema.parse(profileOf(formOf(saved)))).toEqual(saved);
  });

  it('tells each problem beside its field', () => {
    const taken = new Set(['Taken']);
    expect(problemsOf(good, taken)).toEqual({});
    const bad = {
      ...good,
      name: 'Taken',
      model: ' ',
      endpoint: 'javascript:alert(1)',
      key_env: 'sk-live 123',
      max_iterations: '0',
      max_tokens: 'many',
      call_timeout: '-1',
      max_output_tokens: '1.5',
    };
    expect(Object.keys(problemsOf(bad, taken)).sort()).toEqual(
      [
        'call_timeout',
        'endpoint',
        'key_env',
        'max_iterations',
        'max_output_tokens',
        'max_tokens',
        'model',
        'name',
      ].sort(),
    );
  });

  it('never sends an endpoint or a key with the Practice model', () => {
    const saved = profileOf({
      ...good,
      provider: 'practice',
      endpoint: 'https://evil.example',
      key_env: 'KEY',
    });
    expect(saved).not.toHaveProperty('endpoint');
    expect(saved).not.toHaveProperty('key_env');
  });
});
