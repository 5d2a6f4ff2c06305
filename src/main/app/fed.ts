import type { SidecarEntry } from '../../shared/run/sidecar';
import type { SessionEvent, SessionSnapshot } from '../agent/session';
import type { Fed } from './read/reader';
import type { LiveMarks } from './read/transcript';

type Of<T extends SessionEvent['type']> = Extract<SessionEvent, { type: T }>;

/** What the reader is fed with when a record became durable. */
export const fedRecord = ({ record, at, place }: Of<'record'>): Fed => ({
  record,
  at,
  ...(place && { place: { offset: place.offset, bytes: place.bytes } }),
});

/** The note of a tool that begins, before the one in the sidecar can be read. */
export const intentOf = ({ toolUseId, tool, at }: Of<'tool_started'>, changes: boolean): SidecarEntry => ({
  kind: 'intent',
  at,
  tool_use_id: toolUseId,
  tool,
  input_sha256: '',
  changes,
});

/** What only the process that writes the run knows of its calls; undefined: nobody writes it here. */
export const marksOf = (session: SessionSnapshot | undefined): LiveMarks => ({
  alive: session !== undefined && session.phase !== 'ended' && session.phase !== 'idle',
  running: session?.runningTool?.toolUseId,
  waiting: session?.approval?.toolUseId,
});
