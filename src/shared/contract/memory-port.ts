import type { Port } from './frame';
import { textPort, type TextLine } from './text-port';

/** Runs a function soon, in order, after the code that is running now. */
type Later = (run: () => void) => void;
const soon: Later = (run) => void Promise.resolve().then(run);

/** Two ends of one connection within a process. Frames still become text on the way, so nothing is ever shared. */
export function memoryPair(later: Later = soon): [Port, Port] {
  const ends = [0, 1].map(() => ({
    texts: [] as ((text: string) => void)[],
    closers: [] as (() => void)[],
  })) as [End, End];
  let open = true;
  const close = () => {
    if (!open) return;
    open = false;
    later(() => ends.forEach((end) => end.closers.forEach((closer) => closer())));
  };
  const line = (mine: End, other: End): TextLine => ({
    send(text) {
      if (open) later(() => other.texts.forEach((listener) => listener(text)));
    },
    onText: (listener) => void mine.texts.push(listener),
    onClose: (listener) => void mine.closers.push(listener),
    close,
  });
  return [textPort(line(ends[0], ends[1])), textPort(line(ends[1], ends[0]))];
}

interface End {
  texts: ((text: string) => void)[];
  closers: (() => void)[];
}
