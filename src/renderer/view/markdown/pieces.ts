import type { RootContent } from 'mdast';
import { labelsIn, type Reference } from '../../../shared/markdown/parse';

/** Some items of a list or some rows of a table. The text of rows begins with the head of their table. */
export interface Part {
  text: string;
  refs: readonly Reference[];
  /** How many; undefined: it is no part of a list or a table. */
  items?: number;
}

/**
 * A part of an answer that later text cannot change, but for what its labels refer to. Lists and tables are one piece
 * each, however long, and come in parts.
 */
export type Piece =
  | { kind: 'flow'; text: string; refs: readonly Reference[] }
  | { kind: 'code'; lang: string; text: string }
  | { kind: 'list'; parts: readonly Part[]; loose: boolean }
  | { kind: 'table'; parts: readonly Part[] }
  /** Shown as it was written: reading it as markdown would hold up the window. */
  | { kind: 'plain'; text: string };

/** The same block of text, or the same references, as one that is there already: what is shown of it stays. */
const NONE: readonly Reference[] = [];

/** Those labels that are defined, of those that a text has. */
export function refsOf(text: string, defined: ReadonlyMap<string, Reference>): readonly Reference[] {
  if (defined.size === 0 || !text.includes('[')) return NONE;
  const refs: Reference[] = [];
  for (const label of labelsIn(text)) {
    const found = defined.get(label);
    if (found) refs.push(found);
  }
  return refs.length === 0 ? NONE : refs;
}

const sameRefs = (a: readonly Reference[], b: readonly Reference[]) =>
  a === b ||
  (a.length === b.length &&
    a.every((one, at) => one.id === b[at]?.id && one.url === b[at]?.url && one.title === b[at]?.title));

const samePart = (a: Part, b: Part | undefined) =>
  b !== undefined && (a === b || (a.text === b.text && sameRefs(a.refs, b.refs)));

/** `old` where nothing differs, so that nothing of it is shown again; parts that did not change stay the same ones. */
export function reused(piece: Piece, old: Piece | undefined): Piece {
  if (!old || old === piece || old.kind !== piece.kind) return piece;
  if (piece.kind === 'list' || piece.kind === 'table') {
    const before = 'parts' in old ? old.parts : [];
    const parts = piece.parts.map((part, at) => (samePart(part, before[at]) ? (before[at] as Part) : part));
    const same = parts.length === before.length && parts.every((part, at) => part === before[at]);
    if (same && (piece.kind === 'table' || (old.kind === 'list' && old.loose === piece.loose))) return old;
    return { ...piece, parts };
  }
  if (piece.kind === 'flow') return old.kind === 'flow' && samePart(piece, old) ? old : piece;
  if (piece.kind === 'code')
    return old.kind === 'code' && old.text === piece.text && old.lang === piece.lang ? old : piece;
  return old.kind === 'plain' && old.text === piece.text ? old : piece;
}

/** A piece whose labels are looked up anew. */
export function referred(piece: Piece, defined: ReadonlyMap<string, Reference>): Piece {
  switch (piece.kind) {
    case 'flow':
      return reused({ ...piece, refs: refsOf(piece.text, defined) }, piece);
    case 'list':
    case 'table':
      return reused(
        { ...piece, parts: piece.parts.map((part) => ({ ...part, refs: refsOf(part.text, defined) })) },
        piece,
      );
    default:
      return piece;
  }
}

/** Letters in one paragraph, cell or heading, and marks in it: matching marks costs the square of their number. */
const LONG = 60_000;
const MARKS = 2_000;

function isCostly(text: string): boolean {
  if (text.length < MARKS) return false;
  if (text.length > LONG) return true;
  return (text.match(/[*_~`[\]<$!&\\]/g)?.length ?? 0) > MARKS;
}

/** Whether reading what is within the lines of a block would hold up the window. */
export function isTooCostly(node: RootContent, source: string): boolean {
  const from = node.position?.start.offset ?? 0;
  const to = node.position?.end.offset ?? 0;
  if (to - from < MARKS) return false;
  if (node.type === 'paragraph' || node.type === 'heading' || node.type === 'tableCell')
    return isCostly(source.slice(from, to));
  return 'children' in node && node.children.some((child) => isTooCostly(child, source));
}
