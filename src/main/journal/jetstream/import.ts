import { decodeRecord } from '../../../shared/run/codec';
import { runExists } from '../check';
import { broughtNotes } from '../parcel';
import type { RunParcel } from '../parcel';
import { metaSha256 } from '../sidecar';
import { AuxWriter } from './aux';
import { changeRow, readRow } from './catalogue';
import { Claim } from './claim';
import { inTrash, miscopied, overtaken, superseded, tooLarge } from './failures';
import { mostBody, newNonce, putFenced } from './ground';
import type { Ground } from './ground';
import { Refused } from './put';
import { lastOf } from './read';
import { bytesOf, readStored } from './records';
import { removeRun } from './remove';
import { recordHeaders, rowOfRecords } from './row';
import { writeText } from './texts';

/**
 * Writes a run with exactly these lines. It is hidden until it is whole and was read back, so nobody meets half a run;
 * what an import that was cut short left behind is replaced.
 */
export async function importRun(ground: Ground, id: string, parcel: RunParcel): Promise<void> {
  const most = mostBody(ground);
  for (const line of parcel.lines) if (line.length > most) throw tooLarge(line.length, most);
  await checkFree(ground, id);
  const nonce = newNonce();
  const claim = await Claim.take(ground, id, nonce);
  let [lost, begun] = [false, false];
  claim.onSuperseded(() => (lost = true));
  try {
    const leftover = await checkFree(ground, id);
    if (leftover) await removeRun(ground, id);
    const hidden = { why: 'importing' as const, at: new Date().toISOString() };
    await changeRow(ground, id, 'catalogue', () => ({ labels: {}, hidden }));
    await writeRecords(ground, id, nonce, parcel.lines, () => (begun = true));
    await writeBeside(ground, id, nonce, parcel);
    const stored = await readStored(ground, id);
    if (stored === undefined || !bytesOf(stored).equals(joined(parcel.lines))) throw miscopied();
    if (lost) throw superseded();
    await changeRow(ground, id, 'added', () => ({ labels: parcel.catalogue }));
  } catch (error) {
    // What stands there if nothing of this import does is not ours to clean up.
    if (begun && !lost && ground.judgement.keepsAll === undefined)
      await removeRun(ground, id).catch(() => undefined);
    throw error;
  } finally {
    await claim.release();
  }
}

/** true: half of an import is there. Throws when a run is. */
async function checkFree(ground: Ground, id: string): Promise<boolean> {
  const [there, row] = await Promise.all([lastOf(ground, ground.subjects.run(id)), readRow(ground, id)]);
  if (there === undefined) return false;
  if (row.hidden?.why === 'importing' && ground.judgement.keepsAll === undefined) return true;
  throw row.hidden === undefined ? runExists() : inTrash();
}

async function writeRecords(
  ground: Ground,
  id: string,
  nonce: string,
  lines: readonly Uint8Array[],
  onBegun: () => void,
): Promise<void> {
  const records = lines.map((line) => decodeRecord(Buffer.from(line).toString('utf8')));
  let [last, size] = [0, 0];
  for (const [n, record] of records.entries()) {
    const body = lines[n]!;
    size += body.length + 1;
    // Lists look at the last record only.
    const row = n === records.length - 1 ? rowOfRecords(records, size) : undefined;
    try {
      const landed = await putFenced(ground, {
        subject: n === 0 ? ground.subjects.meta(id) : ground.subjects.record(id, record.seq),
        body,
        id: `${nonce}-${record.seq}`,
        last,
        filter: ground.subjects.run(id),
        headers: recordHeaders(0, undefined, row, mostBody(ground) - body.length),
      });
      last = landed.seq;
      onBegun();
    } catch (error) {
      if (error instanceof Refused) throw last === 0 ? runExists() : overtaken();
      throw error;
    }
  }
}

async function writeBeside(ground: Ground, id: string, nonce: string, parcel: RunParcel): Promise<void> {
  const first = parcel.lines[0];
  if (parcel.sidecar !== undefined && first !== undefined) {
    const last = await lastOf(ground, ground.subjects.aux(id, '>'));
    const n = Number((last && ground.subjects.parse(last.subject)?.token) ?? 0);
    const aux = new AuxWriter({
      ground,
      id,
      nonce,
      metaSha256: metaSha256(first),
      end: { n, seq: last?.seq ?? 0, bound: false, sum: '' },
      onLost: () => undefined,
    });
    for (const entry of broughtNotes(parcel.sidecar)) aux.add(entry);
    await aux.flush(true);
  }
  for (const { name, text } of parcel.texts) await writeText(ground, id, nonce, name, text);
}

const joined = (lines: readonly Uint8Array[]): Buffer =>
  Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')]));
