import { decodeRecord, encodeLine, encodeRecord } from '../../shared/run/codec';
import { asFailure, Failure } from '../../shared/run/failure';
import { Allowance } from '../../shared/run/allowance';
import { Folder, toolUseIds } from '../../shared/run/fold';
import { PROTOCOL } from '../../shared/run/record';
import type { RecordKind, RunRecord } from '../../shared/run/record';
import type { SidecarEntry } from '../../shared/run/sidecar';
import type { RunFacts, RunState } from '../../shared/run/state';
import type { Journal, LoadedRun, RecordPlace, RunStore } from '../journal/journal';
import { areUnwritable } from '../journal/sidecar';
import { encodeBegan, recordSha256 } from '../journal/proof';
import type { Witness } from '../settings/witness';
import { Seal, trusted } from './origin';
import { Breather } from '../journal/read';
import { encodeSketch } from './sketch';
import type { Sketch } from './sketch';
import type { SessionEvent } from './session';

type Payload = {
  [K in Exclude<RecordKind, 'meta'>]: { kind: K; payload: NonNullable<RunRecord[K]> };
}[Exclude<RecordKind, 'meta'>];

/**
 * What a session knows and writes. Every record goes through `append`: with a journal it is durable before it counts,
 * in a private run it only counts. The state is folded from the very records that are written, so the live
 * conversation and the one that is read back later cannot differ.
 */
export class Ledger {
  #folder = new Folder();
  #allowance = new Allowance();
  #ids = new Set<string>();
  #lastRecord: RunRecord | undefined;
  #seal: Seal | undefined;
  /** There may be the text of an answer beside the run. */
  #sketched = true;
  /** The last answer of the model. */
  #turn: RunRecord | undefined;
  #journal: Journal | undefined;
  #unnoted = false;
  #onDead: ((failure: Failure) => void) | undefined;

  constructor(
    readonly id: string,
    /** undefined: private, nothing is written anywhere. */
    readonly store: RunStore | undefined,
    private readonly emit: (event: SessionEvent) => void,
    private readonly now: () => Date,
    private readonly witness: Witness,
  ) {}

  get state(): RunState {
    return this.#folder.state;
  }
  get facts(): RunFacts {
    return this.#folder.facts;
  }
  /** What this run may use, and what is used of it. */
  get allowance(): Pick<Allowance, 'steps' | 'tokens'> {
    return this.#allowance;
  }
  /** How many records there are. */
  get records(): number {
    return this.#folder.records;
  }
  get lastSeq(): number {
    return this.facts.lastSeq;
  }
  /** Ids of all tool uses of the conversation so far. */
  get toolIds(): ReadonlySet<string> {
    return this.#ids;
  }
  /** Largest record that the journal takes, in bytes. */
  get maxRecordBytes(): number | undefined {
    return this.#journal?.maxRecordBytes;
  }
  /** The writer's place is held now; always true for a private run. */
  get holds(): boolean {
    return this.store === undefined || this.#journal !== undefined;
  }

  /** Called once when the journal is lost for a reason that no append has told. */
  onDead(listener: (failure: Failure) => void): void {
    this.#onDead = listener;
  }

  /**
   * Begins a run: makes it in the store, unless it is private. Failures are the store's. The function that it resolves
   * with tells of the meta record; call it once.
   */
  async beginQuietly(meta: RunRecord): Promise<() => void> {
    const record = decodeRecord(encodeRecord(meta));
    const seal = new Seal(this.witness, record);
    if (this.store) this.hold(await this.store.create(this.id, record, seal.ofRecord(record)));
    this.#seal = seal;
    const place = { seq: 1, line: 1, offset: 0, bytes: encodeLine(record).length - 1 };
    this.#push(record, place);
    return () => this.#tell(record, place);
  }

  /** Takes over what a store has loaded, all of it at the end: until then nothing here has changed. */
  async adopt(run: LoadedRun): Promise<void> {
    const breather = new Breather();
    const folder = new Folder();
    const allowance = new Allowance();
    const ids = new Set<string>();
    const { notes } = trusted(run, this.witness, this.store?.url ?? '');
    for (const entry of notes) allowance.note(entry);
    for (const [index, record] of run.records.entries()) {
      folder.push(record, run.places[index]);
      allowance.push(record);
      for (const id of idsOf(record)) ids.add(id);
      if (breather.due) await breather.breathe();
    }
    this.#seal = new Seal(this.witness, run.records[0]);
    this.#folder = folder;
    this.#allowance = allowance;
    this.#ids = ids;
    this.#lastRecord = run.records.at(-1);
    this.#turn = run.records.findLast(({ assistant }) => assistant);
  }

