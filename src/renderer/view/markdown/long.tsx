import type { Element, RootContent } from 'hast';
import { memo, useEffect, useRef, useState, type ReactElement } from 'react';
import { useApp } from '../../store/app';
import { cached } from './cache';
import { Around, elementsOf } from './elements';
import { useNear } from './near';
import type { Part, Piece } from './pieces';
import { itemsOf, rowsOf } from './tree';
import s from './markdown.module.css';

/** Parts of a list or a table that is always in the page as a whole. */
const FEW = 4;
/** What a line of an item and of a row take, roughly, in rem, and the space around them. */
const ITEM_LINE = 1.6;
const ROW_LINE = 1.35;
const AROUND_ROW = 0.9;
const AROUND_ITEM = 0.25;

interface Shape {
  outer: Element;
  head: ReactElement | undefined;
  columns: number;
  inner: ReactElement;
}

interface Inside {
  kind: 'list' | 'table';
  part: Part;
  loose: boolean;
  breaks: boolean;
  keep: boolean;
  /** It is one of several, and in an element of its own. */
  several: boolean;
}

/** Some items of a list, or rows of a table. */
function shapeOf({ kind, part, loose, breaks, keep, several }: Inside): Shape {
  return cached<Shape>(`${kind}${loose ? '*' : ''}${several ? '#' : ''}`, part, breaks, keep, () => {
    if (kind === 'list') {
      const { outer, children } = itemsOf(part.text, part.refs, loose, { breaks });
      if (several) children.forEach(asItem);
      return { outer, head: undefined, columns: 0, inner: elementsOf(children) };
    }
    const { outer, head, rows } = rowsOf(part.text, part.refs, { breaks });
    return { outer, head: elementsOf(head), columns: cellsIn(head), inner: elementsOf(rows) };
  });
}

/** An item of the one list that its part is in. */
function asItem(child: RootContent): void {
  if (child.type === 'element') child.properties['role'] = 'listitem';
}

function cellsIn(head: readonly RootContent[]): number {
  const [first] = head.filter((child) => child.type === 'element');
  if (!first) return 0;
  return first.tagName === 'tr' ? elementsIn(first) : cellsIn(first.children);
}
const elementsIn = ({ children }: Element) => children.filter(({ type }) => type === 'element').length;

interface PartProps extends Inside {
  lets: boolean;
  first: boolean;
  /** Of a list: its element, the number of the first item, its direction. Of a table: how many columns it has. */
  tag: string;
  start: number;
  dir: string | undefined;
  columns: number;
}

/** Some items or rows. What is far from what is seen is not in the page, and its place stays. */
const OnePart = memo(function OnePart({ lets, first, tag, start, dir, columns, ...inside }: PartProps) {
  const { ref, near, height } = useNear(lets, first);
  const place = near ? undefined : { height: `${height ?? roughHeight(inside)}rem` };
  if (inside.kind === 'table')
    return (
      <tbody ref={ref} data-part>
        {near ? (
          shapeOf(inside).inner
        ) : (
          <tr className={s['gone']} aria-hidden="true">
            <td colSpan={columns} style={place} />
          </tr>
        )}
      </tbody>
    );
  // The items are those of the one list around the parts.
  const of = { className: s['part'], role: 'presentation', style: place, dir };
  const inner = near ? shapeOf(inside).inner : null;
  return tag === 'ol' ? (
    <ol ref={ref} data-part {...of} start={start}>
      {inner}
    </ol>
  ) : (
    <ul ref={ref} data-part {...of}>
      {inner}
    </ul>
  );
});

function roughHeight({ kind, part }: Inside): number {
  let lines = 0;
  for (const line of part.text.split('\n')) if (line !== '') lines += 1 + Math.floor(line.length / 90);
  const items = part.items ?? 0;
  return kind === 'list' ? lines * ITEM_LINE + items * AROUND_ITEM : items * (ROW_LINE + AROUND_ROW);
}

/** Numbers of the first items. */
function startsOf(parts: readonly Part[], first: number): number[] {
  const starts = [first];
  for (const [at, { items = 0 }] of parts.entries()) starts.push((starts[at] ?? 0) + items);
  return starts;
}

/** A list or a table: one, however many parts it came in. */
export function Long({ piece, open }: { piece: Extract<Piece, { parts: unknown }>; open: boolean }) {
  const breaks = useApp((state) => state.breaks);
  const { kind, parts } = piece;
  const loose = kind === 'list' && piece.loose;
  const several = parts.length > 1;
  const [first] = parts;
  if (!first) return null;
  const inside = (part: Part, at: number): Inside => ({
    kind,
    part,
    loose,
    breaks,
    keep: !open || at < parts.length - 1,
    several,
  });
  const { outer, head, columns, inner } = shapeOf(inside(first, 0));
  if (!several) {
    return (
      <Around outer={outer}>
        {head}
        {kind === 'table' ? <tbody>{inner}</tbody> : inner}
      </Around>
    );
  }
  const { start, dir } = outer.properties;
  const lets = parts.length > FEW;
  const starts = startsOf(parts, typeof start === 'number' ? start : 1);
  const all = parts.map((part, at) => (
    <OnePart
      key={at}
      {...inside(part, at)}
      lets={lets && at < parts.length - (open ? 1 : 0)}
      first={at === 0 || at >= parts.length - 2}
      tag={outer.tagName}
      start={starts[at] ?? 1}
      dir={typeof dir === 'string' ? dir : undefined}
      columns={columns}
    />
  ));
  if (kind === 'list') return <div role="list">{all}</div>;
  return (
    <Around outer={outer}>
      {lets && <Columns count={columns} />}
      {head}
      {all}
    </Around>
  );
}

/**
 * Columns keep the width that they once had: it is that of their widest cell, and would change with each part that comes
 * and goes.
 */
function Columns({ count }: { count: number }) {
  const group = useRef<HTMLTableColElement>(null);
  const [widths, setWidths] = useState<readonly number[]>([]);
  useEffect(() => {
    const table = group.current?.closest('table');
    const around = table?.parentElement;
    const cells = [...(table?.tHead?.rows[0]?.cells ?? [])];
    if (!around) return;
    let room = around.clientWidth;
    const heard = new ResizeObserver(() => {
      if (around.clientWidth !== room) {
        room = around.clientWidth;
        setWidths([]);
        return;
      }
      const now = cells.map((cell) => cell.getBoundingClientRect().width);
      setWidths((old) =>
        now.some((width, at) => width > (old[at] ?? 0) + 0.5)
          ? now.map((width, at) => Math.max(width, old[at] ?? 0))
          : old,
      );
    });
    for (const cell of cells) heard.observe(cell);
    heard.observe(around);
    return () => heard.disconnect();
  }, [count]);
  return (
    <colgroup ref={group}>
      {Array.from({ length: count }, (_, at) => (
        <col key={at} style={widths[at] === undefined ? undefined : { width: `${widths[at]}px` }} />
      ))}
    </colgroup>
  );
}
