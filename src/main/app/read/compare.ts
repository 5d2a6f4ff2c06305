import type { Loaded } from './load';
import type { Transcript } from './transcript';

/** Items of the whole in front of those of its end; undefined where the end is not as it was. */
export function inFront(end: Transcript, whole: Transcript): number | undefined {
  const before = whole.length - end.length;
  if (end.lastSeq !== whole.lastSeq || before < 0) return undefined;
  for (let n = 0; n < end.length; n++) if (end.slot(n)?.key !== whole.slot(before + n)?.key) return undefined;
  return before;
}

/** Which items another reading of the same run shows differently; `again`: they are others. */
export async function compare(before: Loaded, now: Loaded): Promise<{ touched: number[]; again: boolean }> {
  const touched: number[] = [];
  const [old, fresh] = [before.transcript, now.transcript];
  if (fresh.length < old.length || now.going !== undefined) return { touched, again: true };
  const [was, is] = [await before.source.fetch([]), await now.source.fetch([])];
  for (let index = 0; index < fresh.length; index++) {
    const one = index < old.length ? old.item(index, was, 200) : undefined;
    const other = fresh.item(index, is, 200);
    if (one && other && one.key !== other.key) return { touched: [], again: true };
    if (JSON.stringify(one) !== JSON.stringify(other)) touched.push(index);
  }
  return { touched, again: false };
}
