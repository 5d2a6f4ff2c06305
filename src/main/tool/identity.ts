import type { BigIntStats } from 'node:fs';

/**
 * Which folder a name led to: device, inode and time of birth. A folder that was moved away and replaced has another
 * one, whatever the new one is called.
 */
export const folderId = (stat: Pick<BigIntStats, 'dev' | 'ino' | 'birthtimeNs'>): string =>
  `${stat.dev}:${stat.ino}:${stat.birthtimeNs}`;

/** Devices may be numbered anew when the machine starts; the time of birth then has to be the same. */
export function isSameFolder(a: string, b: string): boolean {
  const [devA, inoA, bornA] = a.split(':');
  const [devB, inoB, bornB] = b.split(':');
  return inoA !== undefined && inoA === inoB && (devA === devB || (bornA !== '0' && bornA === bornB));
}
