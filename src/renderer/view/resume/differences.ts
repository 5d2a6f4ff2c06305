import { diffLines, diffWordsWithSpace, type Change } from 'diff';
import type { ToolText } from '../../../shared/contract/views';

/** A piece of a text: in both versions, or in one of them only. */
export interface Piece {
  text: string;
  in: 'both' | 'before' | 'after';
}

/** Milliseconds that a comparison may take; two long texts that have little in common take for ever. */
const PATIENCE = 500;

const piecesOf = (changes: Change[] | undefined, before: string, after: string): Piece[] =>
  changes?.map(({ value, added, removed }) => ({
    text: value,
    in: added ? 'after' : removed ? 'before' : 'both',
  })) ?? [
    { text: before, in: 'before' },
    { text: after, in: 'after' },
  ];

/** What changed from one text to the other, word by word, in any script. Joined again, the pieces are both texts. */
export const wordsChanged = (before: string, after: string): Piece[] =>
  piecesOf(
    diffWordsWithSpace(before, after, { timeout: PATIENCE, ...(segmenter && { intlSegmenter: segmenter }) }),
    before,
    after,
  );

/** The same, line by line. */
export const linesChanged = (before: string, after: string): Piece[] =>
  piecesOf(diffLines(before, after, { timeout: PATIENCE }), before, after);

/** Scripts without spaces have words, too. */
const segmenter =
  typeof Intl.Segmenter === 'function' ? new Intl.Segmenter(undefined, { granularity: 'word' }) : undefined;

export interface ToolChange {
  name: string;
  what: 'added' | 'removed' | 'changed';
  description: Piece[];
  schema: Piece[];
}

/** Tools that are not as they were, by name, those that went first. `moved`: only their order changed. */
export function toolsChanged(
  before: readonly ToolText[],
  after: readonly ToolText[],
): { changes: ToolChange[]; same: number; moved: boolean } {
  const [old, now] = [byName(before), byName(after)];
  const changes: ToolChange[] = [];
  let same = 0;
  for (const name of new Set([...old.keys(), ...now.keys()])) {
    const [was, is] = [old.get(name), now.get(name)];
    const [wasSchema, isSchema] = [sorted(was), sorted(is)];
    if (was?.description === is?.description && wasSchema === isSchema) {
      same++;
      continue;
    }
    changes.push({
      name,
      what: !was ? 'added' : !is ? 'removed' : 'changed',
      description: wordsChanged(was?.description ?? '', is?.description ?? ''),
      schema: linesChanged(wasSchema, isSchema),
    });
  }
  const ORDER = ['removed', 'added', 'changed'];
  changes.sort((a, b) => ORDER.indexOf(a.what) - ORDER.indexOf(b.what));
  return { changes, same, moved: changes.length === 0 };
}

const byName = (tools: readonly ToolText[]) => new Map(tools.map((tool) => [tool.name, tool]));

/** A schema whose keys are in order at every level, as the hash has them. */
function sorted(tool: ToolText | undefined): string {
  if (!tool) return '';
  const inOrder = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(inOrder)
      : typeof value === 'object' && value !== null
        ? Object.fromEntries(
            Object.entries(value)
              .sort(([a], [b]) => (a < b ? -1 : 1))
              .map(([key, field]) => [key, inOrder(field)]),
          )
        : value;
  return JSON.stringify(inOrder(tool.input_schema), null, 2);
}
