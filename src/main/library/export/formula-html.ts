import type { CompileContext, Handle, HtmlExtension } from 'micromark-util-types';
import { escaped } from './escape';

/**
 * Formulas of an answer in a page that has no script and no fonts: their TeX as it was written, marks included. One on
 * lines of its own is a paragraph.
 */
export const formulasAsWritten: HtmlExtension = {
  enter: tokens({ mathFlow: begin, mathText: begin }),
  exit: tokens({
    mathFlowFence: take,
    mathFlowValue: take,
    mathTextFence: take,
    mathTextData: take,
    mathFlow: end('p'),
    mathText: end('span'),
  }),
};

/** The tokens are our own (src/shared/markdown/math.ts); the library's type of handles has only its own. */
function tokens(handles: Record<string, Handle>): NonNullable<HtmlExtension['enter']> {
  return handles;
}

function begin(this: CompileContext): undefined {
  this.buffer();
}

function take(this: CompileContext, token: Parameters<Handle>[0]): undefined {
  this.raw(escaped(this.sliceSerialize(token)));
}

function end(element: 'p' | 'span'): Handle {
  return function (this: CompileContext): undefined {
    const tex = this.resume();
    if (element === 'p') this.lineEndingIfNeeded();
    this.tag(`<${element} class="tex" dir="ltr">`);
    this.raw(tex);
    this.tag(`</${element}>`);
    if (element === 'p') this.lineEndingIfNeeded();
  };
}
