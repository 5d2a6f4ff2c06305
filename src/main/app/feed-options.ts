import type { RunHead, RunRow } from '../../shared/contract/views';
import type { Session } from '../agent/session';
import type { RunStore } from '../journal/journal';
import type { Reader } from './read/reader';

export interface FeedOptions {
  /** Key of the run. */
  id: string;
  reader: Reader;
  /** Its store; the usual one for a private run. */
  store(): RunStore;
  row(id: string): Promise<RunRow>;
  /** What waits to be sent in this run, where nobody works on it here. Never rejects. */
  queued(): Promise<RunHead['queued']>;
  /** Whether a tool may change things; for calls that start before their sidecar entry can be read. */
  changes(tool: string): boolean;
  /** Key of another run in the same store. */
  keyOf(id: string): string;
  /** The session went on in another run, whose key this is; the events that follow belong there. */
  onRotated(to: string, session: Session): void;
  onEnded(): void;
  /** Something that shows in the list changed. */
  onTouched(): void;
}

export interface RunPlace {
  profile?: string;
  folder?: string;
  endpoint?: string;
}
