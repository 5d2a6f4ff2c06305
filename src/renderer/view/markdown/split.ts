import { withoutEndBreaks } from '../../../shared/run/slices';

/** A piece of markdown that stands on its own: `md` is rendered as markdown, `code` is a fenced block at the top level. */
export type MdBlock =
  { kind: 'md'; text: string; joined: boolean } | { kind: 'code'; lang: string; text: string };

/** Characters after which a block without a blank line is cut at the next line end, so that no block grows for ever. */
const LONG = 4_000;
/** Lines of one list after which it is cut at its next item. */
const LONG_LIST = 40;

const FENCE = /^( {0,3})(`{3,}|~{3,})([^\n]*)$/;
const MATH = /^ {0,3}\$\$/;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])(?=[ \t]|$)/;
const NOTE = /^ {0,3}\[\^[^\]]+\]:/;
const DEFINITION = /^ {0,3}\[([^\]^][^\]]*)\]:\s*(\S.*)$/;
const DELIMITERS = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
const HEADING = /^ {0,3}#{1,6}(?=[ \t]|$)/;

interface Fence {
  mark: string;
  size: number;
  indent: number;
  lang: string;
  /** Inside a list or math: it only keeps blank lines from ending the block. */
  nested: boolean;
}

/**
 * Cuts growing markdown into blocks that no later text can change, reading each character once. Whatever follows the last
 * closed block is `open`: the only part that a renderer has to parse again while text streams in.
 *
 * It follows CommonMark's block rules where they decide what stands together (fences, lists, blank lines); two answers
 * with the same text always give the same blocks, however the text arrived.
 */
export class Splitter {
  readonly closed: MdBlock[] = [];
  /** Link definitions seen so far, by normalised label: they belong to the whole text, not to their block. */
  readonly definitions = new Map<string, string>();

  private lines: string[] = [];
  private size = 0;
  private partial = '';
  private fence: Fence | undefined;
  private math = false;
  /** The open block is a list whose first marker is of this kind. */
  private list: { bullet: string } | undefined;
  /** The open block goes on where the last one was cut. */
  private joined = false;
  private note = false;
  /** The open block is code by its indent. */
  private get indented(): boolean {
    return this.lines[0]?.startsWith('    ') ?? false;
  }
  /** The last line of the open block was blank. */
  private blank = false;

  push(text: string): void {
    const parts = (this.partial + text).split('\n');
    this.partial = parts.pop() ?? '';
    for (const line of parts) this.line(line.endsWith('\r') ? line.slice(0, -1) : line);
  }

  /** Nothing more comes. */
  finish(): void {
    const last = this.partial;
    this.partial = '';
    if (last !== '') this.line(last);
    this.closeRest();
  }

  /**
   * The blocks that the rest would be if nothing more came: a fence that is open counts as a code block. Only these may
   * still change.
   */
  get pending(): MdBlock[] {
    if (this.partial === '' && this.lines.length === 0 && !this.fence) return [];
    const trial = new Splitter();
    Object.assign(trial, {
      lines: [...this.lines],
      size: this.size,
      partial: this.partial,
      fence: this.fence,
      math: this.math,
      list: this.list,
      joined: this.joined,
      note: this.note,
      blank: this.blank,
    });
    trial.finish();
    return trial.closed;
  }

  private closeRest(): void {
    if (!this.fence) this.closeBlock();
    else if (this.fence.nested) {
      this.add(`${' '.repeat(this.fence.indent)}${this.fence.mark.repeat(this.fence.size)}`);
      this.fence = undefined;
      this.closeBlock();
    } else this.closeCode();
  }

  private line(line: string): void {
    if (this.fence) {
      if (this.inFence(line)) return;
    } else if (this.math) {
      this.add(line);
      if (/\$\$\s*$/.test(line)) this.endMath();
      return;
    }
    const holds = this.list !== undefined || this.note || this.indented;
    if (line.trim() === '') {
      // Only what is indented can still belong to a block after a blank line.
      if (this.lines.length > 0) {
        if (!holds) this.closeBlock();
        else {
          this.add('');
          this.blank = true;
        }
      }
      return;
    }
    const indent = line.length - line.trimStart().length;
    if (holds && indent >= 2 && this.lines.length > 0) {
      this.add(line);
      this.blank = false;
      this.nestedFence(line, indent);
      return;
    }
    const item = ITEM.exec(line);
    if (item && this.list && this.list.bullet === bulletOf(item[2] ?? '')) {
      if (this.lines.length >= LONG_LIST) this.closeList();

      this.add(line);
      this.blank = false;
      return;
    }
    const fence = FENCE.exec(line);
    if (fence && validFence(fence)) {
      this.closeBlock();
      this.fence = fenceOf(fence, false);
      return;
    }
    if (this.size > LONG && this.table && line.includes('|')) this.closeTable();
    else if (this.blank || HEADING.test(line) || this.size > LONG) this.closeBlock();
    if (this.lines.length === 0) this.start(line, item);
    this.add(line);
    this.blank = false;
    if (HEADING.test(line)) this.closeBlock();
  }

  private start(line: string, item: RegExpExecArray | null): void {
    if (item && !/^ {0,3}([-*_])[ \t]*(\1[ \t]*){2,}$/.test(line)) {
      this.list = { bullet: bulletOf(item[2] ?? '') };
    }
    this.note = NOTE.test(line);
    const definition = DEFINITION.exec(line);
    if (definition) this.definitions.set(label(definition[1] ?? ''), line);
    if (MATH.test(line) && !/\$\$.*\$\$\s*$/.test(line)) this.math = true;
  }

  private endMath(): void {
    this.math = false;
    this.closeBlock();
  }

  /** true: the line belongs to the fence. */
  private inFence(line: string): boolean {
    const { mark, size, nested } = this.fence ?? { mark: '`', size: 3, nested: false };
    const close = new RegExp(`^ {0,${nested ? 12 : 3}}\\${mark}{${size},}[ \\t]*$`);
    if (close.test(line)) {
      if (nested) {
        this.add(line);
        this.fence = undefined;
      } else this.closeCode();
      return true;
    }
    // A nested fence ends with the item that it stands in.
    if (nested && line.trim() !== '' && line.length - line.trimStart().length < 2) {
      this.fence = undefined;
      return false;
    }
    this.add(line);
    return true;
  }

  private nestedFence(line: string, indent: number): void {
    const fence = FENCE.exec(line.trimStart());
    if (fence && validFence(fence)) this.fence = { ...fenceOf(fence, true), indent };
  }

  private add(line: string): void {
    this.lines.push(line);
    this.size += line.length + 1;
  }

  private get table(): boolean {
    return (this.lines[0]?.includes('|') ?? false) && DELIMITERS.test(this.lines[1] ?? '');
  }

  /** The rest of a long table goes on under the same head, which is not shown again. */
  private closeTable(): void {
    const head = this.lines.slice(0, 2);
    this.closeBlock();
    for (const line of head) this.add(line);
    this.joined = true;
  }

  private take(): string {
    const text = this.lines.join('\n');
    this.lines = [];
    this.size = 0;
    this.blank = false;
    return text;
  }

  private closeCode(): void {
    this.closed.push({ kind: 'code', lang: this.fence?.lang ?? '', text: this.take() });
    this.fence = undefined;
  }

  /** The list goes on with its next item. */
  private closeList(): void {
    const { list } = this;
    this.closeBlock();
    this.list = list;
    this.joined = true;
  }

  private closeBlock(): void {
    const { joined } = this;
    const text = this.take();
    this.list = undefined;
    this.joined = false;
    this.note = false;
    if (text.trim() !== '') this.closed.push({ kind: 'md', text: withoutEndBreaks(text), joined });
  }
}

