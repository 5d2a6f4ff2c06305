import { metaSha256, bindEntry, encodeEntries } from '../../journal/sidecar';
import type { ExportSource } from './source';

/** One file of an export, by its name inside it. */
export interface OutFile {
  name: string;
  chunks: Iterable<string | Uint8Array>;
}

/**
 * A run as a store's folder has it: the journal's exact bytes under `<base>.json`, its notes under `<base>.aux.jsonl`,
 * kept texts under `<base>.files/`, its labels under `<base>.catalogue.jsonl`.
 */
export function* journalFiles(source: ExportSource, base: string): Generator<OutFile> {
  yield { name: `${base}.json`, chunks: [source.bytes] };
  const meta = source.places[0];
  if (source.bound && meta !== undefined) {
    const line = source.bytes.subarray(meta.offset, meta.offset + meta.bytes);
    const notes = [bindEntry(metaSha256(line)), ...source.sidecar.filter(({ kind }) => kind !== 'bind')];
    yield { name: `${base}.aux.jsonl`, chunks: encodeEntries(notes).lines };
  }
  if (Object.keys(source.catalogue).length > 0)
    yield {
      name: `${base}.catalogue.jsonl`,
      chunks: [`${JSON.stringify({ id: base, set: source.catalogue })}\n`],
    };
  yield* textFiles(source, `${base}.files`);
}

export function* textFiles(
  { texts }: Pick<ExportSource, 'texts'>,
  folder: string,
  clean: (text: string) => string = (text) => text,
): Generator<OutFile> {
  for (const { name, text } of texts) yield { name: `${folder}/${name}`, chunks: [clean(text)] };
}
