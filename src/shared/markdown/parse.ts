import type { Nodes, Root } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import type { Extension } from 'micromark-util-types';
import { normalizeIdentifier } from 'micromark-util-normalize-identifier';
import { dialect, dialectFromMarkdown, dialectOfBlocks, dialectOfBlocksFromMarkdown } from './dialect';

/** What a piece of a text refers to and another piece of it defines. */
export interface Reference {
  /** Normalised as micromark does; that of a footnote begins with `^`. */
  id: string;
  url: string;
  title: string | null;
}

const MARK = '\ufeff';

/**
 * Tells the tokenizer which labels are defined elsewhere: whether `[a]` is a link is decided while tokens are made. The
 * construct is no construct; it is only the first place that sees the parser.
 */
function knowing(references: readonly Reference[]): Extension {
  const links = new Set<string>();
  const notes = new Set<string>();
  for (const { id } of references) (id.startsWith('^') ? notes : links).add(id.replace(/^\^/, ''));
  const known = (labels: Set<string>): string[] => {
    const own: string[] = [];
    return Object.assign(own, {
      includes: (id: string) => labels.has(id) || own.indexOf(id) >= 0,
    });
  };
  let told = false;
  return {
    document: {
      null: {
        tokenize(_effects, _ok, nok) {
          if (!told) {
            told = true;
            this.parser.defined = known(links);
            this.parser.gfmFootnotes = known(notes);
          }
          return nok;
        },
      },
    },
  };
}

/** A byte order mark is dropped at the beginning of a text, not at that of a piece of one. */
const written = (source: string): string => (source.startsWith(MARK) ? MARK + source : source);

/** The tree of a text, or of a piece of one that stands on its own but for these references. */
export function parse(source: string, references: readonly Reference[] = []): Root {
  const extensions = dialect(source);
  if (references.length > 0) extensions.push(knowing(references));
  return fromMarkdown(written(source), { extensions, mdastExtensions: dialectFromMarkdown });
}

/** The blocks of a text, at a fraction of the cost: their contents are not looked into. */
export function blocksOf(source: string): Root {
  return fromMarkdown(written(source), {
    extensions: dialectOfBlocks(source),
    mdastExtensions: dialectOfBlocksFromMarkdown,
  });
}

/** What a tree defines, in its order. */
export function definitionsIn(tree: Nodes): Reference[] {
  if (tree.type === 'definition') {
    const { url, title = null } = tree;
    return [{ id: normalizeIdentifier(tree.identifier), url, title }];
  }
  const own: Reference[] =
    tree.type === 'footnoteDefinition'
      ? [{ id: `^${normalizeIdentifier(tree.identifier)}`, url: '', title: null }]
      : [];
  return 'children' in tree ? own.concat(...tree.children.map(definitionsIn)) : own;
}

const LABEL = /\[((?:[^[\]\\]|\\[\s\S])+)\]/g;

/** Every label that a text could refer to, normalised; more than it does refer to. */
export function labelsIn(source: string): Set<string> {
  const labels = new Set<string>();
  for (const [, label = ''] of source.matchAll(LABEL))
    if (label.length <= 1_000) labels.add(normalizeIdentifier(label.replace(/[\r\n][ \t>]*/g, ' ')));
  return labels;
}
