import { constants } from 'node:fs';
import { z } from '../../shared/zod';
import { Failure } from '../../shared/run/failure';
import { defineTool } from './define';
import { pause, stopIfAborted } from './stop';
import { inFolder, locate, shown, type Dir } from './folder';
import { bytesText, counted } from './walk';
import { MAX_WAIT } from './wait';
import { encode } from './encoding';
import { MAX_WRITE } from './put-file';
import { encodingThere } from './write-file';

/** Adds to the end of a file. With a delay the effect happens in the middle of it, so that a kill can fall on either side. */
export const appendFile = defineTool({
  name: 'append_file',
  description:
    'Adds text to the end of a file, exactly as given. A missing file or folder is made. With delay_seconds it takes that long and writes halfway through.',
  schema: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'A file, relative to the working folder.' },
      text: { type: 'string', description: 'The text to add; end it with a line break to add a whole line.' },
      delay_seconds: {
        type: 'number',
        minimum: 0,
        maximum: MAX_WAIT,
        description: 'How long the call takes. Default: 0.',
      },
    },
    required: ['path', 'text'],
    additionalProperties: false,
  },
  input: z.strictObject({
    path: z.string(),
    text: z.string(),
    delay_seconds: z.number().min(0).max(MAX_WAIT).default(0),
  }),
  changes: true,
  timeoutMs: (MAX_WAIT + 30) * 1000,
  describe: ({ path, text, delay_seconds }) =>
    `append_file ${shown(path)}, ${bytesText(Buffer.byteLength(text))}${delay_seconds ? ` over ${counted(delay_seconds, 'second')}` : ''}`,
  async run({ path, text, delay_seconds }, context) {
    const { folder, signal } = context;
    if (Buffer.byteLength(text) > MAX_WRITE)
      throw new Failure({
        code: 'tool_input',
        message: `The text is too long: at most ${bytesText(MAX_WRITE)}.`,
      });
    const half = (delay_seconds * 1000) / 2;
    if (half > 0) {
      if (folder !== undefined) await locate(folder, path);
      await pause(half, signal);
    }
    const { size, added } = await inFolder(context, path, { create: true }, async (dir, name) => {
      const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT;
      const file = await dir.file(name, flags);
      try {
        // Another name of this file may lie outside the folder, where nothing may change.
        if ((await file.stat()).nlink > 1)
          throw new Failure({
            code: 'outside_folder',
            message: `${shown(path)} has a second name elsewhere (a hard link), so it is not appended to.`,
          });
        const bytes = await inItsEncoding(text, path, dir, name, signal);
        stopIfAborted(signal);
        await dir.sure();
        const { bytesWritten } = await file.write(bytes);
        if (bytesWritten !== bytes.length)
          throw new Failure({
            code: 'tool_failed',
            message: `Only ${bytesText(bytesWritten)} of ${bytesText(bytes.length)} could be added.`,
          });
        await file.sync();
        return { size: (await file.stat()).size, added: bytes.length };
      } finally {
        await file.close();
      }
    });
    const done = `Added ${bytesText(added)} to ${shown(path)}; it now has ${bytesText(size)}.`;
    if (half > 0)
      await pause(half, signal).catch(() => {
        throw new Failure({ code: 'cancelled', message: `${done} It was stopped after that.` });
      });
    return { content: done };
  },
});

/** The text as bytes of the file: what is added to a text in another encoding must be in that one. */
async function inItsEncoding(
  text: string,
  path: string,
  dir: Dir,
  name: string,
  signal: AbortSignal,
): Promise<Buffer> {
  const encoding = await encodingThere(dir, name, signal);
  // ASCII is the same in all of them but those of two bytes, which are always known.
  if (encoding === 'binary' || (encoding === 'unknown' && /^[\t\n\r -~]*$/.test(text)))
    return Buffer.from(text);
  const bytes = encoding === 'unknown' ? undefined : encode(text, encoding, false);
  if (bytes) return bytes;
  const is =
    encoding === 'unknown'
      ? 'not UTF-8, and its encoding cannot be told'
      : `in ${encoding.label}, which cannot hold this text`;
  throw new Failure({ code: 'tool_failed', message: `Nothing was added. ${shown(path)} is ${is}.` });
}
