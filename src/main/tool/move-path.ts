import { link, rename, unlink } from 'node:fs/promises';
import { Failure } from '../../shared/run/failure';
import { z } from '../../shared/zod';
import { defineTool } from './define';
import { lookAt, sureOf, withEntry } from './entry';
import { inFolder, isCode, shown } from './folder';

/** What systems without hard links say. */
const NO_LINKS = ['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'EACCES'];

export const movePath = defineTool({
  name: 'move_path',
  description:
    'Moves or renames a file or a folder inside the working folder. Missing folders are made. It never replaces what is there: the new name must be free.',
  schema: {
    type: 'object',
    properties: {
      from: {
        type: 'string',
        description: 'A file or folder, relative to the working folder.',
      },
      to: {
        type: 'string',
        description: 'Its whole new name, relative to the working folder.',
      },
    },
    required: ['from', 'to'],
    additionalProperties: false,
  },
  input: z.strictObject({ from: z.string(), to: z.string() }),
  changes: true,
  timeoutMs: 60_000,
  describe: ({ from, to }) => `Move ${shown(from)} to ${shown(to)}`,
  run: ({ from, to }, context) =>
    withEntry(context, from, (dir, name, stat) =>
      inFolder(context, to, { create: true }, async (target, last) => {
        const there = await lookAt(target, last);
        const same = there !== undefined && there.dev === stat.dev && there.ino === stat.ino;
        // Where case does not count, another spelling of a name is the same file.
        const respelled = same && from.toLowerCase() === to.toLowerCase() && from !== to;
        if (there && !respelled) throw notMoved(`${shown(to)} is there already.`);
        await sureOf(dir, name, stat, context.signal);
        await target.sure();
        const [old, fresh] = [dir.at(name), target.at(last)];
        try {
          // A rename would replace what another program puts there in this moment; a link does not.
          if (stat.isFile() && !respelled && (await linked(old, fresh))) await unlink(old);
          else await rename(old, fresh);
        } catch (error) {
          if (isCode(error, 'EXDEV')) throw notMoved(`${shown(to)} is on another disk.`);
          if (isCode(error, 'EINVAL')) throw notMoved('A folder cannot be moved into itself.');
          if (['EEXIST', 'ENOTEMPTY'].some((code) => isCode(error, code)))
            throw notMoved(`${shown(to)} is there already.`);
          throw error;
        }
        await target.sync();
        await dir.sync();
        return { content: `Moved ${shown(from)} to ${shown(to)}.` };
      }),
    ),
});

/** Missing folders may have been made by then. */
const notMoved = (why: string) => new Failure({ code: 'tool_failed', message: `Nothing was moved. ${why}` });

const linked = (old: string, fresh: string): Promise<boolean> =>
  link(old, fresh).then(
    () => true,
    (error: unknown) => {
      if (NO_LINKS.some((code) => isCode(error, code))) return false;
      throw error;
    },
  );
