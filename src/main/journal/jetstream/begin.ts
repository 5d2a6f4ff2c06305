import { encodeRecord } from '../../../shared/run/codec';
import type { RunRecord } from '../../../shared/run/record';
import type { SidecarEntry } from '../../../shared/run/sidecar';
import { checkCountable, checkSize, notFound, runExists } from '../check';
import type { LoadedRun, Writer } from '../journal';
import { loadedRun } from '../read';
import { metaSha256, voided, withPartial } from '../sidecar';
import { bar, readAux, scanAux } from './aux';
import type { AuxEnd } from './aux';
import { changeRow, readRow } from './catalogue';
import { Claim } from './claim';
import { inTrash, orphaned, tooLarge } from './failures';
import { mostBody, newNonce, putFenced } from './ground';
import type { Ground } from './ground';
import { Refused } from './put';
import { lastOf } from './read';
import { readRecords } from './records';
import { readSlip } from './slips';
import type { RunRead } from './records';
import { recordHeaders, rowOfRecords } from './row';
import { HEADER } from './subjects';
import type { WriterParts } from './writer';

/** What a writer begins with. */
export type Begun = Omit<WriterParts, 'ground' | 'store' | 'onClose'>;

/** Makes a run: its meta record, then the claim of its first writer. */
export async function createRun(ground: Ground, id: string, meta: RunRecord, own?: string): Promise<Begun> {
  const body = Buffer.from(encodeRecord(meta));
  checkSize(body);
  if (body.length > mostBody(ground)) throw tooLarge(body.length, mostBody(ground));
  const [there, row] = await Promise.all([lastOf(ground, ground.subjects.run(id)), readRow(ground, id)]);
  if (there !== undefined)
    throw row.hidden === undefined || row.hidden.why === 'deleting' ? await occupied(ground, id) : inTrash();

  const nonce = newNonce();
  const tail = await writeMeta(ground, id, nonce, meta, body, own);
  // What a run of the same name left behind when it was deleted.
  if (row.n > 0) await changeRow(ground, id, 'added', () => ({ labels: {} }));
  const claim = await Claim.take({ ...ground, askMs: 0 }, id, nonce);
  try {
    const sha256 = metaSha256(body);
    const { end } = readAux(ground, await scanAux(ground, id), sha256);
    return {
      id,
      claim,
      nonce,
      places: [{ seq: 1, line: 1, offset: 0, bytes: body.length }],
      records: [meta],
      tail,
      size: body.length + 1,
      metaSha256: sha256,
      aux: end,
      opened: undefined,
    };
  } catch (error) {
    await claim.release();
    throw error;
  }
}

async function writeMeta(
  ground: Ground,
  id: string,
  nonce: string,
  meta: RunRecord,
  body: Buffer,
  own: string | undefined,
): Promise<number> {
  const row = rowOfRecords([meta], body.length + 1);
  try {
    const landed = await putFenced(ground, {
      subject: ground.subjects.meta(id),
      body,
      id: `${nonce}-1`,
      last: 0,
      filter: ground.subjects.run(id),
      headers: recordHeaders(1, own, row, mostBody(ground) - body.length),
    });
    return landed.seq;
  } catch (error) {
    throw error instanceof Refused ? await occupied(ground, id) : error;
  }
}

/** Why a run cannot be made where something is. */
async function occupied(ground: Ground, id: string): Promise<Error> {
  const meta = await lastOf(ground, ground.subjects.meta(id));
  return meta === undefined ? orphaned() : runExists();
}

/** Takes the writer's place. What the run holds is read after that, so nothing that a former writer did is missed. */
export async function openRun(ground: Ground, id: string): Promise<Begun> {
  const nonce = newNonce();
  const claim = await Claim.take(ground, id, nonce);
  try {
    if (claim.superseded) await bar(ground, id, nonce);
    const { loaded, read, sha256, end } = await loadRun(ground, id, 'here');
    checkCountable(loaded.facts.lastSeq);
    return {
      id,
      claim,
      nonce,
      places: [...loaded.places],
      records: loaded.records,
      tail: read.stored.at(-1)?.seq ?? 0,
      size: loaded.size,
      metaSha256: sha256,
      aux: end,
      opened: loaded,
    };
  } catch (error) {
    await claim.release();
    throw error;
  }
}

/** Throws `not_found` unless the run is there and to be seen. */
export async function checkSeen(ground: Ground, id: string): Promise<void> {
  const [there, row] = await Promise.all([lastOf(ground, ground.subjects.run(id)), readRow(ground, id)]);
  if (there === undefined || row.hidden !== undefined) throw notFound();
}

/** Everything about a run that is to be seen. Throws what is wrong with it. */
export async function loadRun(
  ground: Ground,
  id: string,
  writer: Writer,
): Promise<{ loaded: LoadedRun; read: RunRead; sha256: string; end: AuxEnd }> {
  const [read, row, notes, began, partial] = await Promise.all([
    readRecords(ground, id),
    readRow(ground, id),
    scanAux(ground, id),
    readSlip(ground, id, 'began'),
    readSlip(ground, id, 'partial'),
  ]);
  if (read === undefined || row.hidden !== undefined) throw notFound();
  const sha256 = metaSha256(read.stored[0]?.data ?? '');
  const { end, ...aux } = readAux(ground, notes, sha256);
  const noted = isNoted(read);
  const entries = noted ? aux.entries : aux.entries.map(voided);
  ground.known.set(id, read.stored.at(-1)?.seq ?? 0, read.reading);
  const loaded = loadedRun(
    read.reading,
    {
      ...withPartial(
        { ...aux, entries: [...entries, ...ownNotes(read)], bound: aux.bound && noted },
        partial(sha256),
      ),
      began: began(sha256),
    },
    { id, updated: read.updated, catalogue: row.labels, writer, durability: 'acknowledged' },
  );
  return { loaded, read, sha256, end };
}

/** What the headers of the last turn and of all behind it say about who wrote them. */
function ownNotes({ stored, reading }: RunRead): SidecarEntry[] {
  const from = Math.max(
    0,
    reading.records.findLastIndex((record) => record.assistant !== undefined),
  );
  return reading.records.slice(from).flatMap(({ seq }, n): SidecarEntry[] => {
    const mac = stored[from + n]?.headers?.get(HEADER.own);
    return mac !== undefined && mac !== '' && mac.length <= 64 ? [{ kind: 'own', seq, mac }] : [];
  });
}

/**
 * Whether everything from the last turn on was written by writers that note what they do. Another program may have run
 * a tool of a pending turn without a note, so then what the notes do not tell is not known.
 */
function isNoted({ stored, reading }: RunRead): boolean {
  const from = reading.records.findLastIndex((record) => record.assistant !== undefined);
  return stored.slice(Math.max(from, 0)).every((one) => one.headers?.has(HEADER.claim) === true);
}