function validFence(match: RegExpExecArray): boolean {
  return !((match[2] ?? '').startsWith('`') && (match[3] ?? '').includes('`'));
}

const langOf = (info: string) => info.trim().split(/[\s{]/)[0]?.toLowerCase().slice(0, 40) ?? '';

function fenceOf(match: RegExpExecArray, nested: boolean): Fence {
  const mark = (match[2] ?? '`').charAt(0);
  return {
    mark,
    size: match[2]?.length ?? 3,
    indent: match[1]?.length ?? 0,
    lang: langOf(match[3] ?? ''),
    nested,
  };
}

const bulletOf = (marker: string) => (/^\d/.test(marker) ? (marker.at(-1) ?? '.') : marker);

/** Labels of link definitions match without regard to case and inner space. */
export const label = (text: string) => text.trim().replace(/\s+/g, ' ').toLowerCase();

/** All blocks of a text that is complete. */
export function splitAll(text: string): { blocks: MdBlock[]; definitions: ReadonlyMap<string, string> } {
  const splitter = new Splitter();
  splitter.push(text);
  splitter.finish();
  return { blocks: splitter.closed, definitions: splitter.definitions };
}

/** The definitions that a block refers to, as markdown to put behind it. */
export function definitionsFor(text: string, definitions: ReadonlyMap<string, string>): string {
  if (definitions.size === 0 || !text.includes('[')) return '';
  const found = new Set<string>();
  for (const match of text.matchAll(/\[([^[\]]+)\]/g)) {
    const line = definitions.get(label(match[1] ?? ''));
    if (line !== undefined) found.add(line);
  }
  return found.size === 0 ? '' : `\n\n${[...found].join('\n')}`;
}
