import { z } from '../../shared/zod';
import { defineTool } from './define';
import { inFolder, shown } from './folder';
import { bytesText, counted, sizeOf, walk } from './walk';

const MAX_LINES = 1000;

/** One line an entry: `name (size)`, folders with a `/`. Depth 1 is the folder's own entries. */
export const listFiles = defineTool({
  name: 'list_files',
  description:
    'Lists files and folders with their sizes, in name order. Folders end with a slash; links are named but not followed. .git and node_modules are named but not entered.',
  schema: {
    type: 'object',
    properties: {
      path: {
        type: 'string',
        description: 'A folder, relative to the working folder. Default: the working folder itself.',
      },
      depth: {
        type: 'integer',
        minimum: 1,
        maximum: 10,
        description: 'How many levels to list. Default: 1.',
      },
    },
    additionalProperties: false,
  },
  input: z.strictObject({ path: z.string().default('.'), depth: z.int().min(1).max(10).default(1) }),
  changes: false,
  timeoutMs: 30_000,
  describe: ({ path, depth }) => `list_files ${shown(path)}${depth > 1 ? `, ${depth} levels` : ''}`,
  run: ({ path, depth }, context) =>
    inFolder(context, path, { whole: true }, async (dir, _last, parts) => {
      const base = parts.length ? `${parts.join('/')}/` : '';
      const lines: string[] = [];
      let files = 0;
      let folders = 0;
      let over = 0;
      const { cut } = await walk(dir, { depth, signal: context.signal }, async (found) => {
        if (found.kind === 'folder') folders++;
        else files++;
        if (lines.length >= MAX_LINES) return void over++;
        const name = shown(base + found.path);
        if (found.kind === 'folder') lines.push(`${name}/${found.skipped ? ' (not entered)' : ''}`);
        else if (found.kind === 'file')
          lines.push(`${name} (${bytesText((await sizeOf(found))?.size ?? 0)})`);
        else lines.push(`${name} (${found.kind === 'link' ? 'link' : 'special file'})`);
      });
      if (files + folders === 0) return { content: 'The folder is empty.' };
      const head = `${counted(folders, 'folder')}, ${counted(files, 'file')}${cut ? ' so far' : ''}:`;
      if (over > 0) lines.push(`(${counted(over, 'more entry', 'more entries')} not shown)`);
      if (cut) lines.push('(The folder is larger than what one call looks at: list a part of it.)');
      return { content: [head, ...lines].join('\n') };
    }),
});
