import { wellFormed } from '../../shared/run/json';
import type { SidecarEntry } from '../../shared/run/sidecar';
import { MAX_PARTIAL_BYTES } from '../journal/slip';
import { headAndTail } from './seal';

/** The text of an answer under way. */
export type Sketch = Extract<SidecarEntry, { kind: 'partial' }>;

const AROUND = 2_048;

/**
 * As it is kept beside the run: all that a model may answer, or as much as the store takes in one piece. Of more the
 * middle of the text and of the thinking is left out, and how much.
 */
export function encodeSketch({ text, thinking = '', ...about }: Sketch, maxRecordBytes = Infinity): string {
  const most = Math.min(MAX_PARTIAL_BYTES, maxRecordBytes) - AROUND;
  for (let room = most; ;) {
    const kept = within(
      text,
      thinking ? Math.max(Math.floor((room * 3) / 4), room - bytesOf(thinking)) : room,
    );
    const rest = Math.max(room - bytesOf(kept), Math.floor(room / 4));
    const entry: Sketch = { ...about, text: kept, ...(thinking && { thinking: within(thinking, rest) }) };
    const json = JSON.stringify(entry);
    const size = bytesOf(json);
    if (room < 64 || size <= most) return json;
    // What is left out is said, which takes some room as well.
    room = Math.floor(room * Math.min(0.9, most / size));
  }
}

const bytesOf = (text: string): number => Buffer.byteLength(text);

function within(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return wellFormed(text);
  const { head, tail } = headAndTail(text, bytes);
  const left = Buffer.byteLength(text) - Buffer.byteLength(head) - Buffer.byteLength(tail);
  return wellFormed(`${head}\n\n[… ${left} bytes are left out here …]\n\n${tail}`);
}
