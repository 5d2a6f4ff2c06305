import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FileSecrets, noSeal } from '../../../../src/main/settings/secrets/file-secrets';
import { Keyring } from '../../../../src/main/settings/secrets/keyring';
import { failureOf } from '../../../support/wait';

const A = 'https://a.example';
const use = (name: string, service = A) => ({ kind: 'key' as const, service, name });

describe('the keyring', () => {
  let path: string;
  let keyring: Keyring;
  const open = () => new Keyring(new FileSecrets(join(path, 'keys.json'), noSeal));
  beforeEach(() => {
    path = mkdtempSync(join(tmpdir(), 'holdfast-keyring-'));
    keyring = open();
  });
  afterEach(() => rmSync(path, { recursive: true, force: true }));
  const hold = (value: string, service = A) => keyring.hold({ kind: 'key', service, value });

  it('gives a key only to the service that it was entered for, and to who uses it', async () => {
    const { id } = await hold('sk-0123456789-abcd');
    expect(await keyring.valueFor(use('Work'))).toBeUndefined();
    expect((await failureOf(keyring.keep(id, use('Work', 'https://b.example'), 'disk'))).code).toBe(
      'forbidden',
    );
    await keyring.keep(id, use('Work'), 'disk');
    expect(await keyring.valueFor(use('Work'))).toBe('sk-0123456789-abcd');
    expect(await keyring.valueFor(use('Work', 'https://b.example'))).toBeUndefined();
    expect(await keyring.valueFor(use('Home'))).toBeUndefined();
    expect(await open().valueFor(use('Work'))).toBe('sk-0123456789-abcd');
  });

  it('takes the place of the key before, and keeps what others still use', async () => {
    const first = await hold('sk-first-0123456789');
    await keyring.keep(first.id, use('Work'), 'disk');
    await keyring.keep(first.id, use('Home'), 'disk');
    const second = await hold('sk-second-0123456789');
    await keyring.keep(second.id, use('Work'), 'disk');
    expect(await keyring.valueFor(use('Work'))).toBe('sk-second-0123456789');
    expect(await keyring.valueFor(use('Home'))).toBe('sk-first-0123456789');
    const third = await hold('sk-third-0123456789');
    await keyring.keep(third.id, use('Home'), 'disk');
    expect((await keyring.list()).map(({ id }) => id).sort()).toEqual([second.id, third.id].sort());
    // A key that was in use may be in some text, so it is hidden until this process ends.
    expect(keyring.known()).toContain('sk-first-0123456789');
  });

  it('follows a profile that is renamed', async () => {
    const { id } = await hold('sk-0123456789-abcd');
    await keyring.keep(id, use('Work'), 'disk');
    await keyring.renamed('key', 'Work', 'Office');
    expect(await open().valueFor(use('Office'))).toBe('sk-0123456789-abcd');
    expect(await open().valueFor(use('Work'))).toBeUndefined();
  });

  it('knows what is saved before anything uses it', async () => {
    const { id } = await hold('sk-0123456789-abcd');
    await keyring.keep(id, use('Work'), 'disk');
    const again = open();
    expect(again.known()).toEqual([]);
    await again.warm();
    expect(again.known()).toEqual(['sk-0123456789-abcd']);
  });

  it.each([
    ['export OPENAI_API_KEY="sk-0123456789-abcd"', 'sk-0123456789-abcd'],
    ['  Bearer sk-0123456789-abcd \n', 'sk-0123456789-abcd'],
    ['x-api-key: sk-0123456789-abcd', 'sk-0123456789-abcd'],
    ["'sk-0123456789-abcd'", 'sk-0123456789-abcd'],
  ])('takes a key as people paste it: %j', async (pasted, value) => {
    const { id } = await hold(pasted);
    expect(await keyring.valueOf(id)).toBe(value);
  });

  it.each([
    '',
    'two words',
    'sk-“quoted”',
    'sk-abc…wxyz',
    'sk-****************wxyz',
    'https://api.openai.com',
  ])('refuses what is no key, without quoting it: %j', async (pasted) => {
    const failure = await failureOf(hold(pasted));
    expect(failure.code).toBe('bad_request');
    if (pasted) expect(JSON.stringify(failure.toJSON())).not.toContain(pasted);
    expect(keyring.known()).toEqual([]);
  });

  it('is not filled by a page that enters keys for ever', async () => {
    for (let n = 0; n < 60; n++) await hold(`sk-0123456789-${n}abc`);
    expect((await keyring.list()).length).toBeLessThanOrEqual(50);
  });
});
