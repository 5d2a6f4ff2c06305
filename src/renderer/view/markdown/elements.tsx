import type { Element, ElementContent, Root } from 'hast';
import { toJsxRuntime, type Components } from 'hast-util-to-jsx-runtime';
import { createElement, useEffect, useState, type ReactElement, type ReactNode } from 'react';
import { Fragment, jsx, jsxs } from 'react/jsx-runtime';
import { CodeBlock } from './code';
import { ImageCard } from './image';
import { Link } from './link';
import { Math } from './math';
import s from './markdown.module.css';

function textOf(node: ReactNode): string {
  if (typeof node === 'string' || typeof node === 'number') return String(node);
  if (Array.isArray(node)) return node.map(textOf).join('');
  if (node && typeof node === 'object' && 'props' in node) {
    return textOf((node as ReactElement<{ children?: ReactNode }>).props.children);
  }
  return '';
}

function rawText(node: Element | ElementContent | undefined): string {
  if (!node || !('children' in node)) return node?.type === 'text' ? node.value : '';
  return node.children.map(rawText).join('');
}

/** Milliseconds without change after which code that is inside of something open is coloured to its end. */
const STILL = 400;

/** Code in a list, say, of which nothing tells whether its fence is closed. */
function InnerCode({ lang, text }: { lang: string; text: string }) {
  const [still, setStill] = useState(text);
  useEffect(() => {
    if (still === text) return;
    const timer = window.setTimeout(() => setStill(text), STILL);
    return () => window.clearTimeout(timer);
  }, [text, still]);
  return <CodeBlock lang={lang} text={text} open={still !== text} />;
}

/** The word behind a fence, as a name of a language. */
export const langOf = (info: string) =>
  info
    .trim()
    .split(/[\s{,]/)[0]
    ?.toLowerCase()
    .slice(0, 40) ?? '';

function Table({ dir, children }: { dir: string | undefined; children: ReactNode }) {
  return (
    <div className={s['table']} tabIndex={0} role="region" aria-label="Table" dir={dir}>
      <table>{children}</table>
    </div>
  );
}

const components: Partial<Components> = {
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
    if (classes.includes('math-display')) return <Math tex={rawText(code)} display />;
    const lang = classes.find((name) => name.startsWith('language-'))?.slice('language-'.length) ?? '';
    return <InnerCode lang={langOf(lang)} text={rawText(code).replace(/\n$/, '')} />;
  },
  code: ({ className, node, children }) => {
    if (className?.includes('math-'))
      return <Math tex={rawText(node)} display={className.includes('display')} />;
    return (
      <code className={s['code']} dir="ltr">
        {children}
      </code>
    );
  },
  table: ({ children, dir }) => <Table dir={dir}>{children}</Table>,
  input: ({ checked }) => (
    <input
      type="checkbox"
      checked={checked ?? false}
      disabled
      readOnly
      aria-label={checked ? 'done' : 'not done'}
    />
  ),
  h1: ({ children, dir }) => (
    <h3 className={s['h1']} dir={dir}>
      {children}
    </h3>
  ),
  h2: ({ children, dir }) => (
    <h3 className={s['h2']} dir={dir}>
      {children}
    </h3>
  ),
  h3: ({ children, dir }) => <h4 dir={dir}>{children}</h4>,
  h4: ({ children, dir }) => <h4 dir={dir}>{children}</h4>,
  h5: ({ children, dir }) => <h4 dir={dir}>{children}</h4>,
  h6: ({ children, dir }) => <h4 dir={dir}>{children}</h4>,
};

const asReact = (root: Root): ReactElement =>
  toJsxRuntime(root, { Fragment, jsx, jsxs, components, passNode: true, ignoreInvalidStyle: true });

/** Elements of a tree, with what is ours in place of links, images, code, formulas and tables. */
export const elementsOf = (children: Root['children']): ReactElement =>
  asReact({ type: 'root', children: children.filter((child) => !isBlank(child)) });

const isBlank = (child: Root['children'][number]) => child.type === 'text' && child.value.trim() === '';

/** A list or a table around what is shown elsewhere. */
export function Around({ outer, children }: { outer: Element; children: ReactNode }) {
  const { start, dir } = outer.properties;
  const direction = typeof dir === 'string' ? dir : undefined;
  if (outer.tagName === 'table') return <Table dir={direction}>{children}</Table>;
  return createElement(
    outer.tagName,
    { ...(typeof start === 'number' && { start }), ...(direction && { dir: direction }) },
    children,
  );
}
