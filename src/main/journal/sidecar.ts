import { createHash } from 'node:crypto';
import { sidecarEntry } from '../../shared/run/sidecar';
import type { SidecarEntry } from '../../shared/run/sidecar';

/** SHA-256 in hex of a meta line without its newline: what ties a sidecar to its run. */
export const metaSha256 = (metaLine: Uint8Array | string): string =>
  createHash('sha256').update(metaLine).digest('hex');

export const bindEntry = (sha256: string): SidecarEntry => ({
  kind: 'bind',
  meta_sha256: sha256,
  app: 'holdfast',
  at: new Date().toISOString(),
});

export const encodeEntry = (entry: SidecarEntry): string => `${JSON.stringify(entry)}\n`;

/** Entries of the run with this meta hash, `bind` included, and whether there was a binding at all. */
export interface SidecarRead {
  entries: SidecarEntry[];
  bound: boolean;
}

/**
 * Reads whatever a sidecar holds, and never throws: lines that are torn, unknown or older than their reader are passed
 * over, since nothing in a sidecar is needed to go on. Every entry belongs to the `bind` entry before it, so a sidecar
 * that an earlier run of the same id left behind is simply not ours, and ours may follow it in one file.
 */
export function readSidecar(lines: Iterable<string>, sha256: string | undefined): SidecarRead {
  const entries: SidecarEntry[] = [];
  let [bound, ours] = [false, false];
  for (const line of lines) {
    const entry = parse(line);
    if (entry === undefined) continue;
    if (entry.kind === 'bind') {
      ours = sha256 !== undefined && entry.meta_sha256 === sha256;
      bound ||= ours;
    }
    if (ours) entries.push(entry);
  }
  return { entries, bound };
}

function parse(line: string): SidecarEntry | undefined {
  if (line.trim() === '') return undefined;
  try {
    return sidecarEntry.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
