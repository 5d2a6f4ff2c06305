import type { RunRecord } from '../../../shared/run/record';
import type { SidecarEntry } from '../../../shared/run/sidecar';
import { Transcript, type ToolWords } from './transcript';

type Partial = Extract<SidecarEntry, { kind: 'partial' }>;
type Resume = Extract<SidecarEntry, { kind: 'resume' }>;

/** A transcript of what is stored: records in their order, and what the sidecar tells at its place between them. */
export function buildTranscript(
  records: readonly RunRecord[],
  sidecar: readonly SidecarEntry[],
  bound: boolean,
  tools: ToolWords,
): Transcript {
  const transcript = new Transcript(tools, bound);
  const seams: Resume[] = [];
  for (const entry of sidecar) {
    if (entry.kind === 'resume') seams.push(entry);
    else transcript.note(entry);
  }
  seams.sort((a, b) => a.after_seq - b.after_seq);
  let lost = lostReply(records, sidecar);
  const before = (seq: number) => {
    if (lost && lost.after_seq < seq) {
      transcript.lose(lost);
      lost = undefined;
    }
    for (let seam = seams[0]; seam && seam.after_seq < seq; seam = seams[0]) {
      transcript.note(seam);
      seams.shift();
    }
  };
  for (const record of records) {
    before(record.seq);
    transcript.push(record);
  }
  before(Infinity);
  return transcript;
}

/** The newest streamed text whose turn never became a record. */
export function lostReply(
  records: readonly RunRecord[],
  sidecar: readonly SidecarEntry[],
): Partial | undefined {
  const last = sidecar.findLast((entry): entry is Partial => entry.kind === 'partial');
  if (!last || (last.text === '' && !last.thinking)) return undefined;
  for (let n = records.length - 1; n >= 0; n--) {
    const record = records[n];
    if (!record || record.seq <= last.after_seq) break;
    if (record.assistant && record.assistant.iteration >= last.iteration) return undefined;
  }
  return last;
}
