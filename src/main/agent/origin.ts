import { createHash } from 'node:crypto';
import type { RunRecord } from '../../shared/run/record';
import type { SidecarEntry, SidecarKind } from '../../shared/run/sidecar';
import type { LoadedRun } from '../journal/journal';
import { recordSha256 } from '../journal/proof';
import type { Witness } from '../settings/witness';

/**
 * Who wrote a run, and which of its notes may decide something. Words are taken over from anywhere; where a run works,
 * with whom, and what was allowed, only from notes that this machine can prove to have written.
 *
 * Two things are proved, both bound to the run by the hash of its meta line: each record that this machine appends (its
 * number and bytes), and each note that decides something (all of it). A run is `here` while its last record is proved,
 * or while a person has looked at it as it stands and gone on with it here.
 */
export interface RunOrigin {
  /** `import`: it was brought in as a file. `elsewhere`: another machine or program wrote its last record. */
  kind: 'here' | 'import' | 'elsewhere';
  /** Of an import: what the run was called, and when it came. */
  from?: string;
  at?: string;
  /** What an acceptance is bound to: the run exactly as it was looked at. */
  seen: string;
  /** What its notes say about where it worked. Shown, never used. */
  told: { profile?: string; folder?: string; endpoint?: string };
}

export interface Trusted {
  origin: RunOrigin;
  /** The notes that may decide something, in their order. */
  notes: SidecarEntry[];
  /** The open turn was written by this machine, so what it knows of its calls is so. */
  pendingHere: boolean;
}

/** Kinds that decide something, and so count only with a proof. */
const DECIDING: ReadonlySet<SidecarKind> = new Set([
  'config',
  'bad_input',
  'turn',
  'intent',
  'approval',
  'resume',
]);

const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');

/** Signs what is written into one run. */
export class Seal {
  readonly #meta: string;

  constructor(
    private readonly witness: Witness,
    meta: RunRecord | undefined,
  ) {
    this.#meta = meta ? recordSha256(meta) : '';
  }

  ofRecord(record: RunRecord): string {
    return this.witness.mac(this.#recordText(record));
  }

  isOfRecord(record: RunRecord, mac: string): boolean {
    return this.witness.isMac(this.#recordText(record), mac);
  }

  /** The note with its proof; notes that decide nothing have none. */
  sign<E extends SidecarEntry>(entry: E): E {
    return DECIDING.has(entry.kind) ? { ...entry, mac: this.witness.mac(this.#noteText(entry)) } : entry;
  }

  isSigned(entry: SidecarEntry): boolean {
    return 'mac' in entry && entry.mac !== undefined && this.witness.isMac(this.#noteText(entry), entry.mac);
  }

  #recordText(record: RunRecord): string {
    return JSON.stringify(['record', this.#meta, record.seq, recordSha256(record)]);
  }

  #noteText(entry: SidecarEntry): string {
    return JSON.stringify(['note', this.#meta, canonical({ ...entry, mac: undefined })]);
  }
}

/** The same for the same content, whatever order it was written or read in. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .filter(([, one]) => one !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, one]) => [key, canonical(one)]);
}

/** Judges a loaded run. `store`: the address of the store that it was loaded from. Pure but for the witness. */
export function trusted(run: LoadedRun, witness: Witness, store: string): Trusted {
  const { records, sidecar, facts } = run;
  const seal = new Seal(witness, records[0]);
  const last = records.at(-1);
  const pending = run.state.pending ? records.findLast(({ assistant }) => assistant) : undefined;
  const origin = {
    seen: sha256(
      JSON.stringify([records[0] && recordSha256(records[0]), last && recordSha256(last), facts.lastSeq]),
    ),
    told: placeIn(sidecar),
  };
  const imported = sidecar.findLastIndex((entry) => entry.kind === 'lineage' && entry.why === 'import');
  if (isFromBefore(run, imported, witness, store))
    return {
      origin: { kind: 'here', ...origin },
      notes: sidecar.slice(imported + 1),
      pendingHere: imported < 0,
    };

  const calls = new Set(
    (pending?.assistant?.message.content ?? []).flatMap(({ tool_use: use }) => (use ? [use.id] : [])),
  );
  const notes = sidecar.filter((entry) => {
    if (!DECIDING.has(entry.kind)) return true;
    // Of calls that have their answer nothing is to be decided any more.
    if ((entry.kind === 'intent' || entry.kind === 'approval') && !calls.has(entry.tool_use_id)) return false;
    return seal.isSigned(entry);
  });
  const isOwn = (record: RunRecord | undefined): boolean =>
    record !== undefined &&
    sidecar.some(
      (entry) => entry.kind === 'own' && entry.seq === record.seq && seal.isOfRecord(record, entry.mac),
    );
  const looked = last && recordSha256(last);
  const adopted = notes.some(
    (entry) => entry.kind === 'resume' && entry.after_seq === last?.seq && entry.record_sha256 === looked,
  );
  if (isOwn(last) || adopted)
    return { origin: { kind: 'here', ...origin }, notes, pendingHere: isOwn(pending) };
  const lineage = sidecar[imported];
  return {
    origin:
      lineage?.kind === 'lineage'
        ? { kind: 'import', from: lineage.from, at: lineage.at, ...origin }
        : { kind: 'elsewhere', ...origin },
    notes,
    pendingHere: false,
  };
}

/**
 * Runs of earlier versions have no proofs. They are ours where this machine's own folder had them when it began to
 * prove, and nothing was written to them since. What came before an import is never ours.
 */
function isFromBefore(run: LoadedRun, imported: number, witness: Witness, store: string): boolean {
  const { sidecar, id, size } = run;
  if (sidecar.some((entry) => entry.kind === 'own' || ('mac' in entry && entry.mac !== undefined)))
    return false;
  if (imported >= 0 && !sidecar.slice(imported).some(({ kind }) => kind === 'resume')) return false;
  return witness.knew(store, id, size);
}

/** Where a run worked, by these notes: each field as it was written last. */
export function placeIn(sidecar: readonly SidecarEntry[]): {
  profile?: string;
  folder?: string;
  folder_id?: string;
  endpoint?: string;
} {
  const place: ReturnType<typeof placeIn> = {};
  for (const entry of sidecar) {
    if (entry.kind !== 'config') continue;
    if (entry.profile !== undefined) place.profile = entry.profile;
    if (entry.endpoint !== undefined) place.endpoint = entry.endpoint;
    if (entry.folder === undefined) continue;
    place.folder = entry.folder;
    delete place.folder_id;
    if (entry.folder_id !== undefined) place.folder_id = entry.folder_id;
  }
  return place;
}
