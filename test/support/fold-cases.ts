import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A journal with the verdict of the reference's own reader. */
export interface FoldCase {
  name: string;
  journal: Uint8Array;
  /** The state's JSON exactly as the reference gave it; `undefined` when it refused the journal. */
  stateText: string | undefined;
  error: string | undefined;
}

export const fixture = (name: string): string => join(import.meta.dirname, '..', 'fixtures', name);

const STATE = ',"state":';

export function foldCases(): FoldCase[] {
  const lines = readFileSync(fixture('fold-cases.jsonl'), 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => {
    const { name, journal_b64, error } = JSON.parse(line) as {
      name: string;
      journal_b64: string;
      error?: string;
    };
    const at = line.indexOf(STATE);
    return {
      name,
      journal: new Uint8Array(Buffer.from(journal_b64, 'base64')),
      stateText: at === -1 ? undefined : line.slice(at + STATE.length, -1),
      error,
    };
  });
}
