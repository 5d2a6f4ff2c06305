import { encodeRecord } from '../../../shared/run/codec';
import { Failure } from '../../../shared/run/failure';
import type { FailureInfo } from '../../../shared/run/failure';
import { Folder } from '../../../shared/run/fold';
import type { RunRecord } from '../../../shared/run/record';
import type { SidecarEntry } from '../../../shared/run/sidecar';
import { checkAppend, checkSize, closed, conflict, journalDead } from '../check';
import type { Journal, LoadedRun, RecordPlace, RunStore } from '../journal';
import type { SlipName } from '../slip';
import { Turns } from '../turns';
import { AuxWriter } from './aux';
import type { AuxEnd } from './aux';
import type { Claim } from './claim';
import { overtaken, superseded, tooLarge, vanished } from './failures';
import { mostBody, putFenced } from './ground';
import type { Ground } from './ground';
import { Refused } from './put';
import { askLast, lastOf, patiently } from './read';
import { encodeRow, recordHeaders } from './row';
import { SlipWriter } from './slips';
import { keepText } from './texts';

export interface WriterParts {
  ground: Ground;
  id: string;
  store: RunStore;
  claim: Claim;
  nonce: string;
  places: RecordPlace[];
  /** Records so far, for the row in each record's header. */
  records: RunRecord[];
  /** Stream sequence of the last record. */
  tail: number;
  size: number;
  metaSha256: string;
  aux: AuxEnd;
  /** What was read when the run was opened, under the same claim; given out by the first `load` if nothing came after. */
  opened: LoadedRun | undefined;
  onClose(): void;
}

/** The one writer of a run in a stream. See `Journal` for its promises, claim.ts for what makes it the one. */
export class NatsJournal implements Journal {
  readonly durability = 'acknowledged';
  /** Records whose acknowledgement was lost and that were found in the stream. */
  adopted = 0;
  readonly #parts: WriterParts;
  readonly #turns = new Turns();
  readonly #aux: AuxWriter;
  /** Slips have turns of their own: a record never waits for one. */
  readonly #slipTurns = new Turns();
  readonly #slips: SlipWriter;
  readonly #places: RecordPlace[];
  /** For the row alone, which tells nothing of messages before the last. */
  #folder: Folder | undefined = new Folder({ keep: 1 });
  #tail: number;
  #size: number;
  /** Connection on which the stream's end was last known to be ours. */
  #epoch: number;
  #opened: LoadedRun | undefined;
  #dead: Failure | undefined;
  #closing: Promise<void> | undefined;
  #onDead: ((failure: FailureInfo) => void) | undefined;
  #untold: Failure | undefined;

