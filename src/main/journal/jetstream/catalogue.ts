import { z } from '../../../shared/zod';
import { catalogueEntry } from '../../../shared/run/sidecar';
import type { CatalogueEntry } from '../../../shared/run/sidecar';
import { newNonce, putFenced } from './ground';
import type { Ground } from './ground';
import { Refused } from './put';
import { lastOf, scan } from './read';
import type { Stored } from './read';
import { HEADER } from './subjects';

/**
 * A run's row in the catalogue: labels, and the marks that hide a run. The stream refuses to overwrite, so a change is
 * the next number after the row that it was made from; of two at once the loser reads again and merges.
 */
export interface CatalogueRow {
  n: number;
  /** Place in the stream; 0: there is no row. */
  seq: number;
  labels: CatalogueEntry;
  /** When it was moved to the trash, or begun to be deleted or imported. Absent: the run is to be seen. */
  hidden?: { why: 'trash' | 'deleting' | 'importing'; at: string };
}

const body = z.object({
  labels: catalogueEntry.catch({}),
  hidden: z
    .object({ why: z.enum(['trash', 'deleting', 'importing']), at: z.string() })
    .optional()
    .catch(undefined),
});

export const NO_ROW: CatalogueRow = { n: 0, seq: 0, labels: {} };

export function rowOf(ground: Ground, stored: Stored | undefined): CatalogueRow {
  if (stored === undefined) return NO_ROW;
  const n = Number(ground.subjects.parse(stored.subject)?.token);
  const at = { n: Number.isSafeInteger(n) ? n : 0, seq: stored.seq };
  let json: unknown;
  try {
    json = JSON.parse(Buffer.from(stored.data).toString('utf8'));
  } catch {
    json = {};
  }
  const { labels, hidden } = body.catch({ labels: {} }).parse(json);
  return { ...at, labels, ...(hidden !== undefined && { hidden }) };
}

export const readRow = async (ground: Ground, id: string): Promise<CatalogueRow> =>
  rowOf(ground, await lastOf(ground, ground.subjects.catalogue(id, '>')));

/** The rows of all runs. */
export async function readRows(ground: Ground): Promise<Map<string, CatalogueRow>> {
  const rows = new Map<string, CatalogueRow>();
  for (const stored of await scan(ground, ground.subjects.all('cat'))) {
    const id = ground.subjects.parse(stored.subject)?.id;
    if (id === undefined) continue;
    const row = rowOf(ground, stored);
    if (row.n >= (rows.get(id)?.n ?? 0)) rows.set(id, row);
  }
  return rows;
}

/** What a change of the row is, for those who watch. */
export type RowChange = 'added' | 'removed' | 'catalogue';

/**
 * Changes a row. `change` gets what is there and gives what shall be; it is called again when another was quicker, and
 * may throw.
 */
export async function changeRow(
  ground: Ground,
  id: string,
  what: RowChange,
  change: (row: CatalogueRow) => Pick<CatalogueRow, 'labels' | 'hidden'>,
): Promise<void> {
  const nonce = newNonce();
  for (;;) {
    const row = await readRow(ground, id);
    const { labels, hidden } = change(row);
    const n = row.n + 1;
    try {
      await putFenced(ground, {
        subject: ground.subjects.catalogue(id, n),
        body: Buffer.from(JSON.stringify({ labels, hidden })),
        id: `${nonce}-cat-${n}`,
        last: row.seq,
        filter: ground.subjects.catalogue(id, '>'),
        headers: { [HEADER.change]: what },
      });
      // Only where later changes are judged against the last row may earlier ones go.
      if (row.n > 0 && ground.tailFence() && ground.judgement.keepsAll === undefined)
        void ground.link.manager.streams
          .purge(ground.stream, { filter: ground.subjects.catalogue(id, '>'), keep: 1 })
          .catch(() => undefined);
      return;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
    }
  }
}
