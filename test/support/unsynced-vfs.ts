import { nodeVfs } from '../../src/main/journal/file/vfs';
import type { Vfs } from '../../src/main/journal/file/vfs';

/** The real file layer that waits for no disk: for tests in which what is durable is somebody else's question. */
export const unsyncedVfs: Vfs = {
  ...nodeVfs,
  sync: async () => undefined,
  syncAll: async () => undefined,
  syncDirectory: async () => undefined,
};
