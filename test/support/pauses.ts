import { setTimeout as wait } from 'node:timers/promises';

const ROUNDS = 4;

/**
 * Milliseconds of the longest pause of the event loop during some work. Of each pause counts what this process had of
 * the processor in it: the rest is what other programs of the machine took.
 */
async function longestPause(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let [since, used] = [performance.now(), process.cpuUsage()];
  let going = true;
  const look = () => {
    const spent = process.cpuUsage(used);
    longest = Math.max(longest, Math.min(performance.now() - since, (spent.user + spent.system) / 1_000));
    [since, used] = [performance.now(), process.cpuUsage()];
    if (going) setImmediate(look);
  };
  setImmediate(look);
  await work();
  await wait(1);
  going = false;
  return longest;
}

/**
 * Milliseconds by which some work made the longest pause of the event loop longer than it was, for as long, while
 * nothing was done. The best of some rounds counts: a pause that the work itself makes is in all of them.
 */
export async function pauseOf(work: () => Promise<unknown>, enough: number): Promise<number> {
  let least = Infinity;
  for (let round = 0; round < ROUNDS && least >= enough; round++) {
    const begun = performance.now();
    const busy = await longestPause(work);
    const quiet = await longestPause(() => wait(Math.min(performance.now() - begun, 500)));
    least = Math.min(least, busy - quiet);
  }
  return least;
}
