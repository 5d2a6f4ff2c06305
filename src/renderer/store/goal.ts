import { create } from 'zustand';
import type { CommandInput } from '../../shared/contract/contract';
import { call, failureOf } from '../client';
import { announce } from './announce';
import { toast } from './app';
import { useRun } from './run';

interface Goal {
  /** A record at which a run is to be opened; kept until that run is there as a whole. */
  wanted: { id: string; seq: number } | undefined;
  /** The item that is to be brought into view and marked; `n` grows with each wish, so that one may be repeated. */
  goal: { index: number; key: string; n: number } | undefined;
  /** The item at the top of what is seen. */
  top: number;
}

/** Where in the run the reader is, and where the reader wants to be. */
export const useGoal = create<Goal>(() => ({ wanted: undefined, goal: undefined, top: 0 }));
const set = useGoal.setState;
const get = useGoal.getState;

export const resetGoal = () => set({ goal: undefined, top: 0 });
export const sawTop = (top: number) => {
  if (get().top !== top) set({ top });
};

let count = 0;
/** How long a jump may be on its way: what is seen until then is a place in between. Milliseconds. */
const ON_ITS_WAY = 1_500;
let aimed = -ON_ITS_WAY;
/** The reader went elsewhere since. */
let left = false;
const aim = (index: number, key: string) => {
  aimed = performance.now();
  left = false;
  set({ goal: { index, key, n: ++count } });
};

export const leftGoal = () => {
  left = true;
};
export const onItsWay = () => !left && performance.now() - aimed < ON_ITS_WAY;
export const forgetGoal = () => set({ goal: undefined });

/** Brings an item into view whose place is known. */
export const goTo = (index: number) => aim(index, useRun.getState().items[index]?.key ?? '');

/** Brings the run to the record that it was opened for. */
export async function reachWanted(): Promise<void> {
  const { wanted } = get();
  if (!wanted) return;
  set({ wanted: undefined });
  await reach(wanted.id, { seq: wanted.seq }, 'This record is not in the run any more.');
}

type Target = Omit<CommandInput<'run.locate'>, 'id' | 'from'>;

const NONE: Record<string, string> = {
  error: 'No error',
  prompt: 'No message of yours',
};

/** Jumps on from what is seen; says so where there is nothing to jump to. */
export function jump(target: Target): void {
  const { id } = useRun.getState();
  if (id === undefined) return;
  const { next, previous } = target;
  const what = next ?? previous;
  const none = what
    ? `${NONE[what]} ${next ? 'after' : 'before'} this.`
    : `This run has no step ${target.step ?? ''}.`;
  // Places count from the first item, which is known once the whole is read.
  whenWhole(() => void reach(id, { ...target, ...(what && { from: from() }) }, none));
}

function whenWhole(run: () => void): void {
  const { id, tail } = useRun.getState();
  if (!tail) return run();
  const stop = useRun.subscribe((state) => {
    if (state.tail && state.id === id) return;
    stop();
    // The list shows it first.
    if (state.id === id) requestAnimationFrame(() => requestAnimationFrame(run));
  });
}

/** The item that was jumped to last, as long as it is on its way or seen; else the one at the top. */
function from(): number {
  const { goal, top } = get();
  const there = performance.now() - aimed < ON_ITS_WAY || view?.shows(goal?.index ?? -1);
  return goal && there ? goal.index : (view?.top() ?? top);
}

interface View {
  /** The item at the top of what is seen now. */
  top(): number | undefined;
  shows(index: number): boolean;
}
let view: View | undefined;
/** The list tells how to find out what is on the screen. */
export const tellView = (now: View | undefined) => {
  view = now;
};

async function reach(id: string, target: CommandInput<'run.locate'> | object, none: string): Promise<void> {
  try {
    const { index, key } = await call('run.locate', { id, ...target });
    if (useRun.getState().id !== id) return;
    if (index !== undefined) aim(index, key ?? '');
    else {
      toast({ tone: 'info', text: none });
      announce(none);
    }
  } catch (error) {
    if (useRun.getState().id === id) toast({ tone: 'bad', text: failureOf(error).message });
  }
}
