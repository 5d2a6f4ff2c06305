import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  chmodSync,
  renameSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EnvironmentSecrets } from '../../../../src/main/settings/secrets/environment-secrets';
import { FileSecrets, noSeal } from '../../../../src/main/settings/secrets/file-secrets';
import { safeStorageSeal } from '../../../../src/main/shell/electron/safe-storage';
import { secretSuite } from '../../../conformance/secret-suite';
import { standInSafeStorage } from '../../../support/safe-storage-standin';
import { failureOf, until } from '../../../support/wait';

const folder = () => mkdtempSync(join(tmpdir(), 'holdfast-keys-'));
const all = (path: string) =>
  readdirSync(path)
    .map(
      (name) =>
        `${name}\n${statSync(join(path, name)).isFile() ? readFileSync(join(path, name), 'utf8') : ''}`,
    )
    .join('\n');

secretSuite(
  'a file that only its mode protects',
  () => {
    const path = folder();
    const file = join(path, 'keys.json');
    return {
      open: () => new FileSecrets(file, noSeal),
      written: () => all(path),
      breakReads: () => {
        const good = readFileSync(file);
        writeFileSync(file, good.subarray(0, good.length - 20));
        return () => writeFileSync(file, good);
      },
      close: () => rmSync(path, { recursive: true, force: true }),
    };
  },
  { readable: true },
);

secretSuite(
  'the keychain of the system',
  () => {
    const path = folder();
    const { safe, keychain } = standInSafeStorage();
    return {
      open: () => new FileSecrets(join(path, 'keys.json'), safeStorageSeal(safe, 'linux'), { limitMs: 300 }),
      written: () => all(path),
      breakReads: () => {
        keychain.locked = true;
        return () => (keychain.locked = false);
      },
      hang: () => (keychain.hangs = true),
      close: () => rmSync(path, { recursive: true, force: true }),
    };
  },
  { readable: false },
);

describe('secrets in the environment', () => {
  const store = new EnvironmentSecrets({ A_KEY: ' sk-0123456789-abcd ', EMPTY: ' ' }, async () => [
    { name: 'A_KEY', service: 'https://a.example', uses: ['A'] },
    { name: 'EMPTY', service: 'https://b.example', uses: ['B'] },
  ]);

  it('are read and listed, and changed by nobody', async () => {
    expect(await store.get('A_KEY')).toBe('sk-0123456789-abcd');
    expect(await store.get('EMPTY')).toBeUndefined();
    expect(await store.list()).toMatchObject([
      { id: 'A_KEY', hint: 'abcd', uses: ['A'], where: 'environment' },
    ]);
    for (const change of [store.put(), store.change(), store.remove()])
      expect((await failureOf(change)).code).toBe('unsupported');
  });
});

describe('the file of keys', () => {
  let path: string;
  let file: string;
  beforeEach(() => {
    path = folder();
    file = join(path, 'deeper', 'keys.json');
  });
  afterEach(() => rmSync(path, { recursive: true, force: true }));
  const secret = {
    kind: 'key',
    service: 'https://a.example',
    value: 'sk-0123456789-abcd',
    uses: ['A'],
    keep: 'disk',
  } as const;
  const mode = (of: string) => statSync(of).mode & 0o777;

  it('is the person’s alone, also when somebody opened it wider', async () => {
    const store = new FileSecrets(file, noSeal);
    const { id } = await store.put({ ...secret, uses: ['A'] });
    if (process.platform !== 'win32') expect(mode(file)).toBe(0o600);
    chmodSync(file, 0o644);
    expect(await store.get(id)).toBe(secret.value);
    if (process.platform !== 'win32') expect(mode(file)).toBe(0o600);
  });

  it('is no link to somewhere else', async () => {
    const store = new FileSecrets(file, noSeal);
    const { id } = await store.put({ ...secret, uses: ['A'] });
    renameSync(file, join(path, 'elsewhere.json'));
    symlinkSync(join(path, 'elsewhere.json'), file);
    expect((await failureOf(store.get(id))).code).toBe('secrets_unavailable');
    expect((await failureOf(store.put({ ...secret, uses: ['B'] }))).code).toBe('secrets_unavailable');
  });

  it('of a newer version is left as it is', async () => {
    const store = new FileSecrets(file, noSeal);
    await store.put({ ...secret, uses: ['A'] });
    writeFileSync(file, '{"version":2,"secrets":{}}');
    expect((await failureOf(store.list())).message).toMatch(/newer version/);
    expect((await failureOf(store.put({ ...secret, uses: ['B'] }))).code).toBe('secrets_unavailable');
    expect(readFileSync(file, 'utf8')).toBe('{"version":2,"secrets":{}}');
  });
});

describe('the protection of the system', () => {
  it.each([
    ['linux', { prefix: 'v11' as const }, 'encrypted'],
    // Whatever the backend is called: this prefix says that the key is in a public source.
    ['linux', { prefix: 'v10' as const }, 'unprotected'],
    ['linux', { available: false }, 'unprotected'],
    ['darwin', { prefix: 'v10' as const }, 'encrypted'],
    ['win32', { prefix: 'v10' as const }, 'encrypted'],
  ] as const)('on %s with %j is told as %s', async (platform, keychain, expected) => {
    expect(await safeStorageSeal(standInSafeStorage(keychain).safe, platform).protection()).toBe(expected);
  });

  it('that came later seals anew what had none, and what it wants to have sealed anew', async () => {
    const path = folder();
    const { safe, keychain } = standInSafeStorage({ available: false });
    const file = join(path, 'keys.json');
    const store = new FileSecrets(file, safeStorageSeal(safe, 'linux'));
    const { id } = await store.put({
      kind: 'key',
      service: 's',
      value: 'sk-0123456789-abcd',
      uses: [],
      keep: 'disk',
    });
    expect(readFileSync(file, 'utf8')).toContain('plain:');
    keychain.available = true;
    expect(await store.get(id)).toBe('sk-0123456789-abcd');
    await until(() => readFileSync(file, 'utf8').includes('safe:'));
    keychain.reEncrypt = true;
    const before = readFileSync(file, 'utf8');
    expect(await store.get(id)).toBe('sk-0123456789-abcd');
    await until(() => readFileSync(file, 'utf8') !== before);
    keychain.reEncrypt = false;
    expect(await store.get(id)).toBe('sk-0123456789-abcd');
    rmSync(path, { recursive: true, force: true });
  });
});
