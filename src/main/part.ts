/** Sends to the process that started this part; resolves when it is on its way. */
export const tell = (message: object): Promise<void> =>
  new Promise((resolve) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => resolve());
    else resolve();
  });

/**
 * The near end of a part in a process of its own (program.ts is the far one).
 *
 * @param begin gets what the part was started with, and gives what hears everything after it
 */
export function beginPart<D, M>(begin: (data: D) => (message: M) => void): void {
  let hear: ((message: M) => void) | undefined;
  process.on('message', (message) => {
    if (hear) hear(message as M);
    else hear = begin((message as { data: D }).data);
  });
  // Who started it decides when it ends: Ctrl+C goes to all processes of a terminal at once.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  process.on('disconnect', () => process.exit());
}
