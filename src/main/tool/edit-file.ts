import { lstat } from 'node:fs/promises';
import type { BigIntStats } from 'node:fs';
import { z } from '../../shared/zod';
import { Failure } from '../../shared/run/failure';
import { defineTool } from './define';
import { applyEdits } from './edits';
import { decode, encode, encodingOfAll, type Encoding } from './encoding';
import { inFolder, isCode, shown, type Dir } from './folder';
import { MAX_WRITE, putFile } from './put-file';
import { stopIfAborted } from './stop';
import { withFile } from './text';
import { bytesText, counted } from './walk';

const MAX_EDITS = 200;
/** Numbers of lines that an answer names. */
const NAMED = 10;

export const editFile = defineTool({
  name: 'edit_file',
  description:
    'Replaces exact pieces of a text file. Each old_text must occur exactly once in the file, unless replace_all is true: copy it from the file, with enough lines around it to be unique. The edits are made in order, each on the result of the one before, and the file is written once: all of them are made or none. Line endings, encoding and byte order mark of the file stay.',
  schema: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'A file, relative to the working folder.' },
      edits: {
        type: 'array',
        description: 'The replacements, in order.',
        items: {
          type: 'object',
          properties: {
            old_text: { type: 'string', description: 'The text to replace, exactly as it is in the file.' },
            new_text: { type: 'string', description: 'The text that comes in its place.' },
            replace_all: {
              type: 'boolean',
              description: 'Replace every place where old_text occurs. Default: false.',
            },
          },
          required: ['old_text', 'new_text'],
          additionalProperties: false,
        },
      },
    },
    required: ['path', 'edits'],
    additionalProperties: false,
  },
  input: z.strictObject({
    path: z.string(),
    edits: z
      .array(
        z.strictObject({
          old_text: z.string(),
          new_text: z.string(),
          replace_all: z.boolean().default(false),
        }),
      )
      .min(1, 'give at least one edit')
      .max(MAX_EDITS, `at most ${MAX_EDITS} edits fit into one call`),
  }),
  changes: true,
  timeoutMs: 30_000,
  describe: ({ path, edits }) => `Edit ${shown(path)}: ${counted(edits.length, 'replacement')}`,
  run: ({ path, edits }, { signal, ...place }) =>
    inFolder(place, path, {}, async (dir, name) => {
      const { bytes, stat } = await readWhole(dir, name, signal);
      const { text, encoding } = textOf(bytes, path);
      stopIfAborted(signal);
      const edited = await applyEdits(text, edits);
      stopIfAborted(signal);
      const out = encode(edited.text, encoding, true);
      if (!out)
        throw nothing(`${shown(path)} is in ${encoding.label}, which cannot hold all of the new text.`);
      if (out.length > MAX_WRITE)
        throw nothing(`The file would become too long: at most ${bytesText(MAX_WRITE)}.`);
      if (out.equals(bytes)) throw nothing('The edits leave the file as it is.');
      await putFile(dir, name, out, signal, { mode: Number(stat.mode) }, () => unchanged(dir, name, stat));
      const lines = edited.lines.slice(0, NAMED);
      const more = edited.lines.length > lines.length ? ' and more' : '';
      return {
        content: `Edited ${shown(path)}: ${counted(edited.made, 'replacement')} (from line ${lines.join(', ')}${more}). It has ${bytesText(out.length)} now; it had ${bytesText(bytes.length)}.${endOf(text, edited.text)}`,
      };
    }),
});

const nothing = (why: string) => new Failure({ code: 'tool_failed', message: `Nothing was changed. ${why}` });

const ends = (text: string) => /[\r\n]$/.test(text);
function endOf(before: string, after: string): string {
  if (ends(before) === ends(after) || after === '') return '';
  return ends(after)
    ? ' The file ends with a line break now; before it did not.'
    : ' The file no longer ends with a line break.';
}

/** All bytes of a file, and which file that was. */
async function readWhole(
  dir: Dir,
  name: string,
  signal: AbortSignal,
): Promise<{ bytes: Buffer; stat: BigIntStats }> {
  return withFile(dir, name, async (file) => {
    const stat = await file.stat({ bigint: true });
    if (stat.size > MAX_WRITE)
      throw nothing(`The file is too long to edit: at most ${bytesText(MAX_WRITE)}.`);
    const bytes = Buffer.alloc(Number(stat.size) + 1);
    let got = 0;
    for (;;) {
      stopIfAborted(signal);
      const { bytesRead } = await file.read(bytes, got, bytes.length - got);
      got += bytesRead;
      if (bytesRead === 0) return { bytes: bytes.subarray(0, got), stat };
      if (got === bytes.length) throw changed();
    }
  });
}

/** The text of a file that comes back byte for byte when it is written again; throws where there is none. */
function textOf(bytes: Buffer, path: string): { text: string; encoding: Encoding } {
  const encoding = encodingOfAll(bytes);
  if (encoding === 'binary') throw nothing(`${shown(path)} is a binary file (${bytesText(bytes.length)}).`);
  if (encoding === 'unknown')
    throw nothing(`${shown(path)} is not UTF-8, and its encoding cannot be told with certainty.`);
  const text = decode(bytes, encoding);
  if (!encode(text, encoding, true)?.equals(bytes))
    throw nothing(
      `${shown(path)} is in ${encoding.label}, but has bytes in it that are not: an edit would change them.`,
    );
  return { text, encoding };
}

/** The last look: another program may have written the file since it was read. */
async function unchanged(dir: Dir, name: string, was: BigIntStats): Promise<void> {
  const now = await lstat(dir.at(name), { bigint: true }).catch((error: unknown) => {
    if (isCode(error, 'ENOENT')) throw changed();
    throw error;
  });
  if (
    now.dev !== was.dev ||
    now.ino !== was.ino ||
    now.size !== was.size ||
    now.mtimeNs !== was.mtimeNs ||
    now.ctimeNs !== was.ctimeNs
  )
    throw changed();
}
const changed = () => nothing('The file was changed by another program meanwhile: read it again.');
