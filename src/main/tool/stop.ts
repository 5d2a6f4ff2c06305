import { Failure } from '../../shared/run/failure';

/** Throws once a tool was told to stop. */
export function stopIfAborted(signal: AbortSignal): void {
  if (signal.aborted)
    throw new Failure({ code: 'cancelled', message: 'Stopped before it was done; nothing was changed.' });
}

/** Waits, or throws at once when told to stop. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(new Failure({ code: 'cancelled', message: 'Stopped while it waited; nothing was changed.' }));
    };
    if (signal.aborted)
      return reject(
        new Failure({ code: 'cancelled', message: 'Stopped while it waited; nothing was changed.' }),
      );
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}