  hold(journal: Journal): void {
    this.#journal = journal;
    journal.onDead((info) => this.#onDead?.(this.#broken(new Failure(info), 'what comes next')));
  }

  /** Frees the writer's place. */
  async release(): Promise<void> {
    const journal = this.#journal;
    this.#journal = undefined;
    await journal?.close();
  }

  /**
   * Appends one record. `lost` says what is not saved when this fails. Throws Failure `journaling`; the run then stands
   * at the record before. `seen`: the turn asks for something that may change things, so the notes see it first. Where
   * that fails the turn is recorded all the same: then they prove nothing of it, and its tools do not run.
   */
  async append({ kind, payload }: Payload, lost: string, seen = false): Promise<void> {
    const draft: RunRecord = { seq: this.lastSeq + 1, protocol: PROTOCOL[kind], [kind]: payload };
    // What is counted is what a reader will find: escaped, filled in, well formed.
    const record = decodeRecord(encodeRecord(draft));
    let place: RecordPlace | undefined;
    if (this.store) {
      try {
        if (seen)
          await this.#writer()
            .note(this.#sight(record))
            .catch(() => undefined);
        place = await this.#writer().append(record, this.#seal?.ofRecord(record));
      } catch (error) {
        throw this.#broken(error, lost);
      }
    }
    this.#push(record, place);
    this.#tell(record, place);
  }

  /**
   * Adds a synced entry to the sidecar. Throws Failure `journaling`: what it precedes must then not happen.
   *
   * Where the notes are read-only, or a folder, the run goes on as one whose notes are missing: what a person accepted is
   * asked again, a turn that the notes did not see is asked about, and in one that they saw the slip of `begin`, which
   * tells of a call that they lack, takes the proof from them. So no call that began is ever taken for one that did not.
   */
  async note(entry: SidecarEntry, lost: string): Promise<void> {
    if (!this.store) return;
    try {
      await this.#writer().note(this.#seal?.sign(entry) ?? entry);
    } catch (error) {
      if (!this.alive || !areUnwritable(asFailure(error))) throw this.#broken(error, lost);
      if (!this.#unnoted) this.emit({ type: 'warning', ...UNNOTED });
      this.#unnoted = true;
    }
    this.#allowance.note(entry);
  }

  /** Something that was accepted, or has begun, could not be noted. */
  get unnoted(): boolean {
    return this.#unnoted;
  }

  /** Of what happened before anybody could listen. */
  get warnings(): { code: string; text: string }[] {
    return this.#unnoted ? [UNNOTED] : [];
  }

  /**
   * Says once more, in a file of its own, which call is about to change something. Throws Failure `journaling`: then it
   * must not.
   */
  async begin(toolUseId: string, lost: string): Promise<void> {
    if (!this.store || !this.#turn) return;
    const { seq } = this.#turn;
    const began = { seq, sha256: recordSha256(this.#turn), tool_use_id: toolUseId };
    try {
      await this.#writer().putSlip('began', encodeBegan(began), 'durably');
    } catch (error) {
      throw this.#broken(error, lost);
    }
  }

  /** Keeps the text of the answer under way in the place of the one before; undefined: there is none. Never rejects. */
  async sketch(partial: Sketch | undefined): Promise<void> {
    if (!this.#journal || (partial === undefined && !this.#sketched)) return;
    this.#sketched = partial !== undefined;
    const text = partial && encodeSketch(partial, this.#journal.maxRecordBytes);
    await this.#journal.putSlip('partial', text, 'lazily');
  }

  /** Adds an entry that may be lost. */
  whisper(entry: SidecarEntry): void {
    this.#journal?.note(entry).catch(() => {});
  }

  /** Keeps a text beside the journal; undefined in a private run. Throws what the journal throws. */
  async keep(toolUseId: string, text: string): Promise<string | undefined> {
    return this.store ? this.#writer().keep(toolUseId, text) : undefined;
  }

  /** The journal can still be written, as far as one knows. */
  get alive(): boolean {
    return this.store === undefined || (this.#journal !== undefined && this.#journal.dead === undefined);
  }

  /** Whether a run that was loaded still is the one that this ledger knows, perhaps with more at its end. */
  compare(run: LoadedRun): 'same' | 'grown' | 'other' {
    const mine = this.#lastRecord;
    const theirs = run.records.findLast((record) => record.seq <= this.lastSeq);
    if (!mine || !theirs || encodeRecord(mine) !== encodeRecord(theirs)) return 'other';
    return run.facts.lastSeq === this.lastSeq ? 'same' : 'grown';
  }

  #writer(): Journal {
    if (this.#journal) return this.#journal;
    throw new Failure({
      code: 'internal',
      message: 'A record was to be written while the run was not held.',
    });
  }

  #broken(error: unknown, lost: string): Failure {
    const cause = asFailure(error);
    return new Failure(
      {
        code: 'journaling',
        message: `The run can no longer be saved: ${cause.message}`,
        kept: `Everything up to record ${this.lastSeq} is saved; ${lost} is not.`,
        todo: cause.todo ?? 'See to the cause, then open the run again: it goes on from there.',
        data: { ...cause.data, cause: cause.code, seq: this.lastSeq },
      },
      { cause },
    );
  }

  #tell(record: RunRecord, place: RecordPlace | undefined): void {
    const at = this.now().toISOString();
    this.whisper({ kind: 'time', seq: record.seq, at });
    const durability = this.store ? (this.#journal?.durability ?? this.store.durability) : 'memory';
    this.emit({ type: 'record', record, ...(this.store && place && { place }), durability, at });
  }

  #sight(record: RunRecord): SidecarEntry {
    const at = this.now().toISOString();
    const sight: SidecarEntry = {
      kind: 'turn',
      at,
      run: this.id,
      seq: record.seq,
      sha256: recordSha256(record),
    };
    return this.#seal?.sign(sight) ?? sight;
  }

  #push(record: RunRecord, place: RecordPlace | undefined): void {
    this.#folder.push(record, place);
    this.#allowance.push(record);
    this.#lastRecord = record;
    if (record.assistant) this.#turn = record;
    for (const id of idsOf(record)) this.#ids.add(id);
  }
}

const UNNOTED = {
  code: 'notes_unwritable',
  text: 'Holdfast cannot write the notes of this run: its file of notes is read-only or not a file. The conversation is saved. If the run is interrupted, you are asked about each open tool call.',
};

const idsOf = (record: RunRecord): string[] => (record.assistant ? toolUseIds(record.assistant.message) : []);
