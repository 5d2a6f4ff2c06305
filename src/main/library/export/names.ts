import { isDeviceName } from '../../../shared/run/names';
import type { RunToExport } from './types';

/** A run whose files have a name that no other run of the export has. */
export interface NamedRun extends RunToExport {
  key: string;
  name: string;
}

/** Each run once, by its id; one whose id another store has too gets a number. */
export function named(runs: readonly RunToExport[]): NamedRun[] {
  const seen = new Set<string>();
  const taken = new Set<string>();
  const all: NamedRun[] = [];
  for (const run of runs) {
    const key = run.key ?? run.id;
    if (seen.has(key)) continue;
    seen.add(key);
    // An id that is older than the rule for ids may be the name of a device.
    const base = isDeviceName(run.id) ? `run-${run.id}` : run.id;
    let name = base;
    // Some file systems take capitals and small letters for the same.
    for (let n = 2; taken.has(name.toLowerCase()); n++) name = `${base}-${n}`;
    taken.add(name.toLowerCase());
    all.push({ ...run, key, name });
  }
  return all;
}

const LONGEST = 80;
/**
 * Bytes of a name of a file. A file system takes 255; what comes behind the name is at most `.catalogue.jsonl`, a number
 * for the case that there is such a file already, or what an unfinished file is called.
 */
const LONGEST_BYTES = 200;
/** What a reader takes for one character: it is never cut. */
const CHARACTERS = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * A title as the name of a file, without ending: nothing in it leads elsewhere, hides the file, is invisible, or means
 * something to a system or shell that people use, and with every ending of ours it is short enough. Never empty.
 */
export function safeFileName(title: string): string {
  const plain = title
    .slice(0, 8 * LONGEST)
    .normalize('NFC')
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ')
    .replace(/[/\\:*?"<>|`$!&;#%{}[\]^~']/g, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^[\s.-]+/, '');
  let short = '';
  let bytes = 0;
  let count = 0;
  for (const { segment } of CHARACTERS.segment(plain)) {
    bytes += Buffer.byteLength(segment);
    if (bytes > LONGEST_BYTES || ++count > LONGEST) break;
    short += segment;
  }
  short = short.replace(/[\s.]+$/, '');
  if (short === '') return 'run';
  return isDeviceName(short) ? `run ${short}` : short;
}

/** `name`, then `name (2)`, `name (3)` … */
export const numbered = (name: string, n: number): string => (n < 2 ? name : `${name} (${n})`);
