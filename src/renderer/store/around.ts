import { call } from '../client';
import { forgetGoal, goTo, onItsWay, useGoal } from './goal';
import { ITEM_PAGE, leaveRun, loadItems, recount, useRun, watchRun } from './run';

const get = useRun.getState;

/** Items that are asked for around a record, as many as `run.around` gives at most. */
const BEFORE = 40;
const ALL = 120;
const TRIES = 5;

/** The end was asked for while what is shown was being given its place. */
let endWanted = false;

/**
 * Brings a run whose end alone is known to the record that it was opened for: what stands around that is shown while the
 * rest is read. Where that cannot be, the whole is waited for.
 */
export async function showAround(id: string, seq: number): Promise<void> {
  const { epoch } = get();
  const page = await call('run.around', { id, seq }).catch(() => undefined);
  const now = get();
  if (!page || page.items.length === 0) return;
  if (now.id !== id || now.epoch !== epoch || !now.tail || useGoal.getState().wanted?.seq !== seq) return;
  endWanted = false;
  recount({ items: page.items, around: { seq, whole: false }, shown: now.shown + 1 });
  goTo(page.at);
}

/** The whole is known: puts what is shown in its place there. Nothing on the screen moves. */
export async function placeAround(): Promise<void> {
  const { id, around } = get();
  if (id === undefined || !around) return;
  try {
    for (let tries = 0; tries < TRIES; tries++) {
      const { index = 0, key } = await call('run.locate', { id, seq: around.seq });
      const from = Math.max(0, index - BEFORE);
      const page = await call('run.items', { id, from, limit: ALL });
      const now = get();
      if (now.id !== id || now.around !== around) return;
      const at = now.items.findIndex((item) => item?.key === key);
      if (page.tail || at < 0) break;
      // It grew meanwhile.
      if (page.lastSeq < now.lastSeq) continue;
      if (endWanted) {
        openEnd(page.total, false);
        return;
      }
      const items = Array<(typeof page.items)[number] | undefined>(page.total).fill(undefined);
      for (const [n, item] of page.items.entries()) items[from + n] = item;
      useGoal.setState({ wanted: undefined });
      recount({ items, around: undefined, tail: false, front: now.front - (index - at) });
      if (onItsWay()) goTo(index);
      else forgetGoal();
      return;
    }
  } catch {
    // Told by what follows, if it is still so.
  }
  if (get().around !== around) return;
  leaveRun();
  watchRun(id);
}

/** Back to the end of the run, which is where it opens without a record. */
export function showEnd(): void {
  const { head, around } = get();
  if (!head || !around) return;
  // It is just being given its place.
  if (around.whole) endWanted = true;
  else openEnd(head.items, true);
}

/** As if it had been opened there: what is shown stays at the end when heights become known. */
function openEnd(total: number, tail: boolean): void {
  endWanted = false;
  useGoal.setState({ wanted: undefined });
  forgetGoal();
  recount({
    items: Array<undefined>(total).fill(undefined),
    around: undefined,
    tail,
    shown: get().shown + 1,
  });
  loadItems(total - ITEM_PAGE, total - 1);
}
