import { decodeRecord } from '../../../shared/run/codec';
import { Folder } from '../../../shared/run/fold';
import { runExists } from '../check';
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
import { encodeRow, recordHeaders } from './row';
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
  let lost = false;
  claim.onSuperseded(() => (lost = true));
  try {
    const leftover = await checkFree(ground, id);
    if (leftover) await removeRun(ground, id);
    const hidden = { why: 'importing' as const, at: new Date().toISOString() };
    await changeRow(ground, id, 'catalogue', () => ({ labels: {}, hidden }));
    await writeRecords(ground, id, nonce, parcel.lines);
    await writeBeside(ground, id, nonce, parcel);
    const stored = await readStored(ground, id);
    if (stored === undefined || !bytesOf(stored).equals(joined(parcel.lines))) throw miscopied();
    if (lost) throw superseded();
    await changeRow(ground, id, 'added', () => ({ labels: parcel.catalogue }));
  } catch (error) {
    if (!lost && ground.judgement.keepsAll === undefined && !(error instanceof Occupied))
      await removeRun(ground, id).catch(() => undefined);
    throw error instanceof Occupied ? error.failure : error;
  } finally {
    await claim.release();
  }
}

/** Not ours to clean up. */
class Occupied extends Error {
  constructor(readonly failure: Error) {
    super(failure.message);
  }
}

/** true: half of an import is there. Throws when a run is. */
async function checkFree(ground: Ground, id: string): Promise<boolean> {
  const [there, row] = await Promise.all([lastOf(ground, ground.subjects.run(id)), readRow(ground, id)]);
  if (there === undefined) return false;
  if (row.hidden?.why === 'importing' && ground.judgement.keepsAll === undefined) return true;
  throw new Occupied(row.hidden === undefined ? runExists() : inTrash());
}

async function writeRecords(
  ground: Ground,
  id: string,
  nonce: string,
  lines: readonly Uint8Array[],
): Promise<void> {
  let folder: Folder | undefined = new Folder();
  let [last, size] = [0, 0];
  for (const body of lines) {
    const record = decodeRecord(Buffer.from(body).toString('utf8'));
    size += body.length + 1;
    try {
      folder?.push(record);
    } catch {
      folder = undefined;
    }
    const row =
      folder &&
      encodeRow({ folded: { state: folder.state, facts: folder.facts }, warnings: folder.warnings, size });
    try {
      const landed = await putFenced(ground, {
        subject: ground.subjects.record(id, record.seq),
        body,
        id: `${nonce}-${record.seq}`,
        last,
        filter: ground.subjects.run(id),
        headers: recordHeaders(0, row, mostBody(ground) - body.length),
      });
      last = landed.seq;
    } catch (error) {
      if (error instanceof Refused) throw new Occupied(last === 0 ? runExists() : overtaken());
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
      end: { n, seq: last?.seq ?? 0, bound: false },
      onLost: () => undefined,
    });
    for (const entry of parcel.sidecar) if (entry.kind !== 'bind') aux.add(entry);
    await aux.flush(true);
  }
  for (const { name, text } of parcel.texts) await writeText(ground, id, nonce, name, text);
}

const joined = (lines: readonly Uint8Array[]): Buffer =>
  Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')]));
