import { z } from '../../shared/zod';
import { defineTool } from './define';
import { inFolder, shown } from './folder';
import type { Dir } from './folder';
import { decoder, encodingOfAll } from './encoding';
import { stopIfAborted } from './stop';
import { Breather } from '../journal/read';
import { readUpTo, shorten } from './text';
import { counted, sizeOf, walk } from './walk';
import { linesIn } from '../../shared/run/slices';

const MAX_MATCHES = 200;
const MAX_FILE = 4 * 1024 * 1024;
const MAX_TOTAL = 256 * 1024 * 1024;
const MAX_LINE = 300;
/** Levels below the folder that are entered. */
const DEEPEST = 64;
/** Bytes that are decoded and looked through at once. */
const PIECE = 64 * 1024;

export const searchText = defineTool({
  name: 'search_text',
  description:
    'Finds lines that hold a text, in one file or in all files below a folder. The text is taken literally. Binary files, files over 4 MiB, .git and node_modules are passed over.',
  schema: {
    type: 'object',
    properties: {
      query: { type: 'string', minLength: 1, description: 'The text to find.' },
      path: {
        type: 'string',
        description: 'A file or folder, relative to the working folder. Default: the working folder.',
      },
      case_sensitive: {
        type: 'boolean',
        description: 'Whether upper and lower case differ. Default: false.',
      },
    },
    required: ['query'],
    additionalProperties: false,
  },
  input: z.strictObject({
    query: z.string().min(1),
    path: z.string().default('.'),
    case_sensitive: z.boolean().default(false),
  }),
  changes: false,
  timeoutMs: 30_000,
  describe: ({ query, path }) => `search_text ${JSON.stringify(query)} in ${shown(path)}`,
  async run({ query, path, case_sensitive }, context) {
    const { signal } = context;
    const hunt = new Hunt(query, case_sensitive, signal);
    const found = await inFolder(context, path, { whole: true }, async (dir, _last, parts) => {
      const base = parts.length ? `${parts.join('/')}/` : '';
      const { cut, deep } = await walk(dir, { depth: DEEPEST, signal }, async (entry) => {
        if (entry.kind !== 'file') return;
        const size = (await sizeOf(entry))?.size ?? 0;
        if (size > MAX_FILE) return void hunt.passed++;
        await hunt.look(entry.dir, entry.name, base + entry.path);
        return !hunt.full;
      });
      hunt.deep = deep;
      return cut;
    }).catch(async (cause: unknown) => {
      // Not a folder: look into the one file.
      if (!(cause instanceof Error && 'code' in cause && cause.code === 'ENOTDIR')) throw cause;
      await inFolder(context, path, {}, async (dir, name, parts) => hunt.look(dir, name, parts.join('/')));
      return false;
    });
    return { content: hunt.report(found) };
  },
});

class Hunt {
  readonly lines: string[] = [];
  files = 0;
  matches = 0;
  passed = 0;
  /** Files of text in an encoding that cannot be told. */
  odd = 0;
  full = false;
  /** Folders further down were not entered. */
  deep = false;
  private readonly breather = new Breather();
  private read = 0;
  private readonly needle: string;

  constructor(
    query: string,
    private readonly exact: boolean,
    private readonly signal: AbortSignal,
  ) {
    this.needle = exact ? query : query.toLowerCase();
  }

  async look(dir: Dir, name: string, path: string): Promise<void> {
    const bytes = await readUpTo(dir, name, MAX_FILE, this.signal).catch(() => undefined);
    if (!bytes) return void this.passed++;
    const encoding = encodingOfAll(bytes);
    if (encoding === 'binary') return;
    if (encoding === 'unknown') return void this.odd++;
    this.read += bytes.length;
    if (this.read > MAX_TOTAL) this.full = true;
    const before = this.matches;
    const text = decoder(encoding);
    let lines = 0;
    let carry: string[] = [];
    for (let at = 0; at < bytes.length; at += PIECE) {
      if (this.breather.due) await this.breather.breathe();
      stopIfAborted(this.signal);
      const piece = text.write(bytes.subarray(at, at + PIECE));
      const end = piece.lastIndexOf('\n') + 1;
      if (end > 0) {
        lines += this.through([...carry, piece.slice(0, end - 1)].join(''), path, lines);
        carry = [];
      }
      carry.push(piece.slice(end));
    }
    carry.push(text.end());
    this.through(carry.join(''), path, lines);
    this.files += this.matches > before ? 1 : 0;
  }

  /** Looks through lines of a file, so many of which came before; gives how many these are. */
  private through(text: string, path: string, before: number): number {
    // What goes over lines is in none of them.
    if (this.needle.includes('\n') || !this.holds(text)) return newlines(text) + 1;
    let here = 0;
    for (const line of linesIn(text)) {
      here++;
      if (!this.holds(line)) continue;
      this.matches++;
      if (this.lines.length >= MAX_MATCHES) this.full = true;
      else {
        const flat = shorten(line.replace(/\r$/, '').trim(), MAX_LINE);
        this.lines.push(`${shown(path)}:${before + here}: ${flat}`);
      }
    }
    return here;
  }

  private holds(text: string): boolean {
    return (this.exact ? text : text.toLowerCase()).includes(this.needle);
  }

  report(cut: boolean): string {
    const more = this.full || cut ? ' (there may be more: narrow the search)' : '';
    const large =
      this.passed > 0 ? `\n(${counted(this.passed, 'large or unreadable file')} passed over)` : '';
    const odd =
      this.odd > 0 ? `\n(${counted(this.odd, 'file')} in an encoding that cannot be told passed over)` : '';
    const deep = this.deep ? `\n(folders more than ${DEEPEST} levels down were not entered)` : '';
    const over = large + odd + deep;
    if (this.matches === 0) return `No matches${more}.${over}`;
    const head = `${counted(this.lines.length, 'matching line')} in ${counted(this.files, 'file')}${more}:`;
    return `${[head, ...this.lines].join('\n')}${over}`;
  }
}

function newlines(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) === 0x0a) count++;
  return count;
}
