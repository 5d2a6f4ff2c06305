import { describe, expect, it } from 'vitest';
import { addressHoldsKey, looksLikeKey } from '../../src/shared/secret-text';
import { baseAddress, serviceAt, SERVICES } from '../../src/shared/services';

describe('the list of services', () => {
  it('finds each service by its own address, and has every field that a page needs', () => {
    for (const service of SERVICES) {
      if (service.address === '') expect(service.example).toBeDefined();
      else expect(serviceAt(service.provider, service.address)?.id).toBe(service.id);
      if (service.key === 'needed') expect(service.keysPage).toMatch(/^https:/);
    }
    expect(new Set(SERVICES.map(({ id }) => id)).size).toBe(SERVICES.length);
    expect(serviceAt('openai', undefined)?.id).toBe('openai');
    expect(serviceAt('anthropic', undefined)?.id).toBe('anthropic');
    expect(serviceAt('openai', 'https://x.openai.azure.com/openai/v1')?.id).toBe('azure');
    expect(serviceAt('openai', 'https://api.openai.com.evil.example')).toBeUndefined();
  });

  it.each([
    ['localhost:11434', 'http://localhost:11434/v1'],
    ['11434', 'http://127.0.0.1:11434/v1'],
    ['http://localhost:11434/api/chat', 'http://localhost:11434/v1'],
    ['http://localhost:11434/api', 'http://localhost:11434/v1'],
    ['http://0.0.0.0:8000', 'http://127.0.0.1:8000/v1'],
    ['192.168.1.5:1234/v1/', 'http://192.168.1.5:1234/v1'],
    ['http://127.0.0.1:1234/api/v0/models', 'http://127.0.0.1:1234/v1'],
    ['api.groq.com/openai/v1', 'https://api.groq.com/openai/v1'],
    ['https://openrouter.ai/api', 'https://openrouter.ai/api'],
    ['https://openrouter.ai/api/v1/chat/completions', 'https://openrouter.ai/api/v1'],
    ['https://api.deepseek.com', 'https://api.deepseek.com/v1'],
    ['https://mine.openai.azure.com/', 'https://mine.openai.azure.com/openai/v1'],
    ['"https://api.mistral.ai/v1/models"', 'https://api.mistral.ai/v1'],
  ])('understands an address as it was typed: %s', (typed, base) => {
    expect(baseAddress(typed)).toBe(base);
    expect(baseAddress(base)).toBe(base);
  });

  it.each(['', 'ftp://x.example', '://', 'not an address at all'])('takes no %j for an address', (typed) => {
    expect(baseAddress(typed)).toBeUndefined();
  });
});

describe('a key in a field for something else', () => {
  it.each([
    'sk-ant-api03-0123456789abcdef',
    'sk-proj-0123456789abcdefABCDEF',
    'gsk_0123456789abcdefABCDEF01',
    'AIzaSyA0123456789abcdefABCDEF01234567',
    'xai-0123456789abcdefABCDEF',
    'OPENAI_API_KEY=sk-0123456789abcdefABCD',
    '0123456789abcdef0123456789abcdef',
  ])('is recognised: %s', (text) => expect(looksLikeKey(text)).toBe(true));

  it.each([
    'gpt-5.2-mini',
    'claude-sonnet-4-6',
    'meta-llama/Llama-3.3-70B-Instruct-Turbo-Free',
    'mistralai/mistral-small-3.2-24b-instruct:free',
    'accounts/fireworks/models/llama-v3p1-405b-instruct',
    'claude-3-5-sonnet-20241022',
    'ANTHROPIC_API_KEY',
    'My model for long evenings',
    'https://api.openai.com/v1',
  ])('is not seen where there is none: %s', (text) => expect(looksLikeKey(text)).toBe(false));

  it('is seen in an address', () => {
    expect(addressHoldsKey('https://me:secret@x.example/v1')).toBe(true);
    expect(addressHoldsKey('https://x.example/v1?key=abc')).toBe(true);
    expect(addressHoldsKey('https://x.example/v1?api-version=2024-10-21')).toBe(false);
  });
});
