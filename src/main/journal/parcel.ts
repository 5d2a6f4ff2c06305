import type { CatalogueEntry, SidecarEntry } from '../../shared/run/sidecar';

/** A run with all that stands beside it, on its way from one store to another. */
export interface RunParcel {
  /** The exact bytes of each record, without newline, in order. Gaps in their numbers are kept. */
  lines: readonly Uint8Array[];
  /** Notes beside the run, in order; absent when none were bound to it, and then none are bound to the copy. */
  sidecar?: readonly SidecarEntry[];
  catalogue: CatalogueEntry;
  /** Texts that the notes name, under the same names. */
  texts: readonly { name: string; text: string }[];
}

/** The notes of a parcel that are written where it arrives: what saw a turn of the original saw none of the copy. */
export const broughtNotes = (sidecar: readonly SidecarEntry[]): SidecarEntry[] =>
  sidecar.filter(({ kind }) => kind !== 'bind' && kind !== 'turn');
