import { createHash, hash } from 'node:crypto';
import type { FailureInfo } from '../../shared/run/failure';
import { sidecarEntry } from '../../shared/run/sidecar';
import type { SidecarEntry } from '../../shared/run/sidecar';
import type { Slip } from './slip';

/** In the data of a failed `Journal.note`: there can be no notes of this run, though the run itself can be written. */
export const NOTES_UNWRITABLE = { notes: 'unwritable' };
export const areUnwritable = ({ data }: Pick<FailureInfo, 'data'>): boolean =>
  data?.['notes'] === NOTES_UNWRITABLE.notes;

/** SHA-256 in hex of a meta line without its newline: what ties a sidecar to its run. */
export const metaSha256 = (metaLine: Uint8Array | string): string =>
  createHash('sha256').update(metaLine).digest('hex');

export const bindEntry = (sha256: string): SidecarEntry => ({
  kind: 'bind',
  meta_sha256: sha256,
  app: 'holdfast',
  at: new Date().toISOString(),
});

/** Hexadecimal digits of a sum: against disks and programs that change bytes, not against people. */
const SUM_LENGTH = 16;
const sumOf = (text: string): string => hash('sha256', text, 'hex').slice(0, SUM_LENGTH);

/**
 * A line as it is written: what is noted, the sum of the line before, and its own. So it shows when a line was changed,
 * and when one is missing between two, or stands in another place. Only an end that is missing does not show.
 *
 * @param before sum of the line before; empty: none, or none that can be relied on
 */
export function encodeEntry(entry: SidecarEntry, before = ''): { line: string; sum: string } {
  const body = `${JSON.stringify(entry).slice(0, -1)},"prev":"${before}"`;
  const sum = sumOf(body);
  return { line: `${body}${SUM}${sum}"}\n`, sum };
}

/** Lines that follow each other, and the sum of the last. */
export function encodeEntries(
  entries: readonly SidecarEntry[],
  before = '',
): { lines: string[]; sum: string } {
  let sum = before;
  const lines = entries.map((entry) => {
    const one = encodeEntry(entry, sum);
    sum = one.sum;
    return one.line;
  });
  return { lines, sum };
}

const SUM = ',"sum":"';
const END = '"}';
const PREV = /,"prev":"([0-9a-f]*)"$/;

/** A line that was read. `plain`: of a version that wrote no sums, so nothing can be said of it. */
export type NoteLine =
  | { kind: 'sound'; sum: string; prev: string; entry: SidecarEntry | undefined }
  | { kind: 'plain'; entry: SidecarEntry | undefined }
  | { kind: 'damaged' };

export function decodeLine(line: string): NoteLine {
  const at = line.lastIndexOf(SUM);
  if (at >= 0 && line.endsWith(END) && line.length === at + SUM.length + SUM_LENGTH + END.length) {
    const body = line.slice(0, at);
    const sum = line.slice(at + SUM.length, -END.length);
    const prev = PREV.exec(body)?.[1];
    if (prev === undefined || sumOf(body) !== sum) return { kind: 'damaged' };
    return { kind: 'sound', sum, prev, entry: sidecarEntry.safeParse(parsed(line)).data };
  }
  const value = parsed(line);
  // No version wrote the one without the other.
  if (typeof value !== 'object' || value === null || 'prev' in value || 'sum' in value)
    return { kind: 'damaged' };
  return { kind: 'plain', entry: sidecarEntry.safeParse(value).data };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Something in a run's notes that is not as it was written. */
export interface NotesDamage {
  /** Counts from 1. */
  line: number;
  /** `changed`: the line itself. `missing`: what stood before it. */
  what: 'changed' | 'missing';
}

/** A `turn` that proves nothing stays in its place, since readers count what they have taken. */
export const voided = (entry: SidecarEntry): SidecarEntry =>
  entry.kind === 'turn' ? { ...entry, sha256: '' } : entry;

/** Entries of the run with this meta hash, `bind` included, and whether there was a binding at all. */
export interface SidecarRead {
  /** Without those that were changed since; a `turn` that is not followed by unbroken lines to the end is voided. */
  entries: SidecarEntry[];
  bound: boolean;
  /** The first of it; absent: none. */
  damage?: NotesDamage[];
  /** Of the last line, for the next one; empty where that cannot be relied on. */
  sum: string;
}

export const NO_NOTES: SidecarRead = { entries: [], bound: false, sum: '' };

const MOST_DAMAGE = 100;

/**
 * Reads whatever a sidecar holds, and never throws: lines that are torn, changed or unknown are passed over, since
 * nothing in a sidecar is needed to go on. Every entry belongs to the `bind` entry before it, so a sidecar that an
 * earlier run of the same id left behind is simply not ours, and ours may follow it in one file.
 */
export function readSidecar(lines: Iterable<string>, sha256: string | undefined): SidecarRead {
  const entries: SidecarEntry[] = [];
  const damage: NotesDamage[] = [];
  let [bound, ours] = [false, false];
  let sum = '';
  /** Where the unbroken lines begin that go on to the end. */
  let unbroken = 0;
  let [number, first] = [0, true];
  for (const text of lines) {
    number += 1;
    if (text === '') continue;
    const line = decodeLine(text);
    const follows = line.kind === 'sound' && (first || sum !== '') && line.prev === sum;
    if (line.kind === 'damaged') damage.push({ line: number, what: 'changed' });
    else if (line.kind === 'sound' && !follows && (sum !== '' || first))
      damage.push({ line: number, what: 'missing' });
    if (!follows) unbroken = entries.length;
    sum = line.kind === 'sound' ? line.sum : '';
    first = false;
    if (line.kind === 'damaged' || line.entry === undefined) {
      if (line.kind !== 'sound') unbroken = entries.length;
      continue;
    }
    const { entry } = line;
    if (entry.kind === 'bind') {
      ours = sha256 !== undefined && entry.meta_sha256 === sha256;
      bound ||= ours;
    }
    if (ours) entries.push(entry);
    if (line.kind === 'plain') unbroken = entries.length;
  }
  for (let n = 0; n < unbroken; n++) entries[n] = voided(entries[n]!);
  return { entries, bound, ...(damage.length > 0 && { damage: damage.slice(0, MOST_DAMAGE) }), sum };
}

/**
 * The notes with the text of the answer under way at their end, which stands in a slip; earlier versions noted it again
 * and again, and of those only the newest counts.
 */
export function withPartial(read: SidecarRead, slip: Slip | undefined): SidecarRead {
  const kept = slip && !slip.damaged ? sidecarEntry.safeParse(parsed(slip.text)).data : undefined;
  if (kept?.kind !== 'partial') return read;
  return { ...read, entries: [...read.entries.filter(({ kind }) => kind !== 'partial'), kept] };
}
