import { memo, useEffect, useRef, useState } from 'react';
import { Block, Group } from './markdown';
import { Splitter, definitionsFor, type MdBlock } from './split';
import s from './markdown.module.css';

const GROUP = 12;
/** The open block is parsed again at most this share of the time, however large it grows. */
const SHARE = 0.15;

interface Shown {
  groups: MdBlock[][];
  /** The last ones, which may still change. */
  pending: readonly MdBlock[];
  definitions: ReadonlyMap<string, string>;
}

/** What a growing text shows: closed blocks in groups that never change, and the open one. */
class Live {
  text = '';
  private splitter = new Splitter();
  private groups: MdBlock[][] = [];
  private taken = 0;

  take(text: string): void {
    if (!text.startsWith(this.text)) {
      this.splitter = new Splitter();
      this.groups = [];
      this.taken = 0;
      this.text = '';
    }
    this.splitter.push(text.slice(this.text.length));
    this.text = text;
  }

  get shown(): Shown {
    const { closed } = this.splitter;
    while (this.taken < closed.length) {
      const last = this.groups.at(-1);
      const block = closed[this.taken++] as MdBlock;
      // A group that grows is a new array, so that only it renders again.
      if (last && last.length < GROUP) this.groups[this.groups.length - 1] = [...last, block];
      else this.groups.push([block]);
    }
    return {
      groups: [...this.groups],
      pending: this.splitter.pending,
      definitions: this.splitter.definitions,
    };
  }
}

/**
 * Markdown that grows. Text is taken up once a frame; closed blocks are parsed once; the open one is parsed again as often
 * as leaves the window idle most of the time. So a frame costs the same at line 100 and at line 3,000.
 */
export const StreamingMarkdown = memo(function StreamingMarkdown({ text }: { text: string }) {
  const live = useRef<Live | undefined>(undefined);
  const latest = useRef(text);
  const frame = useRef(0);
  const next = useRef(0);
  const [shown, setShown] = useState<Shown>(() => {
    const first = new Live();
    first.take(text);
    return first.shown;
  });
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
      live.current ??= new Live();
      live.current.take(latest.current);
      setShown(live.current.shown);
      // Rendering happens after this callback, within the same frame; its cost is known at the next task.
      window.setTimeout(() => {
        const cost = performance.now() - started;
        next.current = cost > 8 ? performance.now() + cost / SHARE - cost : 0;
      }, 0);
    };
    frame.current = window.requestAnimationFrame(step);
  }, [text]);
  useEffect(
    () => () => {
      window.cancelAnimationFrame(frame.current);
      frame.current = 0;
    },
    [],
  );
  const { groups, pending, definitions } = shown;
  return (
    <div className={s['markdown']} dir="auto">
      {groups.map((blocks, at) => (
        <Group key={at} blocks={blocks} definitions={definitions} far={at < groups.length - 2} />
      ))}
      {pending.map((block, at) => (
        <div key={at} className={block.kind === 'md' && block.joined ? s['joined'] : s['block']}>
          <Block
            block={block}
            extra={block.kind === 'md' ? definitionsFor(block.text, definitions) : ''}
            open={at === pending.length - 1}
          />
        </div>
      ))}
    </div>
  );
});
