import type { Element } from 'hast';
import { memo, useMemo, type ReactElement } from 'react';
import { useApp } from '../../store/app';
import { Shown } from '../kit/shown';
import { CodeBlock } from './code';
import { Around, elementsOf, langOf } from './elements';
import { piecesOf } from './growing';
import { useNear } from './near';
import type { Part, Piece } from './pieces';
import { itemsOf, rowsOf, treeOf } from './tree';
import s from './markdown.module.css';

/** Pieces that are laid out, and let go, as one. */
const GROUP = 12;
/** Groups of an answer that is always in the page as a whole. */
const FEW = 4;

/** What was made of texts by their words: what streamed a moment ago is the same text that the record brings. */
const cache = new Map<string, unknown>();
const CACHED = 600;

function cached<T>(kind: string, part: Part, breaks: boolean, keep: boolean, make: () => T): T {
  const refs = part.refs.map(({ id, url, title }) => `${id}\n${url}\n${title ?? ''}`).join('\n');
  const key = `${kind}${breaks ? '+' : '-'}${refs}\0${part.text}`;
  const known = cache.get(key);
  if (known !== undefined) return known as T;
  const made = make();
  if (keep) {
    cache.set(key, made);
    if (cache.size > CACHED) cache.delete(cache.keys().next().value ?? '');
  }
  return made;
}

interface Shape {
  outer: Element;
  head: ReactElement | undefined;
  inner: ReactElement;
}

/** Some items of a list, or rows of a table. */
function shapeOf(kind: 'list' | 'table', part: Part, loose: boolean, breaks: boolean, keep: boolean): Shape {
  return cached<Shape>(`${kind}${loose ? '*' : ''}`, part, breaks, keep, () => {
    if (kind === 'list') {
      const { outer, children } = itemsOf(part.text, part.refs, loose, { breaks });
      return { outer, head: undefined, inner: elementsOf(children) };
    }
    const { outer, head, rows } = rowsOf(part.text, part.refs, { breaks });
    return { outer, head: elementsOf(head), inner: elementsOf(rows) };
  });
}

const Inner = memo(function Inner({
  kind,
  part,
  loose,
  breaks,
  keep,
}: {
  kind: 'list' | 'table';
  part: Part;
  loose: boolean;
  breaks: boolean;
  keep: boolean;
}) {
  return shapeOf(kind, part, loose, breaks, keep).inner;
});

/** A list or a table: one, however many parts it came in. */
function Long({ piece, open }: { piece: Extract<Piece, { parts: unknown }>; open: boolean }) {
  const breaks = useApp((state) => state.breaks);
  const { kind, parts } = piece;
  const loose = kind === 'list' && piece.loose;
  const [first] = parts;
  if (!first) return null;
  const keep = (at: number) => !open || at < parts.length - 1;
  const { outer, head } = shapeOf(kind, first, loose, breaks, keep(0));
  const inner = parts.map((part, at) => (
    <Inner key={at} kind={kind} part={part} loose={loose} breaks={breaks} keep={keep(at)} />
  ));
  return (
    <Around outer={outer}>
      {head}
      {kind === 'table' ? <tbody>{inner}</tbody> : inner}
    </Around>
  );
}

function Flow({ piece, open }: { piece: Part; open: boolean }) {
  const breaks = useApp((state) => state.breaks);
  return cached('', piece, breaks, !open, () =>
    elementsOf(treeOf(piece.text, piece.refs, { breaks }).children),
  );
}

/** One piece. `open`: more of it may come. */
const Block = memo(function Block({ piece, open }: { piece: Piece; open: boolean }) {
  switch (piece.kind) {
    case 'code':
      return <CodeBlock lang={langOf(piece.lang)} text={piece.text} open={open} />;
    case 'plain':
      return (
        <p className={s['plain']} dir="auto">
          <Shown text={piece.text} prose />
        </p>
      );
    case 'flow':
      return <Flow piece={piece} open={open} />;
    default:
      return <Long piece={piece} open={open} />;
  }
});

/** Lines that pieces take, roughly: a place as high as that is kept until they have been shown once. */
function roughHeight(pieces: readonly Piece[]): number {
  let lines = 0;
  for (const piece of pieces) {
    const texts = 'parts' in piece ? piece.parts.map(({ text }) => text) : [piece.text];
    for (const text of texts) for (const line of text.split('\n')) lines += 1 + Math.floor(line.length / 90);
  }
  return lines * 1.6;
}

/** Some pieces. What is far from what is seen is not in the page, and its place stays. */
function GroupNow({
  pieces,
  closed,
  lets,
  first,
}: {
  pieces: readonly Piece[];
  /** How many of them nothing can change any more. */
  closed: number;
  lets: boolean;
  first: boolean;
}) {
  const { ref, near, height } = useNear(lets, first);
  return (
    <div
      ref={ref}
      className={s['group']}
      data-part
      style={near ? undefined : { height: `${height ?? roughHeight(pieces)}rem` }}
    >
      {near &&
        pieces.map((piece, at) => (
          <div key={at} className={s['block']}>
            <Block piece={piece} open={at >= closed} />
          </div>
        ))}
    </div>
  );
}

type GroupProps = React.ComponentProps<typeof GroupNow>;
const Group = memo(
  GroupNow,
  (a: GroupProps, b: GroupProps) =>
    a.lets === b.lets &&
    Math.min(a.closed, GROUP) === Math.min(b.closed, GROUP) &&
    a.pieces.length === b.pieces.length &&
    a.pieces.every((piece, at) => piece === b.pieces[at]),
);

/** Pieces in the page. `closed`: how many of them nothing can change any more; the rest is on its way. */
export function Pieces({ pieces, closed }: { pieces: readonly Piece[]; closed: number }) {
  const count = Math.ceil(pieces.length / GROUP);
  const streams = closed < pieces.length;
  return (
    <div className={s['markdown']}>
      {Array.from({ length: count }, (_, at) => (
        <Group
          key={at}
          pieces={pieces.slice(at * GROUP, (at + 1) * GROUP)}
          closed={closed - at * GROUP}
          lets={count > FEW && at < count - (streams ? 1 : 0)}
          first={at === 0 || at >= count - 2}
        />
      ))}
    </div>
  );
}

/** Markdown that is complete. Live text comes in the same pieces (see streaming.tsx). */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  const pieces = useMemo(() => piecesOf(text), [text]);
  return <Pieces pieces={pieces} closed={pieces.length} />;
});
