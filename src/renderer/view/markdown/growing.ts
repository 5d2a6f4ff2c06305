import { BLANK_LINE } from '../../../shared/markdown/math';
import { definitionsIn, parse, type Reference } from '../../../shared/markdown/parse';
import { blocksIn, partOf, pieceOf, type Block } from './blocks';
import { referred, reused, type Part, type Piece } from './pieces';

/** Items or rows after which a list or a table that goes on is given another part, and letters of a part. */
const PART = 40;
const PART_LENGTH = 4_000;
/** Letters that are looked at as one. */
const SLICE = 4_000;

const FENCE = /^( {0,3})(`{3,}|~{3,})[^\n]*\n/;

/** What could define a label. */
const DEFINITION = /(?:^|[\r\n])[ \t>*+\d.)-]*\[(?:[^\]\\]|\\[\s\S])+\]:/;

/** Code at the end of the text whose fence is open. */
interface Fence {
  /** The line that opened it. */
  open: string;
  lang: string;
  indent: RegExp;
  close: RegExp;
  /** Its lines, each with its end. */
  text: string;
}

/** A list or a table whose first parts are closed. `head`: what each further part of a table begins with. */
type Long = (Extract<Piece, { kind: 'list' }> | Extract<Piece, { kind: 'table' }>) & { head: string };

/**
 * Markdown that grows, as pieces. The library says where a block ends: one counts as closed when the next has begun on
 * a complete line and nothing that is still open could reach over both. So the pieces are those of the whole text,
 * however it arrived, and only what is open is read again.
 */
export class Growing {
  /** Whatever the closed part defines, by label; the first definition of one counts. */
  private readonly defined = new Map<string, Reference>();
  private closed: Piece[] = [];
  /** What is not closed yet. */
  private tail = '';
  /** Letters of the tail that were looked at in vain. */
  private seen = 0;
  private fence: Fence | undefined;
  private long: Long | undefined;
  private begun = false;
  private finished = false;
  private known: ReadonlyMap<string, Reference> = new Map();
  private shown: readonly Piece[] = [];

  push(text: string): void {
    if (text === '') return;
    if (!this.begun) text = text.replace(/^\ufeff/, '');
    this.begun = true;
    const half = this.tail.endsWith('\r');
    this.tail += text;
    if (half || text.includes('\r')) this.tail = this.tail.replaceAll('\r\n', '\n');
    this.close();
  }

  /** Nothing more comes. */
  finish(): void {
    this.finished = true;
  }

  /** All pieces: those that are closed, and those that the rest would be if nothing more came. */
  get pieces(): readonly Piece[] {
    const source = (this.long?.head ?? '') + this.tail;
    const blocks = this.fence || source === '' ? [] : blocksIn(source);
    this.learn(blocks, source);
    const open = (this.fence ? this.openCode() : this.continued(blocks, source)).map((piece, at) =>
      reused(referred(piece, this.known), this.shown[this.closed.length + at]),
    );
    this.shown = [...this.closed, ...open];
    return this.shown;
  }

  /** How many of the pieces nothing can change any more, but for what labels refer to. */
  get closedCount(): number {
    return this.finished ? this.shown.length : this.closed.length;
  }

  /** What labels refer to has changed where one more is defined: whoever has it is shown anew. */
  private learn(blocks: readonly Block[], source: string): void {
    const fresh = blocks.flatMap((block) => definitionsOf(block, source));
    const { known } = this;
    const now = new Map(this.defined);
    for (const one of fresh) if (!now.has(one.id)) now.set(one.id, one);
    const same =
      now.size === known.size &&
      [...now.values()].every(({ id, url, title }) => {
        const old = known.get(id);
        return old !== undefined && old.url === url && old.title === title;
      });
    if (same) return;
    this.known = now;
    this.closed = this.closed.map((piece) => referred(piece, now));
    if (this.long) this.long = { ...referred(this.long, now), head: this.long.head } as Long;
  }

  private openCode(): Piece[] {
    const { open, lang, indent, close, text } = this.fence as Fence;
    if (this.finished) {
      const source = open + text + this.tail;
      return blocksIn(source).flatMap((block) => pieceOf(block, source) ?? []);
    }
    const last = close.test(this.tail) ? '' : this.tail.replace(indent, '');
    return [{ kind: 'code', lang, text: withoutEnd(text + last) }];
  }

  /** The pieces of what is open; the first goes on with the long one, where there is one. */
  private continued(blocks: readonly Block[], source: string): Piece[] {
    const { long } = this;
    const pieces = blocks.flatMap((block) => pieceOf(block, source) ?? []);
    if (!long) return pieces;
    const [first, ...rest] = pieces;
    if (first?.kind !== long.kind) return [long, ...pieces];
    const node = blocks[0]?.node;
    const only = node?.type === 'table' && node.children.length === 1;
    const parts = only ? long.parts : [...long.parts, ...first.parts];
    const whole: Piece =
      long.kind === 'table'
        ? { kind: 'table', parts }
        : { kind: 'list', parts, loose: long.loose || (first.kind === 'list' && first.loose) };
    return [whole, ...rest];
  }

  private close(): void {
    let size = SLICE;
    for (;;) {
      if (this.fence) {
        if (!this.inFence()) return;
        continue;
      }
      const complete = this.tail.lastIndexOf('\n') + 1;
      if (complete <= this.seen) return;
      const end = complete <= size ? complete : this.tail.lastIndexOf('\n', size) + 1 || complete;
      if (this.closeWithin(end)) size = SLICE;
      else if (end < complete) size *= 2;
      else {
        this.seen = complete;
        return;
      }
    }
  }

  /** Closes what is closed within these letters of the tail; false: nothing is. */
  private closeWithin(end: number): boolean {
    const head = this.long?.head ?? '';
    const source = head + this.tail.slice(0, end);
    const blocks = blocksIn(source);
    let count = blocks.length - 1;
    while (count > 0 && !isSettled(source, blocks, count)) count -= 1;
    if (count > 0 && (blocks[count]?.from ?? 0) > head.length) {
      const done = blocks.slice(0, count);
      for (const block of done) this.define(block, source);
      const from = this.closed.length;
      // What was shown while it was open stays.
      const pieces = this.continued(done, source).map((piece, at) =>
        reused(referred(piece, this.known), this.shown[from + at]),
      );
      this.closed.push(...pieces);
      this.long = undefined;
      this.drop((blocks[count]?.from ?? 0) - head.length);
      return true;
    }
    const only = blocks.length === 1 ? blocks[0] : undefined;
    const { node } = only ?? {};
    if (only && node?.type === 'code' && head === '') return this.beginFence(node.lang ?? '');
    if (only && (node?.type === 'list' || node?.type === 'table')) return this.closePart(only, source);
    return false;
  }

  private drop(letters: number): void {
    this.tail = this.tail.slice(letters);
    this.seen = 0;
  }

  /** Closes those items or rows of a block that is open that no later line can change. */
  private closePart(block: Block, source: string): boolean {
    const { node } = block;
    if (node?.type !== 'list' && node?.type !== 'table') return false;
    const starts = node.children.map((child) => lineOf(source, child.position?.start.offset ?? 0));
    const rows = node.type === 'table' ? 1 : 0;
    let count = starts.length - 1;
    if (count - rows < PART && !(count > rows && (starts[count] ?? 0) - (starts[rows] ?? 0) > PART_LENGTH))
      return false;
    while (count > rows && !isSettledAt(source, starts[count] ?? 0)) count -= 1;
    if (count <= rows) return false;
    const at = starts[count] ?? 0;
    const piece = pieceOf(block, source);
    if (piece?.kind !== 'list' && piece?.kind !== 'table') return false;
    for (const one of definitionsOf({ ...block, to: at }, source)) this.add(one);
    const fresh = this.partsOf(source, starts.slice(0, count + 1), rows);
    const parts: readonly Part[] = [...(this.long?.parts ?? []), ...fresh];
    const old = this.long?.head ?? '';
    if (piece.kind === 'list') {
      const loose = piece.loose || (this.long?.kind === 'list' && this.long.loose);
      this.long = { kind: 'list', parts, loose, head: '' };
    } else {
      const head = old || source.slice(0, starts[1] ?? 0);
      this.long = { kind: 'table', parts, head };
    }
    this.long = { ...referred(this.long, this.known), head: this.long.head } as Long;
    this.drop(at - old.length);
    return true;
  }

  /** Items or rows that are closed, in parts that are let go one by one. `starts`: of each, and of what follows. */
  private partsOf(source: string, starts: readonly number[], rows: number): Part[] {
    const head = source.slice(0, rows === 0 ? 0 : starts[1]);
    const parts: Part[] = [];
    let from = rows;
    for (let to = rows + 1; to < starts.length; to++) {
      const at = starts[to] ?? 0;
      const size = at - (starts[from] ?? 0);
      const last = to === starts.length - 1;
      if (!last && to - from < PART && size < PART_LENGTH) continue;
      if (!last && !isSettledAt(source, at)) continue;
      const before = parts.length === 0 ? '' : head;
      parts.push(partOf(before + source.slice(parts.length === 0 ? 0 : starts[from], at), to - from));
      from = to;
    }
    return parts;
  }

  private beginFence(lang: string): boolean {
    const found = FENCE.exec(this.tail);
    const [open = '', indent = '', marks = ''] = found ?? [];
    if (!found) return false;
    this.fence = {
      open,
      lang,
      indent: new RegExp(`^ {0,${indent.length}}`),
      close: new RegExp(`^ {0,3}${marks[0] === '~' ? '~' : '`'}{${marks.length},}[ \\t]*\\r?$`),
      text: '',
    };
    this.drop(open.length);
    return true;
  }

  /** Takes whole lines into the code that is open; true: it is closed now. */
  private inFence(): boolean {
    const { lang, indent, close } = this.fence as Fence;
    let at = 0;
    let text = '';
    for (let end = this.tail.indexOf('\n'); end >= 0; end = this.tail.indexOf('\n', at)) {
      const line = this.tail.slice(at, end);
      at = end + 1;
      if (close.test(line)) {
        const all = (this.fence?.text ?? '') + text;
        this.closed.push({ kind: 'code', lang, text: withoutEnd(all) });
        this.fence = undefined;
        this.drop(at);
        return true;
      }
      text += `${line.replace(indent, '')}\n`;
    }
    if (this.fence) this.fence.text += text;
    this.drop(at);
    return false;
  }

  private define(block: Block, source: string): void {
    for (const one of definitionsOf(block, source)) this.add(one);
  }

  private add(one: Reference): void {
    if (!this.defined.has(one.id)) this.defined.set(one.id, one);
  }
}

const withoutEnd = (text: string) => (text.endsWith('\n') ? text.slice(0, -1) : text);
const lineOf = (source: string, at: number) => source.lastIndexOf('\n', at - 1) + 1;

function definitionsOf({ node, from, to }: Block, source: string): Reference[] {
  const text = node ? source.slice(from, to) : '';
  return DEFINITION.test(text) ? definitionsIn(parse(text)) : [];
}

/** Whether no later line can make one of this block and the one before it. */
function isSettled(source: string, blocks: readonly Block[], at: number): boolean {
  const from = blocks[at]?.from ?? 0;
  const kind = blocks[at]?.node?.type;
  const last = at === blocks.length - 1;
  // The title of a definition may be on the next line, and end on a later one.
  const title =
    last && blocks[at - 1]?.node?.type === 'definition' && (kind === 'paragraph' || kind === 'definition');
  // The library reads an empty bullet behind code by its indent otherwise where a list was before that code.
  const { node } = blocks[at] ?? {};
  const indented = node?.type === 'code' && !FENCE.test(source.slice(from));
  if (indented && blocks[at - 1]?.node?.type === 'list') return false;
  return isSettledAt(source, from, title);
}

/**
 * A formula reaches over blocks that its lines would be without it, as far as to the next blank line. `open`: something
 * else does, too.
 */
function isSettledAt(source: string, from: number, open = false): boolean {
  let at = from;
  while (at < source.length) {
    const end = source.indexOf('\n', at);
    const stop = end < 0 ? source.length : end;
    if (end >= 0 && BLANK_LINE.test(source.slice(at, stop))) return true;
    at = stop + 1;
  }
  let first = from;
  while (first > 0) {
    const start = source.lastIndexOf('\n', first - 2) + 1;
    if (BLANK_LINE.test(source.slice(start, first - 1))) break;
    first = start;
  }
  if (first === from) return true;
  return !open && !/\$\$|\\\[/.test(source.slice(first));
}

/** All pieces of a text that is complete. */
export function piecesOf(text: string): readonly Piece[] {
  const growing = new Growing();
  growing.push(text);
  growing.finish();
  return growing.pieces;
}
