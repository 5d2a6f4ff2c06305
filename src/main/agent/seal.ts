import { encodeLine } from '../../shared/run/codec';
import { wellFormed } from '../../shared/run/json';
import { PROTOCOL } from '../../shared/run/record';
import { secretFinder } from '../../shared/run/secret-finder';
import type { Ledger } from './ledger';
import type { Answer } from './words';

/** Bytes of one tool result in the conversation. The whole text is kept beside the journal. */
export const MAX_RESULT = 256 * 1024;
const AROUND_A_NOTE = 512;

let finder: { secrets: readonly string[]; clean(text: string): string } | undefined;

/** Masks known secret values, also where they are encoded or cut; see shared/run/secret-finder.ts. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  // They rarely change, and what finds them takes a moment to make.
  const same =
    finder?.secrets.length === secrets.length && finder.secrets.every((one, n) => one === secrets[n]);
  if (!finder || !same) finder = { secrets: [...secrets], clean: secretFinder(secrets).clean };
  return finder.clean(text);
}

/** The first and the last part of a text, `bytes` of UTF-8 in all, cut between characters. */
export function headAndTail(text: string, bytes: number): { head: string; tail: string } {
  const all = Buffer.from(text, 'utf8');
  const boundary = (at: number) => {
    let cut = at;
    while (cut > 0 && ((all[cut] ?? 0) & 0xc0) === 0x80) cut--;
    return cut;
  };
  const headEnd = boundary(Math.floor((bytes * 3) / 4));
  const tailStart = boundary(Math.max(headEnd, all.length - Math.floor(bytes / 4)));
  return { head: all.toString('utf8', 0, headEnd), tail: all.toString('utf8', tailStart) };
}

const size = (n: number) => n.toLocaleString('en-US');

/**
 * Makes a tool's answer fit to be recorded: secrets out, and what is too long for the conversation or for one record
 * clipped, with the whole kept beside the journal. Never fails for the length of a text; `warn` hears what went wrong.
 */
export async function seal(
  answer: Answer,
  toolUseId: string,
  ledger: Ledger,
  secrets: readonly string[],
  now: () => Date,
  warn: (code: string, text: string) => void,
): Promise<Answer> {
  const content = wellFormed(withoutSecrets(answer.content, secrets));
  const total = Buffer.byteLength(content);
  const fits = (text: string) => recordFits(ledger, toolUseId, { ...answer, content: text });
  if (total <= MAX_RESULT && fits(content)) return { ...answer, content };

  let file: string | undefined;
  try {
    file = await ledger.keep(toolUseId, content);
    if (file !== undefined)
      await ledger.note(
        { kind: 'clip', at: now().toISOString(), tool_use_id: toolUseId, file, bytes: total },
        'where the whole text of a tool result is',
      );
  } catch {
    file = undefined;
    warn('result_not_kept', 'A long tool result was clipped, and its whole text could not be kept.');
  }
  const where = file === undefined ? '' : ' The whole text is kept beside this run.';
  return { ...answer, content: clipped(content, where, fits) };
}

function clipped(content: string, where: string, fits: (text: string) => boolean): string {
  const total = Buffer.byteLength(content);
  for (let room = MAX_RESULT - 1024; ; room = Math.floor(room / 2)) {
    const { head, tail } = headAndTail(content, room);
    const shown = Buffer.byteLength(head) + Buffer.byteLength(tail);
    const text = `${head}\n\n[… clipped: ${size(total - shown)} of ${size(total)} bytes are left out here.${where} …]\n\n${tail}`;
    if (room < 256 || fits(text)) return text;
  }
}

/** A text that a note has room for, which are as large as records at most. */
export function sealedNote(text: string, ledger: Ledger, secrets: readonly string[]): string {
  const content = wellFormed(withoutSecrets(text, secrets));
  const most = (ledger.maxRecordBytes ?? Infinity) - AROUND_A_NOTE;
  const fits = (one: string) => Buffer.byteLength(JSON.stringify(one)) <= most;
  return Buffer.byteLength(content) <= MAX_RESULT && fits(content) ? content : clipped(content, '', fits);
}

function recordFits(ledger: Ledger, toolUseId: string, answer: Answer): boolean {
  const max = ledger.maxRecordBytes;
  if (max === undefined) return true;
  const result = { tool_use_id: toolUseId, ...answer };
  const record = {
    seq: Number.MAX_SAFE_INTEGER,
    protocol: PROTOCOL.tool_result,
    tool_result: { tool_use_id: toolUseId, result },
  };
  return encodeLine(record).length <= max;
}
