import { z } from '../../shared/zod';
import { defineTool } from './define';
import { lookAt, nothingChanged, sureOf, withEntry } from './entry';
import { shown } from './folder';

export const deletePath = defineTool({
  name: 'delete_path',
  description:
    'Moves a file, or a folder with all that is in it, to the trash, where the person can find it again.',
  schema: {
    type: 'object',
    properties: {
      path: {
        type: 'string',
        description: 'A file or folder, relative to the working folder.',
      },
    },
    required: ['path'],
    additionalProperties: false,
  },
  input: z.strictObject({ path: z.string() }),
  changes: true,
  timeoutMs: 120_000,
  describe: ({ path }) => `Move ${shown(path)} to the trash`,
  run: ({ path }, context) =>
    withEntry(context, path, async (dir, name, stat) => {
      const { trash, signal } = context;
      if (!trash) throw nothingChanged('There is no trash here.');
      await sureOf(dir, name, stat, signal);
      await dir.sure(true);
      const where = await trash({
        real: dir.path(name),
        at: dir.at(name),
        signal,
      });
      const now = await lookAt(dir, name);
      if (now?.dev === stat.dev && now.ino === stat.ino)
        throw nothingChanged(`The system did not move ${shown(path)} to the trash.`);
      await dir.sync();
      return {
        content: `Moved the ${stat.isDirectory() ? 'folder' : 'file'} ${shown(path)} to the trash (${shown(where)}).`,
      };
    }),
});
