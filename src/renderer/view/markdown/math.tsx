import type katexModule from 'katex';
import type { KatexOptions } from 'katex';
import { memo, useEffect, useRef, useState } from 'react';
import { Shown } from '../kit/shown';
import s from './markdown.module.css';

type Katex = typeof katexModule;
let katex: Promise<Katex> | undefined;
let ready: Katex | undefined;
let chemistry: Promise<Katex> | undefined;
let readyForChemistry = false;

/** Formulas of chemistry, which KaTeX knows by a package of its own. */
const CHEMISTRY = /\\(?:ce|pu)(?![A-Za-z])/;

const isReady = (tex: string): Katex | undefined =>
  readyForChemistry || !CHEMISTRY.test(tex) ? ready : undefined;

function load(tex: string): Promise<Katex> {
  katex ??= Promise.all([import('katex'), import('katex/dist/katex.min.css')]).then(([module]) => {
    ready = module.default;
    return module.default;
  });
  if (!CHEMISTRY.test(tex)) return katex;
  chemistry ??= katex.then(async (module) => {
    await import('katex/contrib/mhchem');
    readyForChemistry = true;
    return module;
  });
  return chemistry;
}

/** TeX longer than this is shown as it was written. */
const LONG = 4_000;

const OPTIONS: KatexOptions = {
  throwOnError: true,
  trust: false,
  strict: 'ignore',
  maxExpand: 300,
  maxSize: 10,
  output: 'htmlAndMathml',
};

/** A node of KaTeX's own tree, as far as it is looked at here. */
interface TreeNode {
  attributes?: Record<string, string | undefined>;
  children?: TreeNode[];
  toNode(): Node;
}

/**
 * Builds the nodes. KaTeX writes a few styles as attributes, which the page's policy refuses: they are set aside and
 * put on through the style object, which it allows.
 */
function build(katex: Katex, tex: string, display: boolean): Node {
  const { __renderToDomTree: render } = katex as unknown as {
    __renderToDomTree(tex: string, options: KatexOptions): TreeNode;
  };
  const tree = render(tex, { ...OPTIONS, displayMode: display, macros: {} });
  const styles: string[] = [];
  const setAside = ({ attributes, children }: TreeNode) => {
    if (attributes?.['style'] !== undefined) {
      attributes['data-style'] = String(styles.push(attributes['style']) - 1);
      delete attributes['style'];
    }
    children?.forEach(setAside);
  };
  setAside(tree);
  const node = tree.toNode();
  if (node instanceof Element && styles.length > 0) {
    for (const element of node.querySelectorAll<HTMLElement | SVGElement>('[data-style]')) {
      element.style.cssText = styles[Number(element.dataset['style'])] ?? '';
      element.removeAttribute('data-style');
    }
  }
  return node;
}

/**
 * TeX as math. KaTeX builds nodes itself (no text ever becomes HTML), runs untrusted (no links, no images, no styles
 * from the text), and with bounds on expansion and size. What it cannot read is shown as it was written.
 */
export const Math = memo(function Math({ tex, display }: { tex: string; display: boolean }) {
  const [loaded, setKatex] = useState<Katex | undefined>(() => ready);
  // The formula may have become one of chemistry meanwhile.
  const katexNow = loaded && isReady(tex);
  const [failed, setFailed] = useState('');
  const ref = useRef<HTMLSpanElement>(null);
  const show = tex.length <= LONG && failed !== tex;
  useEffect(() => {
    if (!show || katexNow) return;
    let live = true;
    load(tex).then(
      (module) => live && setKatex(() => module),
      () => live && setFailed(tex),
    );
    return () => {
      live = false;
    };
  }, [show, katexNow, tex]);
  useEffect(() => {
    const place = ref.current;
    if (!place || !katexNow || !show) return;
    let node: Node | undefined;
    try {
      node = build(katexNow, tex, display);
    } catch {
      // No TeX that KaTeX knows.
    }
    if (node) place.replaceChildren(node);
    else queueMicrotask(() => setFailed(tex));
  }, [tex, display, katexNow, show]);
  if (!show || !katexNow) {
    return (
      <code className={s['tex']} dir="ltr">
        <Shown text={tex} />
      </code>
    );
  }
  return (
    <span ref={ref} className={display ? s['math-block'] : s['math']} data-sideways={display || undefined} />
  );
});
