import { describe, expect, it } from 'vitest';
import { endpointOf } from '../../../src/main/model/endpoint';
import { childEnvironment, keyOf, keyVariable, knownSecrets } from '../../../src/main/model/keys';
import { Failure } from '../../../src/shared/run/failure';
import { testProfile } from '../../support/model-calls';

const env = {
  ANTHROPIC_API_KEY: ' sk-ant-0123456789 ',
  OPENAI_API_KEY: 'sk-openai-0123456789',
  GROQ_KEY: 'gsk-0123456789abc',
  EMPTY: '  ',
  PATH: '/usr/bin',
};

describe('keys', () => {
  it('come from the usual variable, for the service that it belongs to', () => {
    expect(keyOf(testProfile({ provider: 'anthropic' }), env)).toBe('sk-ant-0123456789');
    expect(keyOf(testProfile({ provider: 'openai' }), env)).toBe('sk-openai-0123456789');
    expect(
      keyOf(testProfile({ provider: 'anthropic', endpoint: 'https://api.anthropic.com/v1/' }), env),
    ).toBe('sk-ant-0123456789');
  });

  it('never go to a stranger: another endpoint gets only the key that its profile names', () => {
    const stranger = { provider: 'openai' as const, endpoint: 'https://api.groq.com/openai/v1' };
    expect(keyOf(testProfile(stranger), env)).toBeUndefined();
    expect(keyOf(testProfile({ ...stranger, key_env: 'GROQ_KEY' }), env)).toBe('gsk-0123456789abc');
    for (const endpoint of ['http://api.anthropic.com', 'https://api.anthropic.com.evil.example'])
      expect(keyOf(testProfile({ provider: 'anthropic', endpoint }), env)).toBeUndefined();
  });

  it('are not needed on this machine', () => {
    expect(
      keyVariable(testProfile({ provider: 'openai', endpoint: 'http://localhost:11434/v1' })),
    ).toBeUndefined();
    expect(keyVariable(testProfile({ provider: 'practice' }))).toBeUndefined();
  });

  it.each([
    [{ provider: 'anthropic' as const }, {}, 'ANTHROPIC_API_KEY'],
    [{ provider: 'openai' as const }, { OPENAI_API_KEY: '' }, 'OPENAI_API_KEY'],
    [{ provider: 'openai' as const, key_env: 'EMPTY' }, env, 'EMPTY'],
    [{ provider: 'openai' as const }, { OPENAI_API_KEY: 'sk-one\nsk-two' }, 'OPENAI_API_KEY'],
    [{ provider: 'openai' as const }, { OPENAI_API_KEY: 'sk-“quoted”' }, 'OPENAI_API_KEY'],
  ])('that are missing are asked for by name', (profile, present, variable) => {
    try {
      keyOf(testProfile(profile), present);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(Failure);
      const failure = error as Failure;
      expect(failure.code).toBe('key_missing');
      expect(failure.message).toContain(variable);
      expect(failure.todo).toContain(variable);
      expect(JSON.stringify(failure)).not.toContain('sk-');
    }
  });

  it('are all known to whoever must hide them, the longest first', () => {
    const profiles = [testProfile({ provider: 'openai', key_env: 'GROQ_KEY' })];
    const secrets = knownSecrets(
      { ...env, SHORT: 'abc', HTTPS_PROXY: 'http://me:p%40ssword@proxy.example:8080' },
      [...profiles, testProfile({ provider: 'openai', key_env: 'SHORT' })],
    );
    expect(secrets).toContain('sk-ant-0123456789');
    expect(secrets).toContain('sk-openai-0123456789');
    expect(secrets).toContain('gsk-0123456789abc');
    expect(secrets).toContain('p%40ssword');
    expect(secrets).toContain('p@ssword');
    expect(secrets).not.toContain('abc');
    expect(secrets.map((secret) => secret.length)).toEqual(
      secrets.map((secret) => secret.length).sort((a, b) => b - a),
    );
  });

  it('are withheld from programs that Holdfast starts', () => {
    const child = childEnvironment({ ...env, GONE: undefined }, [
      testProfile({ provider: 'openai', key_env: 'GROQ_KEY' }),
    ]);
    expect(child).toEqual({ EMPTY: '  ', PATH: '/usr/bin' });
  });
});

describe('endpoints', () => {
  const of = (provider: 'anthropic' | 'openai', endpoint?: string) =>
    endpointOf(testProfile({ provider, ...(endpoint && { endpoint }) }));

  it.each([
    ['openai', undefined, 'https://api.openai.com/v1'],
    ['openai', 'http://localhost:11434', 'http://localhost:11434/v1'],
    ['openai', 'http://localhost:11434/', 'http://localhost:11434/v1'],
    ['openai', 'http://localhost:11434/v1/', 'http://localhost:11434/v1'],
    ['openai', 'https://openrouter.ai/api/v1/chat/completions', 'https://openrouter.ai/api/v1'],
    ['anthropic', undefined, 'https://api.anthropic.com'],
    ['anthropic', 'https://gateway.example/anthropic/v1/messages', 'https://gateway.example/anthropic'],
    ['anthropic', 'https://gateway.example/v1', 'https://gateway.example'],
  ] as const)('mean the same with and without path: %s %s', (provider, endpoint, base) => {
    expect(of(provider, endpoint).base).toBe(base);
  });

  it('keep a query apart', () => {
    const azure = of('openai', 'https://me.openai.azure.com/openai/deployments/x?api-version=2024-10-21');
    expect(azure).toMatchObject({
      base: 'https://me.openai.azure.com/openai/deployments/x',
      query: { 'api-version': '2024-10-21' },
      vendor: false,
      local: false,
    });
  });

  it.each([
    ['http://localhost:1', true],
    ['http://127.8.0.1', true],
    ['http://[::1]:8080', true],
    ['http://192.168.0.7:8000', true],
    ['http://10.1.2.3', true],
    ['http://172.20.0.1', true],
    ['http://172.32.0.1', false],
    ['http://[fd00::1]', true],
    ['http://nas.local', true],
    ['http://nas', true],
    ['https://api.example.com', false],
    ['http://8.8.8.8', false],
  ])('know what is near: %s %s', (endpoint, local) => {
    expect(of('openai', endpoint).local).toBe(local);
  });
});
