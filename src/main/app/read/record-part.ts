import { encodeRecord } from '../../../shared/run/codec';
import { Failure } from '../../../shared/run/failure';
import type { RunRecord } from '../../../shared/run/record';
import { cut } from './call-item';
import type { RecordPart, TextPart } from './reader';
import type { Source } from './source';
import type { Transcript } from './transcript';

/** A record as it stands in its journal, and what is known of it. */
export async function recordPart(
  transcript: Transcript,
  source: Source,
  seq: number,
  from: number,
  limit: number,
  /** `source` has all records of the run. */
  whole: boolean,
): Promise<RecordPart> {
  const record = (await source.fetch([seq])).get(seq);
  if (!record) throw new Failure({ code: 'not_found', message: `This run has no record ${seq}.` });
  const place = source.place(seq);
  const line = await source.line(seq);
  // What stands in the journal, not what would be written today.
  const text = line ? Buffer.from(line).toString('utf8') : encodeRecord(record);
  const at = transcript.timeOf(seq);
  const usage = usageOf(record);
  const { nth, of, before, after } = source.around(seq);
  return {
    kind: kindOf(record),
    offset: place?.offset ?? 0,
    bytes: place?.bytes ?? Buffer.byteLength(text),
    ...(at !== undefined && { at }),
    ...(usage && { usage }),
    fork: transcript.outline.mayFork(seq),
    ...(whole && { nth, of }),
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
    ...piece(text, from, limit),
  };
}

/** A piece of a text that starts and ends between characters. */
export function piece(text: string, from: number, limit: number): TextPart {
  const start = (text.charCodeAt(from) & 0xfc00) === 0xdc00 ? from + 1 : from;
  return { text: cut(text.slice(start), limit).text, total: text.length };
}

const kindOf = (record: RunRecord) =>
  (['meta', 'assistant', 'user', 'tool_result', 'terminal'] as const).find((kind) => record[kind]) ??
  record.protocol;

function usageOf({ assistant }: RunRecord): RecordPart['usage'] {
  return (
    assistant && {
      in: assistant.in_tokens,
      out: assistant.out_tokens,
      cacheRead: assistant.cache_read_tokens ?? 0,
      cacheWrite: assistant.cache_create_tokens ?? 0,
    }
  );
}
