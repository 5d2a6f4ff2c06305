import type { Seal } from '../../settings/secrets/file-secrets';

/** The part of Electron's `safeStorage` that is used; its synchronous half is deprecated. */
export interface SafeStorage {
  isAsyncEncryptionAvailable(): Promise<boolean>;
  encryptStringAsync(text: string): Promise<Buffer>;
  decryptStringAsync(sealed: Buffer): Promise<{ result: string; shouldReEncrypt: boolean }>;
}

const NAMES: Partial<Record<NodeJS.Platform, string>> = {
  darwin: 'The keychain of this computer',
  win32: 'The data protection of Windows',
};

/** Marks with which a sealed text tells what sealed it. */
const SAFE = 'safe:';
const PLAIN = 'plain:';

/**
 * Seals with the keychain of the system, through Electron.
 *
 * On Linux the name of the backend proves nothing: with a desktop but without an unlocked keyring, Chromium encrypts with
 * a key that is in its public source, and says `v10` at the beginning of what it made. So a probe is sealed and looked at.
 * Where there is no protection, the store says so, and what a person saves all the same is kept by the file's mode alone.
 */
export function safeStorageSeal(safe: SafeStorage, platform: NodeJS.Platform): Seal {
  const sealedByNobody = (sealed: Buffer) =>
    platform === 'linux' && sealed.subarray(0, 3).toString('latin1') === 'v10';
  return {
    called: NAMES[platform] ?? 'The keyring of this desktop',
    async protection() {
      if (!(await safe.isAsyncEncryptionAvailable())) return 'unprotected';
      return sealedByNobody(await safe.encryptStringAsync('probe')) ? 'unprotected' : 'encrypted';
    },
    async seal(value) {
      if (!(await safe.isAsyncEncryptionAvailable()))
        return PLAIN + Buffer.from(value, 'utf8').toString('base64');
      const sealed = await safe.encryptStringAsync(value);
      return SAFE + sealed.toString('base64');
    },
    async open(sealed) {
      if (sealed.startsWith(PLAIN)) {
        const value = Buffer.from(sealed.slice(PLAIN.length), 'base64').toString('utf8');
        // Sealed as soon as there is something to seal with.
        const again = await safe.isAsyncEncryptionAvailable().catch(() => false);
        return { value, again };
      }
      const bytes = Buffer.from(sealed.slice(SAFE.length), 'base64');
      const { result, shouldReEncrypt } = await safe.decryptStringAsync(bytes);
      return { value: result, again: shouldReEncrypt };
    },
  };
}
