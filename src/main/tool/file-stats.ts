import { z } from '../../shared/zod';
import { defineTool } from './define';
import { inFolder, isCode, shown } from './folder';
import type { Dir } from './folder';
import { eachChunk, looksBinary, withFile } from './text';
import { bytesText, counted, sizeOf, walk } from './walk';

/** Levels below the folder that are entered. */
const DEEPEST = 64;

export const fileStats = defineTool({
  name: 'file_stats',
  description:
    'Counts: for a folder the files, folders, bytes, kinds of files and the largest ones below it; for a file its bytes, lines and words. .git and node_modules are not counted.',
  schema: {
    type: 'object',
    properties: {
      path: {
        type: 'string',
        description: 'A file or folder, relative to the working folder. Default: the working folder.',
      },
    },
    additionalProperties: false,
  },
  input: z.strictObject({ path: z.string().default('.') }),
  changes: false,
  timeoutMs: 30_000,
  describe: ({ path }) => `file_stats ${shown(path)}`,
  run: async ({ path }, context) => {
    const { signal } = context;
    const content = await inFolder(context, path, { whole: true }, (dir) => folderStats(dir, signal)).catch(
      (cause: unknown) => {
        if (!isCode(cause, 'ENOTDIR')) throw cause;
        return inFolder(context, path, {}, (dir, name) => oneFile(dir, name, signal));
      },
    );
    return { content };
  },
});

async function folderStats(dir: Dir, signal: AbortSignal): Promise<string> {
  const kinds = new Map<string, { files: number; bytes: number }>();
  let largest: { path: string; size: number }[] = [];
  let files = 0;
  let folders = 0;
  let bytes = 0;
  const { cut, deep } = await walk(dir, { depth: DEEPEST, signal }, async (found) => {
    if (found.kind === 'folder') return void (folders += found.skipped ? 0 : 1);
    if (found.kind !== 'file') return;
    const size = (await sizeOf(found))?.size ?? 0;
    files++;
    bytes += size;
    const kind = kindOf(found.name);
    const sum = kinds.get(kind) ?? { files: 0, bytes: 0 };
    kinds.set(kind, { files: sum.files + 1, bytes: sum.bytes + size });
    largest.push({ path: found.path, size });
    if (largest.length > 64) largest = top(largest);
  });
  const lines = [
    `files: ${files}${cut ? ' (counted so far; the folder is larger than what one call looks at)' : ''}`,
    `folders: ${folders}`,
    `bytes: ${bytes}`,
  ];
  if (deep)
    lines.push(`(folders more than ${DEEPEST} levels down were not entered: nothing in them is counted)`);
  const sorted = [...kinds].sort((a, b) => b[1].bytes - a[1].bytes || (a[0] < b[0] ? -1 : 1));
  for (const [kind, sum] of sorted.slice(0, 12))
    lines.push(`kind ${kind}: ${counted(sum.files, 'file')}, ${bytesText(sum.bytes)}`);
  if (sorted.length > 12) lines.push(`(${sorted.length - 12} more kinds)`);
  for (const { path, size } of top(largest)) lines.push(`large: ${shown(path)} (${bytesText(size)})`);
  return lines.join('\n');
}

const top = (files: { path: string; size: number }[]) =>
  files.sort((a, b) => b.size - a.size || (a.path < b.path ? -1 : 1)).slice(0, 5);

/** The ending, or the whole name of a dot file. */
function kindOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 && dot < name.length - 1 ? shown(name.slice(dot).toLowerCase()) : '(no ending)';
}

async function oneFile(dir: Dir, name: string, signal: AbortSignal): Promise<string> {
  const stat = await withFile(dir, name, (file) => file.stat());
  let binary = false;
  let newlines = 0;
  let words = 0;
  let inWord = false;
  let last = 10;
  await eachChunk(dir, name, signal, (chunk, first) => {
    if (first && looksBinary(chunk)) binary = true;
    if (binary) return false;
    for (const byte of chunk) {
      if (byte === 10) newlines++;
      const space = byte <= 32;
      if (!space && !inWord) words++;
      inWord = !space;
      last = byte;
    }
    return true;
  });
  const changed = `changed: ${stat.mtime.toISOString()}`;
  if (binary) return [`bytes: ${stat.size}`, 'content: binary', changed].join('\n');
  return [
    `bytes: ${stat.size}`,
    `lines: ${newlines + (last === 10 ? 0 : 1)}`,
    `words: ${words}`,
    changed,
  ].join('\n');
}
