import type { Failure } from '../../../shared/run/failure';
import type { ItemChange, ItemPage, Reader, RunOverview, TurnPage } from './reader';

type Answers = { [M in Exclude<keyof Reader, 'close'>]?: Awaited<ReturnType<Reader[M]>> };

/** What a reader says of a run that cannot be read at all. Undefined: the failure itself is the answer. */
export function unreadAnswer(
  method: Exclude<keyof Reader, 'close'>,
  failure: Failure,
): { value: unknown } | undefined {
  const overview: RunOverview = {
    lastSeq: 0,
    items: 0,
    bytes: 0,
    warnings: [],
    failure: failure.toJSON(),
    chat: false,
    nextIteration: 0,
  };
  const change: ItemChange = { items: [], total: 0, lastSeq: 0 };
  const answers: Answers = {
    open: overview,
    whole: { overview },
    progress: 1,
    feed: change,
    mark: change,
    refresh: { overview, change },
    items: { items: [], from: 0, total: 0, lastSeq: 0 } satisfies ItemPage,
    turns: { rows: [], total: 0, lastSeq: 0, turns: 0, models: [] } satisfies TurnPage,
    around: { items: [], at: 0 },
    find: { hits: [], total: 0 },
    locate: {},
    drop: undefined,
  };
  return method in answers ? { value: answers[method] } : undefined;
}
