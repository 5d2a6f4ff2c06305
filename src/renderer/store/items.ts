import type { TranscriptItem } from '../../shared/contract/items';
import type { CommandOutput } from '../../shared/contract/contract';

type Sparse = readonly (TranscriptItem | undefined)[];

/**
 * Puts changed items in place: known keys are replaced, the last ones that `total` has room for are appended, the rest
 * belong to pages that are not loaded and come with them. `lost`: the numbers do not fit, so all must be asked for again.
 */
export function mergeItems(
  held: Sparse,
  changed: readonly TranscriptItem[],
  total: number,
): { items: Sparse; lost: boolean } {
  const room = total - held.length;
  if (room < 0) return { items: held.slice(0, total), lost: true };
  const items = held.slice();
  const places = new Map<string, number>();
  // New items stand at the end, changed ones are near it: a search from the end is short.
  const wanted = new Set(changed.map((item) => item.key));
  for (let at = items.length - 1; at >= 0 && places.size < wanted.size; at--) {
    const key = items[at]?.key;
    if (key !== undefined && wanted.has(key)) places.set(key, at);
  }
  const fresh: TranscriptItem[] = [];
  for (const item of changed) {
    const at = places.get(item.key);
    if (at === undefined) fresh.push(item);
    else items[at] = item;
  }
  const added = room === 0 ? [] : fresh.slice(-room);
  items.push(...added);
  const lost = items.length !== total;
  items.length = total;
  return { items, lost };
}

/**
 * Puts a page in place. One that is older than what changes brought since fills gaps only. `changed`: keys of items that
 * changed while the page was on its way; a change may overtake it, and what waits for an answer is no record of its own.
 */
export function mergePage(
  held: Sparse,
  page: CommandOutput<'run.items'>,
  lastSeq: number,
  changed: ReadonlySet<string>,
): Sparse {
  const items = held.slice();
  const fresh = page.lastSeq >= lastSeq;
  if (fresh && page.total > items.length) items.length = page.total;
  page.items.forEach((item, at) => {
    const place = page.from + at;
    const newer = fresh && !changed.has(item.key);
    if (place < items.length && (newer || items[place] === undefined)) items[place] = item;
  });
  return items;
}

/** Whether the answer of this model call stands among the items: then its stream has nothing left to show. */
export function hasAnswer(items: Sparse, iteration: number): boolean {
  for (let at = items.length - 1; at >= 0; at--) {
    const item = items[at];
    if (!item || !('iteration' in item)) continue;
    if (item.iteration <= iteration) return item.iteration === iteration;
  }
  return false;
}
