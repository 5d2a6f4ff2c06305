import { z } from '../../shared/zod';
import { defineTool, error } from './define';
import { inFolder, shown } from './folder';
import { eachChunk, looksBinary, withFile } from './text';
import { bytesText } from './walk';

/** Bytes of text that one call gives. */
export const MAX_READ = 256 * 1024;
/** Bytes that one call looks through to find a line. */
const MAX_SCAN = 256 * 1024 * 1024;

export const readFile = defineTool({
  name: 'read_file',
  description:
    'Gives the text of a file. A file longer than 256 KiB is given in parts: the answer then says where it goes on. Binary files are named as such and not shown.',
  schema: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'A file, relative to the working folder.' },
      from_line: {
        type: 'integer',
        minimum: 1,
        description: 'First line to give, counted from 1. Default: 1.',
      },
      lines: { type: 'integer', minimum: 1, description: 'How many lines to give. Default: as many as fit.' },
    },
    required: ['path'],
    additionalProperties: false,
  },
  input: z.strictObject({
    path: z.string(),
    from_line: z.int().min(1).default(1),
    lines: z.int().min(1).optional(),
  }),
  changes: false,
  timeoutMs: 30_000,
  describe: ({ path, from_line, lines }) =>
    `read_file ${shown(path)}${from_line > 1 ? ` from line ${from_line}` : ''}${lines ? `, ${lines} lines` : ''}`,
  run: ({ path, from_line, lines }, context) =>
    inFolder(context, path, {}, async (dir, name) => {
      const size = await withFile(dir, name, async (file) => (await file.stat()).size);
      const part = new Part(from_line, lines ?? Number.MAX_SAFE_INTEGER);
      let binary = false;
      await eachChunk(dir, name, context.signal, (chunk, first) => {
        if (first && looksBinary(chunk)) binary = true;
        return !binary && part.take(chunk);
      });
      if (binary)
        return error(`${shown(path)} is a binary file (${bytesText(size)}); its content is not shown.`);
      if (size === 0 && part.seen === 0) return { content: '(The file is empty.)' };
      if (part.seen > MAX_SCAN && part.bytes === 0)
        return error(`Line ${from_line} lies too far into this file (${bytesText(size)}).`);
      if (part.bytes === 0) return error(`The file has no line ${from_line}: it has ${part.line - 1} lines.`);
      const text = part.text();
      if (!part.cut) return { content: text };
      const note = part.broken
        ? `[Cut inside line ${part.line}, which is very long. The file has ${bytesText(size)}.]`
        : `[The file goes on at line ${part.line}. It has ${bytesText(size)}.]`;
      return { content: `${text}${text.endsWith('\n') ? '' : '\n'}${note}` };
    }),
});

/** Collects whole lines from `from` on until `count` lines or MAX_READ bytes are there. */
class Part {
  /** The line that comes next. */
  line = 1;
  seen = 0;
  bytes = 0;
  cut = false;
  broken = false;
  private readonly pieces: Buffer[] = [];

  constructor(
    private readonly from: number,
    private readonly count: number,
  ) {}

  /** false: it has enough. */
  take(chunk: Buffer): boolean {
    this.seen += chunk.length;
    let at = 0;
    while (at < chunk.length) {
      if (this.line >= this.from + this.count) return !(this.cut = true);
      const end = chunk.indexOf(10, at);
      const stop = end < 0 ? chunk.length : end + 1;
      if (this.line >= this.from) {
        const room = MAX_READ - this.bytes;
        if (stop - at > room) return this.overflow(chunk.subarray(at, at + room));
        this.pieces.push(Buffer.from(chunk.subarray(at, stop)));
        this.bytes += stop - at;
      }
      if (end >= 0) this.line++;
      at = stop;
    }
    return this.seen <= MAX_SCAN;
  }

  /** Drops the line that does not fit, unless it is the only one. */
  private overflow(rest: Buffer): false {
    this.cut = true;
    const all = Buffer.concat([...this.pieces, rest]);
    const last = all.lastIndexOf(10);
    this.broken = last < 0;
    this.pieces.length = 0;
    this.pieces.push(last < 0 ? wholeCharacters(all) : all.subarray(0, last + 1));
    return false;
  }

  text(): string {
    return Buffer.concat(this.pieces).toString('utf8');
  }
}

/** Drops the bytes of a character that was cut through at the end. */
function wholeCharacters(bytes: Buffer): Buffer {
  let start = bytes.length - 1;
  while (start > 0 && start > bytes.length - 4 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start--;
  const lead = bytes[start] ?? 0;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return start + length > bytes.length ? bytes.subarray(0, start) : bytes;
}
