import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { SafeStorage } from '../../src/main/shell/electron/safe-storage';

/** How the system around it behaves; a test changes it. */
export interface Keychain {
  available: boolean;
  /** As Chromium on Linux without an unlocked keyring: what is sealed begins with this, and anyone can open it. */
  prefix: 'v10' | 'v11' | 'v12';
  locked: boolean;
  hangs: boolean;
  reEncrypt: boolean;
}

/** A stand-in for Electron's `safeStorage`: real encryption, with a system around it that can refuse or hang. */
export function standInSafeStorage(change: Partial<Keychain> = {}): {
  safe: SafeStorage;
  keychain: Keychain;
} {
  const keychain: Keychain = {
    available: true,
    prefix: 'v11',
    locked: false,
    hangs: false,
    reEncrypt: false,
    ...change,
  };
  const key = randomBytes(32);
  const answer = async () => {
    if (keychain.hangs) await new Promise<never>(() => undefined);
    if (keychain.locked) throw new Error('The user denied access.');
  };
  const safe: SafeStorage = {
    isAsyncEncryptionAvailable: async () => {
      if (keychain.hangs) await new Promise<never>(() => undefined);
      return keychain.available;
    },
    async encryptStringAsync(text) {
      await answer();
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, iv);
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([Buffer.from(keychain.prefix), iv, cipher.getAuthTag(), body]);
    },
    async decryptStringAsync(sealed) {
      await answer();
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(3, 15));
      decipher.setAuthTag(sealed.subarray(15, 31));
      const text = Buffer.concat([decipher.update(sealed.subarray(31)), decipher.final()]).toString('utf8');
      return { result: text, shouldReEncrypt: keychain.reEncrypt };
    },
  };
  return { safe, keychain };
}
