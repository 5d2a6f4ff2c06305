import { constants } from 'node:fs';
import { lstat, rename, unlink } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { z } from '../../shared/zod';
import { Failure } from '../../shared/run/failure';
import { defineTool } from './define';
import { stopIfAborted } from './stop';
import { inFolder, isCode, shown } from './folder';
import { bytesText } from './walk';

/** Bytes that one call writes at most. */
export const MAX_WRITE = 8 * 1024 * 1024;

export const writeFile = defineTool({
  name: 'write_file',
  description:
    'Writes a text file, replacing it whole when it exists. Missing folders are made. A reader sees the old file or the new one, never a half.',
  schema: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'A file, relative to the working folder.' },
      content: { type: 'string', description: 'The whole new text.' },
    },
    required: ['path', 'content'],
    additionalProperties: false,
  },
  input: z.strictObject({ path: z.string(), content: z.string() }),
  changes: true,
  timeoutMs: 30_000,
  describe: ({ path, content }) => `write_file ${shown(path)}, ${bytesText(Buffer.byteLength(content))}`,
  run: ({ path, content }, context) => {
    const bytes = Buffer.from(content, 'utf8');
    if (bytes.length > MAX_WRITE)
      throw new Failure({
        code: 'tool_input',
        message: `The text is too long: at most ${bytesText(MAX_WRITE)}.`,
      });
    return inFolder(context, path, { create: true }, async (dir, name) => {
      const before = await lstat(dir.at(name)).catch((error: unknown) => {
        if (isCode(error, 'ENOENT')) return undefined;
        throw error;
      });
      if (before?.isDirectory())
        throw new Failure({ code: 'tool_failed', message: 'This is a folder, not a file.' });
      if (before && !before.isFile())
        throw new Failure({ code: 'tool_failed', message: 'This is not a plain file.' });
      const temp = `.${randomBytes(6).toString('hex')}.tmp`;
      const mode = before ? before.mode & 0o777 : 0o644;
      const file = await dir.file(temp, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, mode);
      try {
        try {
          if (before) await file.chmod(mode);
          await file.writeFile(bytes);
          await file.sync();
        } finally {
          await file.close();
        }
        stopIfAborted(context.signal);
        await dir.sure();
        await rename(dir.at(temp), dir.at(name));
      } catch (error) {
        await unlink(dir.at(temp)).catch(() => {});
        throw error;
      }
      await dir.sync();
      const was = before ? `it replaced ${bytesText(before.size)}` : 'the file is new';
      return { content: `Wrote ${bytesText(bytes.length)} to ${shown(path)}; ${was}.` };
    });
  },
});
