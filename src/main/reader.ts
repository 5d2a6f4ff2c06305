import { asFailure } from '../shared/run/failure';
import { InlineReader } from './app/read/inline-reader';
import { toolWords } from './app/read/tool-words';
import type { ReaderAnswer, ReaderCall, ReaderData } from './app/read/worker-reader';
import { openStore } from './journal/registry';
import { beginPart, tell } from './part';
import { builtInTools } from './tool/registry';

/** The process that reads the runs of one store for the window; worker-reader.ts is its other end. */
beginPart<ReaderData, ReaderCall>(({ store, login }) => {
  let opening: Promise<InlineReader> | undefined;

  /** A store that could not be opened is tried again with the next question. */
  function reader(): Promise<InlineReader> {
    opening ??= openStore(store, login).then(
      (opened) => new InlineReader(opened, toolWords(builtInTools('practice'))),
      (error: unknown) => {
        opening = undefined;
        throw error;
      },
    );
    return opening;
  }

  // Calls reach the reader in the order in which they came, also while the store is opened.
  return ({ n, method, args }) => {
    const answer = (value: ReaderAnswer) => void tell(value);
    reader()
      .then((opened) => (opened[method] as (...args: unknown[]) => Promise<unknown>).apply(opened, args))
      .then(
        (value) => answer({ n, ok: true, value }),
        (error: unknown) => answer({ n, ok: false, failure: asFailure(error).toJSON() }),
      );
  };
});