  constructor(parts: WriterParts) {
    // What was read is not held for as long as the run is open.
    this.#parts = { ...parts, records: [], opened: undefined };
    this.#places = parts.places;
    this.#tail = parts.tail;
    this.#size = parts.size;
    this.#opened = parts.opened;
    this.#epoch = parts.ground.link.epoch;
    for (const record of parts.records) this.#fold(record);
    this.#aux = new AuxWriter({
      ground: parts.ground,
      id: parts.id,
      nonce: parts.nonce,
      metaSha256: parts.metaSha256,
      end: parts.aux,
      onLost: (failure) => this.#lose(failure),
    });
    const { ground, id, nonce, metaSha256 } = parts;
    this.#slips = new SlipWriter({ ground, id, nonce, metaSha256, check: () => this.#checkClaim() });
    parts.claim.onSuperseded(() => this.#lose(superseded()));
  }

  get id(): string {
    return this.#parts.id;
  }

  get store(): RunStore {
    return this.#parts.store;
  }

  get lastSeq(): number {
    return this.#places.at(-1)?.seq ?? 0;
  }

  get maxRecordBytes(): number {
    return mostBody(this.#parts.ground);
  }

  get dead(): FailureInfo | undefined {
    return this.#dead?.toJSON();
  }

  async append(record: RunRecord, own?: string): Promise<RecordPlace> {
    this.#checkOpen();
    return this.#turns.run(() => this.#append(record, own));
  }

  load(): Promise<LoadedRun> {
    if (this.#closing !== undefined) return this.store.load(this.id);
    return this.#turns.run(async () => {
      const opened = this.#opened;
      this.#opened = undefined;
      if (opened !== undefined && this.#dead === undefined) return opened;
      await this.#aux.flush().catch(() => undefined);
      const loaded = await this.store.load(this.id);
      if (this.#dead === undefined && loaded.size !== this.#size) throw this.#die(overtaken());
      return loaded;
    });
  }

  async note(entry: SidecarEntry): Promise<void> {
    this.#checkOpen();
    this.#opened = undefined;
    try {
      await this.#aux.note(entry);
    } catch (error) {
      this.#checkAlive();
      throw error;
    }
  }

  async keep(toolUseId: string, text: string): Promise<string> {
    this.#checkOpen();
    const { ground, id, nonce } = this.#parts;
    return this.#turns.run(() => keepText(ground, id, nonce, toolUseId, text));
  }

  async putSlip(name: SlipName, text: string | undefined, how: 'durably' | 'lazily'): Promise<void> {
    try {
      this.#checkOpen();
      await this.#slipTurns.run(() => {
        this.#checkAlive();
        return this.#slips.put(name, text, how === 'durably');
      });
    } catch (error) {
      if (how === 'durably') throw error;
    }
  }

  onDead(listener: (failure: FailureInfo) => void): void {
    this.#onDead = listener;
    if (this.#untold !== undefined) queueMicrotask(() => this.#tellDead());
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.all([this.#turns.idle(), this.#slipTurns.idle()]);
    const { claim } = this.#parts;
    await this.#aux.close();
    // Whoever took the run over has the next claim already.
    if (this.#dead?.code === 'fenced') claim.drop();
    else await claim.release();
    this.#dead ??= closed();
    this.#parts.onClose();
  }

  async #append(record: RunRecord, own: string | undefined): Promise<RecordPlace> {
    this.#checkAlive();
    const step = checkAppend(this.lastSeq, record.seq);
    const body = Buffer.from(encodeRecord(record));
    if (step === 'seen') return this.#seen(record.seq, body);
    checkSize(body);
    if (body.length > this.maxRecordBytes) throw tooLarge(body.length, this.maxRecordBytes);

    const { ground, id, nonce, claim } = this.#parts;
    const subject = ground.subjects.record(id, record.seq);
    this.#fold(record);
    const row = this.#row(body.length + 1);
    try {
      const landed = await putFenced(ground, {
        subject,
        body,
        id: `${nonce}-${record.seq}`,
        last: this.#tail,
        filter: ground.subjects.run(id),
        headers: recordHeaders(claim.number, own, row, this.maxRecordBytes - body.length),
        before: () => this.#verify(subject),
      });
      this.#tail = landed.seq;
      if (landed.adopted) this.adopted += 1;
    } catch (error) {
      throw this.#die(error instanceof Refused ? await this.#whyRefused() : asFailureOf(error));
    }
    const place = { seq: record.seq, line: this.#places.length + 1, offset: this.#size, bytes: body.length };
    this.#places.push(place);
    this.#size += body.length + 1;
    this.#opened = undefined;
    // The run was taken over while the server was slow: the record is there, but whoever has the run may not know it.
    this.#checkAlive();
    return place;
  }

  async #seen(seq: number, body: Buffer): Promise<RecordPlace> {
    const nth = this.#places.findIndex((one) => one.seq === seq);
    const place = this.#places[nth];
    if (place === undefined || place.bytes !== body.length) throw conflict(seq);
    const { ground, id } = this.#parts;
    const there = await lastOf(
      ground,
      nth === 0 ? ground.subjects.meta(id) : ground.subjects.record(id, seq),
    );
    if (there === undefined || Buffer.compare(there.data, body) !== 0) throw conflict(seq);
    return place;
  }

  /**
   * After a reconnect the server may be another one, or may have lost its last moments: writing goes on only if the
   * run still ends where this writer left it, and is still its own.
   */
  async #verify(target: string): Promise<void> {
    this.#checkSuperseded();
    const { ground, id, claim } = this.#parts;
    const { epoch } = ground.link;
    if (epoch === this.#epoch) return;
    const tail = await ground.link.race(askLast(ground, ground.subjects.run(id)));
    if (tail === undefined || tail.seq < this.#tail) throw vanished();
    // What is there may be the very record that is being written; then reading back tells.
    if (tail.seq > this.#tail && tail.subject !== target) throw overtaken();
    if (!(await claim.stands())) throw superseded();
    this.#epoch = epoch;
  }

  async #whyRefused(): Promise<Failure> {
    const { ground, id } = this.#parts;
    if (this.#dead !== undefined) return this.#dead;
    try {
      const tail = await lastOf(ground, ground.subjects.run(id));
      return tail === undefined || tail.seq < this.#tail ? vanished() : overtaken();
    } catch {
      return overtaken();
    }
  }

  #fold(record: RunRecord): void {
    try {
      this.#folder?.push(record);
    } catch {
      // It does not fold, so there is no row to tell of it; reading the run tells why.
      this.#folder = undefined;
    }
  }

  #row(more: number): string | undefined {
    if (this.#folder === undefined) return undefined;
    const { state, facts, warnings } = this.#folder;
    return encodeRow({ folded: { state, facts }, warnings, size: this.#size + more });
  }

  #checkAlive(): void {
    if (this.#dead !== undefined) throw journalDead(this.#dead);
  }

  /** The stream says that this still is the writer. */
  async #checkClaim(): Promise<void> {
    this.#checkAlive();
    const { ground, claim } = this.#parts;
    if (await patiently(ground, 'look who writes this run', () => claim.stands())) return;
    this.#lose(superseded());
    this.#checkAlive();
  }

  #checkSuperseded(): void {
    if (this.#dead !== undefined) throw this.#dead;
  }

  /** For calls that begin now: while closing, only what was handed in before still runs. */
  #checkOpen(): void {
    this.#checkAlive();
    if (this.#closing !== undefined) throw closed();
  }

  #die(failure: Failure): Failure {
    if (this.#dead === undefined) {
      this.#dead = failure;
      this.#parts.claim.quiet();
    }
    return journalDead(this.#dead);
  }

  #lose(failure: Failure): void {
    if (this.#dead !== undefined) return;
    this.#die(failure);
    this.#untold = failure;
    this.#tellDead();
  }

  #tellDead(): void {
    const [listener, failure] = [this.#onDead, this.#untold];
    if (listener === undefined || failure === undefined) return;
    this.#onDead = undefined;
    try {
      listener(failure.toJSON());
    } catch {
      // A listener's trouble is its own.
    }
  }
}

const asFailureOf = (error: unknown): Failure =>
  error instanceof Failure
    ? error
    : new Failure(
        { code: 'io', message: error instanceof Error ? error.message : String(error) },
        { cause: error },
      );
