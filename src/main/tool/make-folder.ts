import { mkdir } from 'node:fs/promises';
import { z } from '../../shared/zod';
import { defineTool } from './define';
import { lookAt, nothingChanged } from './entry';
import { inFolder, isCode, shown } from './folder';
import { stopIfAborted } from './stop';

export const makeFolder = defineTool({
  name: 'make_folder',
  description:
    'Makes a folder, and those above it that are missing. A folder that is there already stays as it is.',
  schema: {
    type: 'object',
    properties: {
      path: {
        type: 'string',
        description: 'The folder, relative to the working folder.',
      },
    },
    required: ['path'],
    additionalProperties: false,
  },
  input: z.strictObject({ path: z.string() }),
  changes: true,
  timeoutMs: 30_000,
  describe: ({ path }) => `Make folder ${shown(path)}`,
  run: ({ path }, context) =>
    inFolder(context, path, { create: true }, async (dir, name) => {
      stopIfAborted(context.signal);
      await dir.sure();
      try {
        await mkdir(dir.at(name));
      } catch (error) {
        if (!isCode(error, 'EEXIST')) throw error;
        if ((await lookAt(dir, name))?.isDirectory())
          return { content: `The folder ${shown(path)} is there already.` };
        throw nothingChanged(`${shown(path)} is there already, and it is not a folder.`);
      }
      await dir.sync();
      return { content: `Made the folder ${shown(path)}.` };
    }),
});
