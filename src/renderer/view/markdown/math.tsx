import type katexModule from 'katex';
import { memo, useEffect, useRef, useState } from 'react';
import { Shown } from '../kit/shown';
import s from './markdown.module.css';

type Katex = typeof katexModule;
let katex: Promise<Katex> | undefined;
let ready: Katex | undefined;

function load(): Promise<Katex> {
  katex ??= Promise.all([import('katex'), import('katex/dist/katex.min.css')]).then(([module]) => {
    ready = module.default;
    return module.default;
  });
  return katex;
}

/** TeX longer than this is shown as it was written. */
const LONG = 4_000;

/**
 * TeX as math. KaTeX builds nodes itself (no text ever becomes HTML), runs untrusted (no links, no images, no styles
 * from the text), and with bounds on expansion and size.
 */
export const Math = memo(function Math({ tex, display }: { tex: string; display: boolean }) {
  const [now, setNow] = useState<Katex | undefined>(() => ready);
  const ref = useRef<HTMLSpanElement>(null);
  const [failed, setFailed] = useState(false);
  const show = tex.length <= LONG && !failed;
  useEffect(() => {
    if (!show || now) return;
    let live = true;
    load().then(
      (module) => live && setNow(() => module),
      () => live && setFailed(true),
    );
    return () => {
      live = false;
    };
  }, [show, now]);
  useEffect(() => {
    const place = ref.current;
    if (!place || !now || !show) return;
    try {
      now.render(tex, place, {
        displayMode: display,
        throwOnError: false,
        trust: false,
        strict: 'ignore',
        maxExpand: 300,
        maxSize: 10,
        macros: {},
        output: 'htmlAndMathml',
        errorColor: 'var(--bad)',
      });
    } catch {
      place.textContent = tex;
    }
  }, [tex, display, now, show]);
  if (!show || !now) {
    return (
      <code className={s['tex']}>
        <Shown text={tex} />
      </code>
    );
  }
  return <span ref={ref} className={display ? s['math-block'] : s['math']} />;
});
