import { Failure } from './failure';
import { readFast } from './fast';
import { compactJson, wellFormed } from './json';
import { RECORD_SHAPE } from './shapes';
import { checkJson, readStrict, StrictError } from './strict';
import type { RawJson, RunRecord } from './record';

/**
 * A line's record: optional fields left out when empty, required ones filled in when missing, raw JSON compacted.
 * Throws Failure `corrupt` (data: reason) for text that the reference would not read either. Whole numbers beyond 2^53,
 * as only another program writes them, are read as near as JavaScript can: the journal keeps what it says.
 */
export const decodeRecord = (text: string): RunRecord => decodeFormed(wellFormed(text));

/** The same for text that cannot hold lone surrogates because it was decoded from UTF-8. */
export function decodeFormed(text: string): RunRecord {
  try {
    const record = readFast(text);
    if (record) return record;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return readExactly(text);
}

/** The exact reader alone, so that tests can hold the two against each other. Throws like `decodeRecord`. */
export const decodeRecordExactly = (text: string): RunRecord => readExactly(wellFormed(text));

function readExactly(text: string): RunRecord {
  try {
    return readStrict(text, RECORD_SHAPE) as RunRecord;
  } catch (error) {
    if (!(error instanceof StrictError)) throw error;
    const data = { reason: error.message, at: error.at };
    throw new Failure({ code: 'corrupt', message: 'A line of this run cannot be read.', data });
  }
}

/** Checks, compacts and escapes JSON text, otherwise verbatim. Throws Failure `tool_input` if it is not JSON. */
export function rawJson(text: string): RawJson {
  const formed = wellFormed(text);
  try {
    checkJson(formed);
  } catch (error) {
    if (!(error instanceof StrictError)) throw error;
    throw new Failure({
      code: 'tool_input',
      message: 'The input of a tool call is not valid JSON.',
      data: { reason: error.message, at: error.at },
    });
  }
  return compactJson(formed) as RawJson;
}

/** What raw JSON stands for. Numbers become float64, so large integers lose digits here and nowhere else. */
export const parseRaw = (raw: RawJson): unknown => JSON.parse(raw);
