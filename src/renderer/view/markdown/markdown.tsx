import { memo, useMemo } from 'react';
import { useApp } from '../../store/app';
import { Shown } from '../kit/shown';
import { cached } from './cache';
import { CodeBlock } from './code';
import { elementsOf, langOf } from './elements';
import { piecesOf } from './growing';
import { Long } from './long';
import { useNear } from './near';
import type { Part, Piece } from './pieces';
import { treeOf } from './tree';
import s from './markdown.module.css';

/** Pieces that are laid out, and let go, as one. */
const GROUP = 12;
/** Groups of an answer that is always in the page as a whole. */
const FEW = 4;

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
