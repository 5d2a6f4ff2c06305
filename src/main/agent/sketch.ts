import { wellFormed } from '../../shared/run/json';
import type { SidecarEntry } from '../../shared/run/sidecar';
import { MAX_SLIP_BYTES } from '../journal/slip';
import { headAndTail } from './seal';

/** The text of an answer under way. */
export type Sketch = Extract<SidecarEntry, { kind: 'partial' }>;

/** Bytes of the text, and of the thinking, that are kept at most; of more the middle is left out. */
const MOST_TEXT = 256 * 1024;
const AROUND = 2_048;

/** As it is kept beside the run, within what the store takes. */
export function encodeSketch({ text, thinking = '', ...about }: Sketch, maxRecordBytes = Infinity): string {
  const most = Math.min(MAX_SLIP_BYTES, maxRecordBytes) - AROUND;
  for (let room = Math.min(MOST_TEXT, most); ; room = Math.floor(room / 2)) {
    const entry: Sketch = {
      ...about,
      text: within(text, room),
      ...(thinking && { thinking: within(thinking, Math.floor(room / 4)) }),
    };
    const json = JSON.stringify(entry);
    if (room < 64 || Buffer.byteLength(json) <= most) return json;
  }
}

function within(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return wellFormed(text);
  const { head, tail } = headAndTail(text, bytes);
  const left = Buffer.byteLength(text) - Buffer.byteLength(head) - Buffer.byteLength(tail);
  return wellFormed(`${head}\n\n[… ${left} bytes are left out here …]\n\n${tail}`);
}
