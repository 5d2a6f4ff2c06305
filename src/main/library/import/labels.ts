import { catalogueEntry, type CatalogueEntry } from '../../../shared/run/sidecar';
import { linesIn } from '../../../shared/run/slices';

/** Labels of a catalogue's text, by id, on top of those `before`; a later line counts more. Torn or unknown lines are passed over. */
export function labelsIn(
  text: string,
  before?: ReadonlyMap<string, CatalogueEntry>,
): Map<string, CatalogueEntry> {
  const all = new Map(before);
  for (const line of linesIn(text)) {
    if (line === '') continue;
    try {
      const entry = JSON.parse(line) as { id?: unknown; set?: unknown; unset?: unknown; gone?: unknown };
      if (typeof entry.id !== 'string') continue;
      let labels = entry.gone === true ? {} : (all.get(entry.id) ?? {});
      const set = catalogueEntry.safeParse(entry.set ?? {});
      if (set.success) labels = { ...labels, ...set.data };
      const unset = new Set(Array.isArray(entry.unset) ? entry.unset : []);
      labels = Object.fromEntries(Object.entries(labels).filter(([key]) => !unset.has(key)));
      // What was accepted elsewhere is not taken over.
      delete labels.model;
      all.set(entry.id, labels);
    } catch {
      // A torn or unknown line.
    }
  }
  return all;
}
