import { Failure } from '../../shared/run/failure';
import { catalogueEntry } from '../../shared/run/sidecar';
import type { CatalogueEntry } from '../../shared/run/sidecar';
import type { RunStore } from './journal';

/** Fields to set; `undefined` removes one. */
export type CataloguePatch = Parameters<RunStore['label']>[1];

const strict = catalogueEntry.strict();

/** Throws `bad_request` for fields that a catalogue does not have, or that are too long. */
export function checkPatch(patch: CataloguePatch): void {
  const parsed = strict.safeParse(patch);
  if (parsed.success) return;
  const issue = parsed.error.issues[0];
  throw new Failure({
    code: 'bad_request',
    message: `That label cannot be kept: ${issue?.path.join('.') || 'label'}: ${issue?.message ?? 'not understood'}.`,
    kept: 'The labels are unchanged.',
    todo: 'Use a shorter one.',
  });
}

/** The entry after a patch. Absent fields stay as they are. */
export function patched(entry: CatalogueEntry, patch: CataloguePatch): CatalogueEntry {
  const merged: Record<string, unknown> = { ...entry, ...patch };
  for (const key of Object.keys(merged)) if (merged[key] === undefined) delete merged[key];
  return merged;
}
