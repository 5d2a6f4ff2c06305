/**
 * Between a record and its line. A line is JSON plus "\n", byte for byte what the reference writes for the same record;
 * raw JSON inside it is the text that arrived, only compacted and escaped.
 */
export { encodeLine, encodeRecord } from './encode';
export { decodeRecord, parseRaw, rawJson } from './decode';
export { readJournal } from './read';
export type { JournalRead, JournalTail } from './read';
