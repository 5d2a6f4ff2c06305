import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import {
  computeFingerprint,
  diffFingerprint,
  FINGERPRINT_FIELDS,
  sameFingerprint,
  systemText,
  toolsText,
} from '../../src/shared/run/fingerprint';
import type { FingerprintInput } from '../../src/shared/run/fingerprint';
import { goJson } from '../../src/shared/run/json';
import { fixture } from '../support/fold-cases';

const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');

interface Vector {
  bytes: string;
  value: unknown;
  sha256: string;
}
const { vectors } = JSON.parse(readFileSync(fixture('fingerprint-vectors.json'), 'utf8')) as {
  vectors: Vector[];
};

const input: FingerprintInput = {
  provider: 'practice',
  model: 'practice-1',
  system: ['You are careful'],
  tools: [],
  thinking: 'off',
  maxTokens: 2_000_000,
  maxIterations: 50,
};

const streamLs = {
  name: 'stream_ls',
  description: 'List <streams> & more\n\nTags: impact:ro',
  // deliberately not in the order that is hashed
  input_schema: {
    type: 'object',
    required: ['limit'],
    properties: { limit: { type: 'integer', maximum: 100 }, 2: { type: 'string' }, 10: { type: 'string' } },
    additionalProperties: false,
  },
};

describe('the fingerprint', () => {
  it.each(vectors.map((vector) => [vector.bytes, vector] as const))(
    'hashes %s like the reference',
    (_, { bytes, value, sha256: hash }) => {
      expect(goJson(value)).toBe(bytes);
      expect(sha256(goJson(value))).toBe(hash);
      if (Array.isArray(value) && value.length > 0) expect(systemText(value as string[])).toBe(bytes);
    },
  );

  it('hashes control characters, DEL, separators and emoji like the reference', () => {
    const block = 'a\u2028b\u0001\b\f\u007f\t"\\/é🙂';
    expect(systemText([block])).toBe('["a\\u2028b\\u0001\\b\\f\u007f\\t\\"\\\\/é🙂"]');
    expect(sha256(systemText([block]))).toBe(
      '341d5c1a647c3509906c858d41eb4280263da5e38f431815e4d4b4388ea587bb',
    );
  });

  it('hashes a set of one tool like the reference, with schema keys sorted by their bytes at every level', () => {
    expect(toolsText([streamLs])).toBe(
      '[{"Name":"stream_ls","Description":"List \\u003cstreams\\u003e \\u0026 more\\n\\nTags: impact:ro",' +
        '"InputSchema":{"additionalProperties":false,"properties":{"10":{"type":"string"},"2":{"type":"string"},' +
        '"limit":{"maximum":100,"type":"integer"}},"required":["limit"],"type":"object"},"DeferLoading":false}]',
    );
    expect(sha256(toolsText([streamLs]))).toBe(
      '72fc58bac7fdd035d6303912e6ab9da5d3567237f3c3662c42437b360f634031',
    );
  });

  it('hashes no tools as an empty list', () => {
    expect(computeFingerprint(input, sha256).tools_hash).toBe(
      '4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945',
    );
  });

  it('holds the prompt only as a hash', () => {
    const secret = 'the launch code is 0000';
    const print = computeFingerprint({ ...input, system: [secret] }, sha256);
    expect(JSON.stringify(print)).not.toContain('launch');
    expect(print.system_hash).toMatch(/^[0-9a-f]{64}$/);
  });

  it('tells what changed, all seven fields in one order, and that only the provider is hard', () => {
    const recorded = computeFingerprint(input, sha256);
    const current = computeFingerprint(
      {
        ...input,
        provider: 'openai',
        model: 'x',
        tools: [streamLs],
        thinking: 'summarized',
        maxIterations: 9,
      },
      sha256,
    );
    const diff = diffFingerprint(recorded, current);
    expect(diff.map(({ field }) => field)).toEqual(FINGERPRINT_FIELDS);
    expect(diff.filter(({ changed }) => changed).map(({ field }) => field)).toEqual([
      'provider',
      'model',
      'tools_hash',
      'thinking_mode',
      'max_iterations',
    ]);
    expect(diff.filter(({ force }) => force === 'hard').map(({ field }) => field)).toEqual(['provider']);
    expect(diff.at(-1)).toEqual({
      field: 'max_iterations',
      recorded: '50',
      current: '9',
      changed: true,
      force: 'forceable',
    });
    expect(sameFingerprint(recorded, current)).toBe(false);
    expect(sameFingerprint(recorded, computeFingerprint(input, sha256))).toBe(true);
  });

  it('does not depend on the order of schema keys, but on the order of tools', () => {
    const other = { ...streamLs, name: 'other' };
    fc.assert(
      fc.property(fc.shuffledSubarray(Object.keys(streamLs.input_schema), { minLength: 4 }), (keys) => {
        const schema = streamLs.input_schema as Record<string, unknown>;
        const shuffled = {
          ...streamLs,
          input_schema: Object.fromEntries(keys.map((key) => [key, schema[key]])),
        };
        expect(toolsText([shuffled, other])).toBe(toolsText([streamLs, other]));
      }),
    );
    expect(toolsText([streamLs, other])).not.toBe(toolsText([other, streamLs]));
  });
});
