import { z } from '../../shared/zod';
import { defineTool, error } from './define';
import { inFolder, shown } from './folder';
import { UTF8, decode, decoder, encodingOf, HEAD, isUtf8, type Encoding } from './encoding';
import { eachChunk, readUpTo, withFile } from './text';
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
      const head = await readUpTo(dir, name, HEAD, context.signal);
      const encoding = encodingOf(head, head.length < HEAD);
      if (encoding === 'binary')
        return error(`${shown(path)} is a binary file (${bytesText(size)}); its content is not shown.`);
      if (encoding === 'unknown') return error(inNoKnownEncoding(path, size));
      const { write } = decoder(encoding);
      const plain = encoding.name === UTF8.name;
      await eachChunk(dir, name, context.signal, (chunk, first) =>
        part.take(plain ? chunk.subarray(first && encoding.bom ? 3 : 0) : Buffer.from(write(chunk))),
      );
      if (size === 0 && part.seen === 0) return { content: '(The file is empty.)' };
      if (part.seen > MAX_SCAN && part.bytes === 0)
        return error(`Line ${from_line} lies too far into this file (${bytesText(size)}).`);
      if (part.bytes === 0) return error(`The file has no line ${from_line}: it has ${part.line - 1} lines.`);
      const read = part.text(plain);
      if (!read) return error(inNoKnownEncoding(path, size));
      const { text } = read;
      const told = read.encoding ?? encoding;
      const said =
        told.name === UTF8.name ? '' : `[The file is in ${told.label}; this is its text, decoded.]`;
      if (!part.cut) return { content: said === '' ? text : `${ended(text)}${said}` };
      const note = part.broken
        ? `[Cut inside line ${part.line}, which is very long. The file has ${bytesText(size)}.]`
        : `[The file goes on at line ${part.line}. It has ${bytesText(size)}.]`;
      return { content: `${ended(text)}${note}${said === '' ? '' : `\n${said}`}` };
    }),
});

const ended = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`);
const inNoKnownEncoding = (path: string, size: number): string =>
  `${shown(path)} (${bytesText(size)}) is not UTF-8, and its encoding cannot be told with certainty; its content is not shown.`;

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

  /**
   * What was collected; undefined where it is in no encoding that can be told.
   *
   * @param raw it is bytes of the file, whose beginning was UTF-8; what comes later may be something else
   */
  text(raw: boolean): { text: string; encoding?: Encoding } | undefined {
    const bytes = Buffer.concat(this.pieces);
    if (!raw || isUtf8(bytes, true)) return { text: bytes.toString('utf8') };
    const encoding = encodingOf(bytes, true);
    return typeof encoding === 'string' ? undefined : { text: decode(bytes, encoding), encoding };
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
