import { createRequire } from 'node:module';
import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';

/** What is used of fs-native-extensions. Both throw for file systems that have no locks. */
interface KernelLocks {
  /** false: somebody else holds it. Held until the descriptor is closed, by whatever means, a crash included. */
  tryLock(fd: number, options?: { shared?: boolean }): boolean;
  unlock(fd: number): void;
}

/** Absent on a processor or system that the package has no build for: then locks are reduced, and nothing else breaks. */
export const kernelLocks: KernelLocks | undefined = (() => {
  try {
    return createRequire(import.meta.url)('fs-native-extensions') as KernelLocks;
  } catch {
    return undefined;
  }
})();

/**
 * Linux file systems on which one kernel sees every writer, by their number in statfs(2). Deliberately not here: NFS,
 * SMB, 9p, FUSE and everything unknown, where another machine may write, and FAT, whose clock ticks every two seconds.
 */
const LOCAL_LINUX = new Map<number, string>([
  [0xef53, 'ext'],
  [0x58465342, 'xfs'],
  [0x9123683e, 'btrfs'],
  [0xca451a4e, 'bcachefs'],
  [0xf2f52010, 'f2fs'],
  [0x2fc12fc1, 'zfs'],
  [0x01021994, 'tmpfs'],
  [0x858458f6, 'ramfs'],
  [0x794c7630, 'overlayfs'],
  [0x3153464a, 'jfs'],
  [0x52654973, 'reiserfs'],
  [0x3434, 'nilfs'],
  [0xf15f, 'ecryptfs'],
  [0x7366746e, 'ntfs3'],
  [0x2011bab0, 'exfat'],
]);
/** APFS and HFS+, as macOS numbers them. */
const LOCAL_MAC = new Map<number, string>([
  [26, 'apfs'],
  [17, 'hfs'],
]);

/** Whether a file system of this type is one where kernel locks can be relied on. */
export function isLocalType(type: number, platform: NodeJS.Platform): boolean {
  if (platform === 'linux') return LOCAL_LINUX.has(type >>> 0);
  if (platform === 'darwin') return LOCAL_MAC.has(type >>> 0);
  return false;
}

/** Whether a directory, or the nearest one above it that exists, is on such a file system. */
export function isLocal(directory: string, platform: NodeJS.Platform = process.platform): boolean {
  // Windows gives no type; its locks are the server's own business and hold over the network as well.
  if (platform === 'win32') return !directory.startsWith('\\\\');
  for (let path = directory; ; path = dirname(path)) {
    try {
      return isLocalType(statfsSync(path).type, platform);
    } catch {
      if (dirname(path) === path) return false;
    }
  }
}
