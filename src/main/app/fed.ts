import type { SidecarEntry } from '../../shared/run/sidecar';
import type { SessionEvent } from '../agent/session';
import type { Fed } from './read/reader';

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
