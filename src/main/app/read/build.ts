import { Allowance } from '../../../shared/run/allowance';
import type { RunRecord } from '../../../shared/run/record';
import type { SidecarEntry } from '../../../shared/run/sidecar';
import { Transcript, type ToolWords, type TranscriptOptions } from './transcript';

type Partial = Extract<SidecarEntry, { kind: 'partial' }>;
type Resume = Extract<SidecarEntry, { kind: 'resume' }>;

/**
 * Makes the transcript of what is stored, record by record in their order, with what the sidecar tells at its place
 * between them. `finish` ends a reading; what the journal grew by afterwards is pushed, and it is ended again.
 */
export class Assembly {
  readonly transcript: Transcript;
  /** Of all records that were pushed; an end alone does not tell it. */
  readonly allowance = new Allowance();
  readonly #seams: Resume[] = [];
  /** Sidecar entries that were taken. */
  #taken = 0;
  /** The newest streamed text, where it would stand, and whether its turn became a record all the same. */
  #partial: Partial | undefined;
  #before: number | undefined;
  #kept = false;

  constructor(tools: ToolWords, options: TranscriptOptions, sidecar: readonly SidecarEntry[]) {
    this.transcript = new Transcript(tools, options);
    this.take(sidecar);
  }

  /**
   * Takes the entries behind those that were taken. false: one of them speaks of records that are placed already, so all
   * must be read anew.
   */
  take(sidecar: readonly SidecarEntry[]): { fits: boolean; changed: number[] } {
    const { lastSeq } = this.transcript;
    const changed: number[] = [];
    // The text of an answer under way is replaced again and again, and has no place among the others.
    const notes = sidecar.filter(({ kind }) => kind !== 'partial');
    let fits = notes.length >= this.#taken;
    for (const entry of notes.slice(this.#taken)) {
      this.allowance.note(entry);
      if (entry.kind === 'resume') {
        this.#seams.push(entry);
        if (entry.after_seq < lastSeq) fits = false;
      } else changed.push(...this.transcript.note(entry));
    }
    this.#taken = notes.length;
    // A full disk took no note of what was lost; it stays for as long as it is shown here.
    const shown = this.transcript.lost !== undefined && !this.#kept ? this.#partial : undefined;
    const partial = sidecar.findLast((entry) => entry.kind === 'partial') ?? shown;
    if (JSON.stringify(partial) !== JSON.stringify(this.#partial)) {
      if (this.#partial && this.transcript.lost) fits = false;
      this.#partial = partial;
      this.#before = undefined;
      this.#kept = false;
      if (partial && partial.after_seq < lastSeq) fits = false;
    }
    this.#seams.sort((a, b) => a.after_seq - b.after_seq);
    return { fits, changed };
  }

  /**
   * A record that has just been written here; it comes once more when the journal is read on. `again`: a lost reply is
   * answered now, so all items behind it have moved.
   */
  fed(record: RunRecord, at: string | undefined): { changed: number[]; again: boolean } {
    const { transcript } = this;
    this.#answered(record);
    const again = this.#kept && transcript.lost !== undefined;
    if (again) transcript.lose(undefined);
    return { changed: transcript.push(record, at), again };
  }

  /** The answer that streams now will not become a record; it is what is lost from here on. */
  cut(entry: Partial): { changed: number[]; again: boolean } {
    const { transcript } = this;
    const again = transcript.lost !== undefined;
    this.#partial = entry;
    this.#before = undefined;
    this.#kept = false;
    transcript.lose(entry);
    return { changed: [transcript.length - 1], again };
  }

  push(record: RunRecord): number[] {
    const changed = this.#until(record.seq);
    this.#answered(record);
    changed.push(...this.transcript.push(record));
    this.allowance.push(record);
    return changed;
  }

  /** `writing`: somebody writes the run, so that what is streamed now is not lost. */
  finish(writing = false): number[] {
    const changed = this.#until(Infinity);
    const partial = this.#partial;
    const lost = partial && !this.#kept && !writing && (partial.text !== '' || partial.thinking);
    this.transcript.lose(lost ? partial : undefined, this.#before);
    return changed;
  }

  #answered({ assistant, seq }: RunRecord): void {
    const partial = this.#partial;
    if (partial && seq > partial.after_seq && assistant && assistant.iteration >= partial.iteration)
      this.#kept = true;
  }

  #until(seq: number): number[] {
    const { transcript } = this;
    if (this.#partial && this.#before === undefined && this.#partial.after_seq < seq)
      this.#before = transcript.slots;
    const changed: number[] = [];
    for (let seam = this.#seams[0]; seam && seam.after_seq < seq; seam = this.#seams[0]) {
      changed.push(...transcript.note(seam));
      this.#seams.shift();
    }
    return changed;
  }
}

/** The whole at once, for what is in memory. */
export function buildTranscript(
  records: readonly RunRecord[],
  sidecar: readonly SidecarEntry[],
  bound: boolean,
  tools: ToolWords,
  writing = false,
): Assembly {
  const assembly = new Assembly(tools, { bound }, sidecar);
  for (const record of records) assembly.push(record);
  assembly.finish(writing);
  return assembly;
}
