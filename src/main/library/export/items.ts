import type { Block, Fingerprint, RunRecord, ToolResultBlock } from '../../../shared/run/record';
import type { SidecarEntry } from '../../../shared/run/sidecar';
import { transcriptLines } from '../../../shared/run/transcript';
import type { TranscriptLine } from '../../../shared/run/transcript';
import type { ExportSource } from './source';
import type { Counts } from './types';

/** What only an export shows, beside the lines of the transcript. */
type Extra =
  /** The run went on with another configuration, or another address, than before. */
  | {
      kind: 'seam';
      seq: number;
      at: string;
      forced: boolean;
      changed: { field: string; recorded: string; current: string }[];
      endpoint?: { from: string; to: string } | undefined;
      accepted: Fingerprint;
    }
  /** Text that arrived and never became a record. */
  | { kind: 'lost'; seq: number; at: string; text: string; thinking?: string | undefined }
  /** A result whose call got another one later. */
  | { kind: 'replaced'; seq: number; toolUseId: string; content: string; isError: boolean }
  /** A record that says nothing. */
  | { kind: 'silent'; seq: number }
  | { kind: 'damage'; seq: number; text: string };
export type ExportItem = TranscriptLine | Extra;

/** Everything that a person can read of a run, in order. Every record is in it, be it with nothing but its number. */
export function itemsOf(source: ExportSource): ExportItem[] {
  const { records, places, state, sidecar, facts, damage } = source;
  const lines = transcriptLines(records, { places }).items;
  const extras: Extra[] = [...replacedResults(records, lines)];
  const shown = new Set<number>(extras.map(({ seq }) => seq));
  for (const line of lines) {
    shown.add(line.seq);
    if (line.kind === 'call' && line.result) shown.add(line.result.seq);
  }
  for (const { seq } of records) if (!shown.has(seq)) extras.push({ kind: 'silent', seq });
  extras.push(...seams(sidecar));
  const lost = sidecar.filter((entry) => entry.kind === 'partial').at(-1);
  if (!damage && lost?.iteration === state.next_iteration && (lost.text !== '' || lost.thinking))
    extras.push({ kind: 'lost', seq: lost.after_seq, at: lost.at, text: lost.text, thinking: lost.thinking });
  if (damage) extras.push({ kind: 'damage', seq: facts.lastSeq, text: damage.message });
  return merged(lines, extras);
}

function* seams(sidecar: readonly SidecarEntry[]): Generator<Extra> {
  for (const entry of sidecar) {
    if (entry.kind !== 'resume' || (entry.changed.length === 0 && entry.endpoint === undefined)) continue;
    const { after_seq: seq, at, forced, changed, endpoint, accepted } = entry;
    yield { kind: 'seam', seq, at, forced, changed, endpoint, accepted };
  }
}

/** Results that the transcript does not show because a later one took their place. */
function* replacedResults(records: readonly RunRecord[], lines: readonly TranscriptLine[]): Generator<Extra> {
  const shown = new Map<string, number>();
  const add = (key: string, n: number): void => void shown.set(key, (shown.get(key) ?? 0) + n);
  const keyOf = (seq: number, id: string, content: string): string => `${seq}\n${id}\n${content}`;
  for (const line of lines) {
    if (line.kind === 'orphan') add(keyOf(line.seq, line.toolUseId, line.content), 1);
    if (line.kind === 'call' && line.result)
      add(keyOf(line.result.seq, line.toolUseId, line.result.content), 1);
  }
  for (const { seq, id, block } of resultsOf(records)) {
    const key = keyOf(seq, id, block.content);
    if ((shown.get(key) ?? 0) > 0) add(key, -1);
    else
      yield {
        kind: 'replaced',
        seq,
        toolUseId: id,
        content: block.content,
        isError: block.is_error ?? false,
      };
  }
}

function* resultsOf(
  records: readonly RunRecord[],
): Generator<{ seq: number; id: string; block: ToolResultBlock }> {
  for (const { seq, assistant, user, tool_result: result } of records) {
    if (result) yield { seq, id: result.tool_use_id, block: result.result };
    for (const { tool_result: block } of (assistant ?? user)?.message.content ?? ([] as Block[]))
      if (block) yield { seq, id: block.tool_use_id, block };
  }
}

/** Extras stand after everything of their record. */
function merged(lines: readonly TranscriptLine[], extras: Extra[]): ExportItem[] {
  extras.sort((a, b) => a.seq - b.seq);
  const all: ExportItem[] = [];
  let next = 0;
  for (const line of lines) {
    while (next < extras.length && (extras[next]?.seq ?? 0) < line.seq) all.push(extras[next++] as Extra);
    all.push(line);
  }
  return [...all, ...extras.slice(next)];
}

/** Counts what a writer has written, item by item. */
export class Tally {
  readonly #records = new Set<number>();
  #calls = 0;
  #results = 0;

  wrote(item: ExportItem): void {
    // What stands beside the records is none.
    if (item.kind !== 'seam' && item.kind !== 'lost' && item.kind !== 'damage') this.#records.add(item.seq);
    if (item.kind === 'call') {
      this.#calls++;
      if (item.result) {
        this.#results++;
        this.#records.add(item.result.seq);
      }
    } else if (item.kind === 'orphan' || item.kind === 'replaced') this.#results++;
  }

  get counts(): Counts {
    return { records: this.#records.size, calls: this.#calls, results: this.#results };
  }
}

export const sameCounts = (a: Counts, b: Counts): boolean =>
  a.records === b.records && a.calls === b.calls && a.results === b.results;

/** Lines of a text, the last one with or without its end. */
export function lineCount(text: string): number {
  if (text === '') return 0;
  let lines = text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}

/** A call's line after the name of its tool, which is shown anyway. */
export const withoutTool = (line: string, tool: string): string =>
  line.startsWith(`${tool} `) ? line.slice(tool.length + 1) : line;
