import { lstat } from 'node:fs/promises';
import { z } from '../../shared/zod';
import { Failure } from '../../shared/run/failure';
import { defineTool } from './define';
import { HEAD, UTF8, encode, encodingOf } from './encoding';
import { MAX_WRITE, putFile } from './put-file';
import { readUpTo } from './text';
import { inFolder, isCode, shown, type Dir } from './folder';
import { bytesText } from './walk';

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
  caution: ({ path, content }, context) =>
    inFolder(context, path, {}, async (dir, name) => {
      const encoding = await encodingThere(dir, name, context.signal);
      return bytesOf(content, encoding) ? undefined : lossOf(path, encoding);
    }),
  run: ({ path, content }, context) => {
    if (Buffer.byteLength(content) > MAX_WRITE)
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
      const encoding = before ? await encodingThere(dir, name, context.signal) : UTF8;
      // What the file is in now may not be what a person was told.
      const kept = bytesOf(content, encoding);
      if (!kept && context.caution !== lossOf(path, encoding))
        throw new Failure({ code: 'tool_failed', message: `Nothing was written. ${lossOf(path, encoding)}` });
      const bytes = kept ?? Buffer.from(content);
      await putFile(dir, name, bytes, context.signal, before);
      const was = before ? `it replaced ${bytesText(before.size)}` : 'the file is new';
      const how =
        kept && typeof encoding !== 'string' && encoding.name !== UTF8.name
          ? ` in ${encoding.label}, as before`
          : '';
      return { content: `Wrote ${bytesText(bytes.length)} to ${shown(path)}${how}; ${was}.` };
    });
  },
});

type Known = ReturnType<typeof encodingOf>;

/** The encoding of a file that is there; a file that is no text, or cannot be read, is about to become UTF-8. */
export async function encodingThere(dir: Dir, name: string, signal: AbortSignal): Promise<Known> {
  const head = await readUpTo(dir, name, HEAD, signal).catch(() => undefined);
  return head ? encodingOf(head, head.length < HEAD) : UTF8;
}

/** A text as the file has it; undefined: what it says, or what the file is, would be lost. */
function bytesOf(content: string, encoding: Known): Buffer | undefined {
  if (encoding === 'binary') return Buffer.from(content);
  return encoding === 'unknown' ? undefined : encode(content, encoding, true);
}

function lossOf(path: string, encoding: Known): string {
  const label = typeof encoding === 'string' ? '' : encoding.label;
  return label === ''
    ? `${shown(path)} is not UTF-8, and its encoding cannot be told: writing makes it UTF-8.`
    : `${shown(path)} is in ${label}, which cannot hold all of the new text: writing makes it UTF-8.`;
}
