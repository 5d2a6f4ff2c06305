import type { RunHead, RunRow } from '../../shared/contract/views';
import type { Session } from '../agent/session';
import type { RunStore } from '../journal/journal';
import type { Reader, RunOverview } from './read/reader';

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
  /** What the list calls another run; undefined where it does not have it. */
  titleOf(key: string): string | undefined;
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

/** The run that it was made from goes by its title where that is known. */
export function withOriginTitle(
  overview: RunOverview | undefined,
  { keyOf, titleOf, store }: Pick<FeedOptions, 'keyOf' | 'titleOf' | 'store'>,
): RunOverview | undefined {
  const origin = overview?.origin;
  if (!origin || origin.why === 'import' || (origin.store !== undefined && origin.store !== store().url))
    return overview;
  const title = titleOf(keyOf(origin.from));
  return title === undefined ? overview : { ...overview, origin: { ...origin, title } };
}
