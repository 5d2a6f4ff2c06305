import { describe, expect, it } from 'vitest';
import { isFailure } from '../../../src/shared/run/failure';
import {
  EXCHANGE_BYTES,
  exchangeText,
  freeProfileName,
  readExchange,
} from '../../../src/main/settings/profile-exchange';
import { profile } from '../../../src/main/settings/profile';

const GOOD = 'profiles:\n  - name: A\n    provider: openai\n    model: m\n';
const refusal = (text: string): string => {
  try {
    readExchange(text);
  } catch (error) {
    if (isFailure(error, 'settings_broken')) return error.message;
    throw error;
  }
  return '';
};

describe('a file that profiles are shared in', () => {
  it('gives back what was exported, field by field', () => {
    const wanted = [
      profile.parse({ name: 'A', provider: 'openai', model: 'm', endpoint: 'http://127.0.0.1:1/v1' }),
      profile.parse({
        name: 'B: "quoted" # not a comment',
        provider: 'anthropic',
        model: 'm',
        system_prompt: 'two\n  lines\t\n',
        thinking: true,
        tools: ['read_file'],
        limits: { max_tokens: 0, call_timeout: 1.5 },
      }),
    ];
    const text = exchangeText(wanted, [{ profile: 'A', service: 'http://127.0.0.1:1' }], []);
    expect(readExchange(text)).toEqual({ profiles: wanted, needKey: new Set(['A']), notes: [] });
  });

  it.each([
    ['too large', `${GOOD}# ${'x'.repeat(EXCHANGE_BYTES)}`, 'larger than'],
    ['references', `x: &a [1]\ny: *a\n${GOOD}`, 'references'],
    ['a bomb of references', `a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]\n${GOOD}`, 'references'],
    ['a reference to nothing', `y: *a\n${GOOD}`, 'references'],
    ['nested beyond any parser', '['.repeat(20_000), 'cannot be imported'],
    ['a name twice', `${GOOD}    model: n\n`, 'twice'],
    ['many names', Array.from({ length: 10_000 }, (_, n) => `k${n}:`).join('\n'), 'missing'],
    ['no YAML', 'profiles: [', 'line 1'],
    ['a text', 'hello', 'cannot be imported'],
    ['nothing', '', 'cannot be imported'],
    ['no profile', 'profiles: []', 'at least'],
    ['two files', `${GOOD}---\n${GOOD}`, 'second file'],
    ['a wrong value', GOOD.replace('openai', 'closed'), 'provider'],
    ['a later version', `version: 2\n${GOOD}`, 'version'],
  ])('is refused in plain words with %s', (_, text, words) => {
    expect(refusal(text)).toContain(words);
  });

  it.each(['__proto__', 'constructor', 'toString', 'api_key', 'temperature'])(
    'is taken without a field that is not known here (%s), and says so',
    (field) => {
      const { profiles, notes } = readExchange(`${GOOD}    ${field}: { polluted: true }\n${field}: 1\n`);
      expect(profiles).toEqual([profile.parse({ name: 'A', provider: 'openai', model: 'm' })]);
      expect(notes).toHaveLength(2);
      expect(notes.join()).toContain(`"${field}"`);
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
      expect(Object.getPrototypeOf(profiles[0])).toBe(Object.prototype);
    },
  );

  it('is taken without tools that are not known here, and says so', () => {
    const { profiles, notes } = readExchange(`${GOOD}    tools: [read_file, wait, rm_rf]\n`);
    expect(profiles[0]?.tools).toEqual(['read_file']);
    expect(notes.join()).toContain('wait, rm_rf');
  });

  it('gets free names, within the length of a name', () => {
    expect(freeProfileName('A', new Set())).toBe('A');
    expect(freeProfileName('A', new Set(['A', 'A 2']))).toBe('A 3');
    const long = 'x'.repeat(80);
    expect(freeProfileName(long, new Set([long]))).toBe(`${'x'.repeat(78)} 2`);
  });
});
