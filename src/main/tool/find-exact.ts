import type { Breather } from '../journal/read';

/** Characters that are looked at between two looks at the clock. */
const STRIDE = 1 << 16;

/**
 * Where a piece occurs in a text, places that overlap included, in time that grows with both lengths and no faster: for
 * some pieces `indexOf` takes hours. Other work goes on meanwhile. `take` answers whether the next place may
 * overlap this one, begins behind it, or does not matter.
 */
export async function findExact(
  text: string,
  piece: string,
  breather: Breather,
  take: (at: number) => 'overlapping' | 'behind' | 'end',
): Promise<void> {
  const back = new Int32Array(piece.length);
  for (let n = 1, k = 0; n < piece.length; n++) {
    if (n % STRIDE === 0 && breather.due) await breather.breathe();
    const code = piece.charCodeAt(n);
    while (k > 0 && piece.charCodeAt(k) !== code) k = back[k - 1] ?? 0;
    if (piece.charCodeAt(k) === code) k++;
    back[n] = k;
  }
  for (let at = 0, k = 0; at < text.length; at++) {
    if (at % STRIDE === 0 && breather.due) await breather.breathe();
    const code = text.charCodeAt(at);
    while (k > 0 && piece.charCodeAt(k) !== code) k = back[k - 1] ?? 0;
    if (piece.charCodeAt(k) === code) k++;
    if (k < piece.length) continue;
    const next = take(at - piece.length + 1);
    if (next === 'end') return;
    k = next === 'behind' ? 0 : (back[k - 1] ?? 0);
  }
}
