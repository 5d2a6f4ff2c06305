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
    let name = run.id;
    // Some file systems take capitals and small letters for the same.
    for (let n = 2; taken.has(name.toLowerCase()); n++) name = `${run.id}-${n}`;
    taken.add(name.toLowerCase());
    all.push({ ...run, key, name });
  }
  return all;
}

const LONGEST = 80;
/** Names that Windows keeps for devices. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/**
 * A title as the name of a file, without ending: nothing in it leads elsewhere, hides the file, is invisible, or means
 * something to a system or shell that people use. Never empty.
 */
export function safeFileName(title: string): string {
  const plain = title
    .normalize('NFC')
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ')
    .replace(/[/\\:*?"<>|`$!&;#%{}[\]^~']/g, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^[\s.-]+/, '');
  const short = [...plain]
    .slice(0, LONGEST)
    .join('')
    .replace(/[\s.]+$/, '');
  if (short === '') return 'run';
  return DEVICE.test(short) ? `run ${short}` : short;
}

/** `name`, then `name (2)`, `name (3)` … */
export const numbered = (name: string, n: number): string => (n < 2 ? name : `${name} (${n})`);
