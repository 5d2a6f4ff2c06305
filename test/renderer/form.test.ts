import { describe, expect, it } from 'vitest';
import { profile as profileSchema } from '../../src/shared/run/profile';
import type { ProviderId } from '../../src/shared/run/profile';
import type { ToolInfo } from '../../src/renderer/store/profiles';
import {
  emptyForm,
  formOf,
  impossibleTools,
  problemsOf,
  profileOf,
} from '../../src/renderer/view/profiles/form';

const everyone: ProviderId[] = ['anthropic', 'openai', 'practice'];
const tools: ToolInfo[] = [
  { name: 'read_file', description: 'Reads.', changes: false, providers: everyone },
  { name: 'wait', description: 'Waits.', changes: false, providers: ['practice'] },
];
const good = { ...emptyForm(tools), name: 'Work', model: 'some-model' };

describe('the profile editor’s form', () => {
  it('makes a profile that the schema takes, and comes back the same', () => {
    const full = {
      ...good,
      endpoint: ' https://api.example.org/v1 ',
      key_env: 'MY_KEY',
      max_output_tokens: '9,000',
    };
    const saved = profileSchema.parse(profileOf(full, tools));
    expect(saved).toMatchObject({
      endpoint: 'https://api.example.org/v1',
      key_env: 'MY_KEY',
      limits: { max_output_tokens: 9_000 },
    });
    expect(profileSchema.parse(profileOf(formOf(saved), tools))).toEqual(saved);
  });

  it('names no tool that its provider cannot be given, whichever it was before', () => {
    expect(profileOf(emptyForm(tools), tools).tools).toEqual(['read_file']);
    const practice = { ...good, provider: 'practice' as const };
    expect(profileOf(practice, tools).tools).toEqual(['read_file', 'wait']);
    expect(impossibleTools(practice, tools)).toEqual([]);
    for (const provider of ['anthropic', 'openai'] as const) {
      expect(impossibleTools({ ...practice, provider }, tools)).toEqual(['wait']);
      expect(profileOf({ ...practice, provider }, tools).tools).toEqual(['read_file']);
    }
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
    const saved = profileOf(
      {
        ...good,
        provider: 'practice',
        endpoint: 'https://evil.example',
        key_env: 'KEY',
      },
      tools,
    );
    expect(saved).not.toHaveProperty('endpoint');
    expect(saved).not.toHaveProperty('key_env');
  });
});
