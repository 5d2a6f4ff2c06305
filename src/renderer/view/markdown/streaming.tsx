import { memo, useEffect, useRef, useState } from 'react';
import { Growing } from './growing';
import { Pieces } from './markdown';
import type { Piece } from './pieces';

/** What is open is read again at most this share of the time, however large it grows. */
const SHARE = 0.15;

interface Shown {
  pieces: readonly Piece[];
  /** How many of them nothing can change any more. */
  closed: number;
}

/** What a growing text shows. */
class Live {
  private text = '';
  private growing = new Growing();

  take(text: string): Shown {
    if (!text.startsWith(this.text)) {
      this.growing = new Growing();
      this.text = '';
    }
    this.growing.push(text.slice(this.text.length));
    this.text = text;
    return { pieces: this.growing.pieces, closed: this.growing.closedCount };
  }
}

/**
 * Markdown that grows. Text is taken up once a frame; closed pieces are read once; what is open is read again as often
 * as leaves the window idle most of the time. So a frame costs the same at line 100 and at line 3,000.
 */
export const StreamingMarkdown = memo(function StreamingMarkdown({ text }: { text: string }) {
  const [live] = useState(() => new Live());
  const latest = useRef(text);
  const frame = useRef(0);
  const next = useRef(0);
  const [shown, setShown] = useState<Shown>(() => live.take(text));
  useEffect(() => {
    latest.current = text;
    if (frame.current !== 0) return;
    const step = (now: number) => {
      if (now < next.current) {
        frame.current = window.requestAnimationFrame(step);
        return;
      }
      frame.current = 0;
      const started = performance.now();
      setShown(live.take(latest.current));
      // Rendering happens after this callback, within the same frame; its cost is known at the next task.
      window.setTimeout(() => {
        const cost = performance.now() - started;
        next.current = cost > 8 ? performance.now() + cost / SHARE - cost : 0;
      }, 0);
    };
    frame.current = window.requestAnimationFrame(step);
  }, [text, live]);
  useEffect(
    () => () => {
      window.cancelAnimationFrame(frame.current);
      frame.current = 0;
    },
    [],
  );
  return <Pieces pieces={shown.pieces} closed={shown.closed} />;
});
