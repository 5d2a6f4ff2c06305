import type { Literal, Nodes } from 'mdast';
import type { Extension as MdastExtension } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { cjkFriendlyExtension } from 'micromark-extension-cjk-friendly';
import { gfmStrikethroughCjkFriendly } from 'micromark-extension-cjk-friendly-gfm-strikethrough';
import { combineExtensions } from 'micromark-util-combine-extensions';
import type { Construct, Extension } from 'micromark-util-types';
import { hasWide, protocolAddress, wwwAddress } from './autolink';
import { math, mathOfBlocks } from './math';

/** Without the strikethrough of GitHub's dialect, which does not know East Asian marks: another takes its place. */
function github(): Extension {
  const { text = {}, insideSpan: _, attentionMarkers: __, ...rest } = gfm();
  const TILDE = 126;
  const own: Record<number, Construct | Construct[]> = {};
  for (const [code, constructs] of Object.entries(text)) {
    if (Number(code) === TILDE || !constructs) continue;
    own[Number(code)] = [constructs]
      .flat()
      .map((one) =>
        one.name === 'protocolAutolink' ? protocolAddress : one.name === 'wwwAutolink' ? wwwAddress : one,
      );
  }
  return { ...rest, text: own };
}

const BASE = combineExtensions([
  cjkFriendlyExtension(),
  // A single tilde is one: "5~6".
  gfmStrikethroughCjkFriendly({ singleTilde: false }),
  // The last one is asked first.
  github(),
]);

/**
 * The dialect that answers are written in: GitHub's, with formulas and with emphasis and links that work in sentences
 * without spaces. For micromark, wherever a text is parsed.
 *
 * @param source the very text that is parsed, without a byte order mark at its beginning
 */
export const dialect = (source: string): Extension[] => [BASE, math(source)];

const { document, flow } = BASE;

/**
 * Only where blocks begin and end: what works within lines has no say in it. Escapes and references stay, which the
 * addresses of definitions are read with.
 *
 * @param source as for {@link dialect}
 */
export const dialectOfBlocks = (source: string): Extension[] => [
  { ...(document && { document }), ...(flow && { flow }), disable: WITHIN_LINES },
  mathOfBlocks(source),
];
const WITHIN_LINES = {
  null: [
    'attention',
    'autolink',
    'codeText',
    'hardBreakEscape',
    'htmlText',
    'labelEnd',
    'labelStartImage',
    'labelStartLink',
  ],
};

/** The same as a tree: formulas become `math` (on lines of their own) and `inlineMath`, with their TeX as `value`. */
export const dialectFromMarkdown: MdastExtension[] = [
  ...gfmFromMarkdown().map(({ transforms, ...extension }) => ({
    ...extension,
    ...(transforms && { transforms: transforms.map(withoutWide) }),
  })),
  {
    enter: {
      mathFlow(token) {
        this.enter({ type: 'math', value: '' }, token);
        this.buffer();
      },
      mathText(token) {
        this.enter({ type: 'inlineMath', value: '', display: token._display ?? false }, token);
        this.buffer();
      },
      mathFlowValue: data,
      mathTextData: data,
    },
    exit: {
      mathFlow: formula,
      mathText: formula,
      mathFlowValue: leaveData,
      mathTextData: leaveData,
    },
  },
];

/** Without a second look into sentences. */
export const dialectOfBlocksFromMarkdown: MdastExtension[] = dialectFromMarkdown.map(
  ({ transforms: _, ...extension }) => extension,
);

type Transform = NonNullable<MdastExtension['transforms']>[number];

/** A second look for addresses, which knows nothing of sentences without spaces: those it does not get to see. */
function withoutWide(transform: Transform): Transform {
  return (tree) => {
    const hidden: { type: string }[] = [];
    const hide = (node: Nodes): void => {
      if (node.type === 'text' && hasWide(node.value)) hidden.push(node);
      if ('children' in node) node.children.forEach(hide);
    };
    hide(tree);
    for (const node of hidden) node.type = 'wideText';
    const changed = transform(tree);
    for (const node of hidden) node.type = 'text';
    return changed;
  };
}

type Handle = NonNullable<NonNullable<MdastExtension['enter']>[string]>;

function data(this: ThisParameterType<Handle>, token: Parameters<Handle>[0]): void {
  this.config.enter['data']?.call(this, token);
}

function leaveData(this: ThisParameterType<Handle>, token: Parameters<Handle>[0]): void {
  this.config.exit['data']?.call(this, token);
}

function formula(this: ThisParameterType<Handle>, token: Parameters<Handle>[0]): void {
  const value = this.resume().trim();
  const node = this.stack.at(-1);
  if (node?.type === 'math' || node?.type === 'inlineMath') node.value = value;
  this.exit(token);
}

/** A formula on lines of its own. */
export interface Math extends Literal {
  type: 'math';
}
export interface InlineMath extends Literal {
  type: 'inlineMath';
  /** It has its line to itself, though it was written in a sentence. */
  display: boolean;
}
declare module 'mdast' {
  interface RootContentMap {
    math: Math;
    inlineMath: InlineMath;
  }
  interface PhrasingContentMap {
    inlineMath: InlineMath;
  }
}
