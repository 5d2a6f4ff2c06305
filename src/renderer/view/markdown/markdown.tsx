import { memo, useMemo, type ReactElement, type ReactNode } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import rehypeSanitize, { defaultSchema } from 'rehype-sanitize';
import remarkGfm from 'remark-gfm';
import remarkMath from 'remark-math';
import { Shown } from '../kit/shown';
import { CodeBlock } from './code';
import { ImageCard } from './image';
import { Link } from './link';
import { Math } from './math';
import {
  rehypeVisible,
  remarkFootnotesInPlace,
  remarkHonestDollars,
  remarkHtmlAsText,
  texBrackets,
} from './plugins';
import { definitionsFor, splitAll, type MdBlock } from './split';
import s from './markdown.module.css';

/** Markdown longer than this in one block is shown as plain text: parsing it would hold up the window. */
const HUGE = 12_000;
/** Marks of emphasis in one block: matching them costs the square of their number. */
const MARKS = 2_000;
/** Quotes and lists within each other. */
const DEEP = /^(?:[ \t]*(?:>|[-*+]|\d{1,9}[.)])[ \t]?){30}/m;
/** Blocks that are reconciled, laid out and painted as one. */
const GROUP = 12;

type Schema = typeof defaultSchema;
const schema: Schema = {
  ...defaultSchema,
  attributes: {
    ...defaultSchema.attributes,
    code: [['className', /^language-./, 'math-inline', 'math-display']],
  },
  // Addresses are never followed by the page itself; the components decide what can be done with them.
  protocols: {},
};

function textOf(node: ReactNode): string {
  if (typeof node === 'string' || typeof node === 'number') return String(node);
  if (Array.isArray(node)) return node.map(textOf).join('');
  if (node && typeof node === 'object' && 'props' in node) {
    return textOf((node as ReactElement<{ children?: ReactNode }>).props.children);
  }
  return '';
}

/** Raw text of a hast code element: without the marks that make characters visible. */
function hastText(node: { children?: unknown[] } | undefined): string {
  let text = '';
  for (const child of (node?.children ?? []) as { type: string; value?: string; children?: unknown[] }[]) {
    text += child.type === 'text' ? (child.value ?? '') : hastText(child);
  }
  return text;
}

const components: Components = {
  a: ({ href, children }) => (
    <Link url={href ?? ''} words={textOf(children)}>
      {children}
    </Link>
  ),
  img: ({ src, alt }) => <ImageCard url={typeof src === 'string' ? src : ''} alt={alt ?? ''} />,
  pre: ({ node, children }) => {
    const code = node?.children[0];
    if (code?.type !== 'element') return <pre>{children}</pre>;
    const classes = [code.properties['className']].flat().map(String);
    if (classes.includes('math-display')) return <Math tex={hastText(code)} display />;
    const lang = classes.find((name) => name.startsWith('language-'))?.slice('language-'.length) ?? '';
    return <CodeBlock lang={lang} text={hastText(code).replace(/\n$/, '')} open={false} />;
  },
  code: ({ className, children }) => {
    if (className?.includes('math-inline')) return <Math tex={textOf(children)} display={false} />;
    return <code className={s['code']}>{children}</code>;
  },
  table: ({ children }) => (
    <div className={s['table']} tabIndex={0} role="region" aria-label="Table">
      <table>{children}</table>
    </div>
  ),
  input: ({ checked }) => (
    <input
      type="checkbox"
      checked={checked ?? false}
      disabled
      readOnly
      aria-label={checked ? 'done' : 'not done'}
    />
  ),
  h1: ({ children }) => <h3 className={s['h1']}>{children}</h3>,
  h2: ({ children }) => <h3 className={s['h2']}>{children}</h3>,
  h3: ({ children }) => <h4>{children}</h4>,
  h4: ({ children }) => <h4>{children}</h4>,
  h5: ({ children }) => <h4>{children}</h4>,
  h6: ({ children }) => <h4>{children}</h4>,
};

const remarkPlugins = [remarkGfm, remarkMath, remarkHtmlAsText, remarkHonestDollars, remarkFootnotesInPlace];
const rehypePlugins: React.ComponentProps<typeof ReactMarkdown>['rehypePlugins'] = [
  [rehypeSanitize, schema],
  rehypeVisible,
];

/** Parsed blocks by their text: what streamed a moment ago is the same text that the record brings. */
const cache = new Map<string, ReactElement>();
const CACHED = 600;

function parse(source: string, keep: boolean): ReactElement {
  const known = cache.get(source);
  if (known) return known;
  // Not rendered as a component but called: the result is plain elements, which may be kept and shown again.
  const element = ReactMarkdown({
    children: texBrackets(source),
    remarkPlugins,
    rehypePlugins,
    components,
    urlTransform: (url) => url,
  });
  if (keep) {
    cache.set(source, element);
    if (cache.size > CACHED) cache.delete(cache.keys().next().value ?? '');
  }
  return element;
}

/** Nobody writes like this, and a parser would take seconds for it. */
function tooCostly(text: string): boolean {
  if (text.length > HUGE || DEEP.test(text)) return true;
  let marks = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 42 || code === 95 || code === 126) marks += 1;
  }
  return marks > MARKS;
}

/** One block. `extra`: the link definitions that it refers to. `open`: more of it may come. */
export const Block = memo(function Block({
  block,
  extra,
  open,
}: {
  block: MdBlock;
  extra: string;
  open: boolean;
}) {
  if (block.kind === 'code') return <CodeBlock lang={block.lang} text={block.text} open={open} />;
  const plain = (
    <p className={s['plain']}>
      <Shown text={block.text} prose />
    </p>
  );
  if (tooCostly(block.text)) return plain;
  try {
    return parse(block.text + extra, !open);
  } catch {
    // Deeper than the parser's own recursion goes.
    return plain;
  }
});

/** A run of closed blocks. It renders once; its blocks never change. */
export const Group = memo(function Group({
  blocks,
  definitions,
  far,
}: {
  blocks: readonly MdBlock[];
  definitions: ReadonlyMap<string, string>;
  far: boolean;
}) {
  return (
    <div className={far ? s['group-far'] : s['group']}>
      {blocks.map((block, at) => (
        <div key={at} className={block.kind === 'md' && block.joined ? s['joined'] : s['block']}>
          <Block
            block={block}
            extra={block.kind === 'md' ? definitionsFor(block.text, definitions) : ''}
            open={false}
          />
        </div>
      ))}
    </div>
  );
});

export function groupsOf(blocks: readonly MdBlock[]): MdBlock[][] {
  const groups: MdBlock[][] = [];
  for (let at = 0; at < blocks.length; at += GROUP) groups.push(blocks.slice(at, at + GROUP));
  return groups;
}

/** Markdown that is complete. Live text goes through the same blocks (see streaming.tsx). */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  const { groups, definitions } = useMemo(() => {
    const { blocks, definitions } = splitAll(text);
    return { groups: groupsOf(blocks), definitions };
  }, [text]);
  return (
    <div className={s['markdown']} dir="auto">
      {groups.map((blocks, at) => (
        <Group key={at} blocks={blocks} definitions={definitions} far={groups.length > 6} />
      ))}
    </div>
  );
});
