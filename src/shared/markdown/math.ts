import type { Code, Construct, Effects, Extension, State, TokenizeContext } from 'micromark-util-types';
import { isBracketFormula, isDollarFormula, isDoubleDollarFormula, isWordCode } from './formula';

declare module 'micromark-util-types' {
  interface TokenTypeMap {
    mathFlow: 'mathFlow';
    mathFlowFence: 'mathFlowFence';
    mathFlowValue: 'mathFlowValue';
    mathText: 'mathText';
    mathTextFence: 'mathTextFence';
    mathTextData: 'mathTextData';
  }
  interface Token {
    /** A formula that has its line to itself, though it is in a sentence: `\[…\]`. */
    _display?: boolean;
  }
}

const DOLLAR = 36;
const BACKSLASH = 92;
const BACKTICK = 96;
const isEnd = (code: Code): boolean => code !== null && code < -2;
const isSpace = (code: Code): boolean => code === -2 || code === -1 || code === 32;
const codeOf = (code: Code): number => code ?? NaN;

/** Consumes the inside of a formula: data and line ends are tokens of their own. */
function inside(effects: Effects, data: 'mathTextData' | 'mathFlowValue') {
  let open = false;
  return {
    take(code: Code) {
      if (!open) effects.enter(data);
      open = true;
      effects.consume(code);
    },
    leave() {
      if (open) effects.exit(data);
      open = false;
    },
    lineEnd(code: Code) {
      this.leave();
      effects.enter('lineEnding');
      effects.consume(code);
      effects.exit('lineEnding');
    },
  };
}

/** `$…$` and `$$…$$` in a sentence. The next run of dollars ends it, or it is none. */
const dollars: Construct = {
  name: 'mathDollars',
  previous(code) {
    return (
      !isWordCode(codeOf(code)) && (code !== DOLLAR || this.events.at(-1)?.[1].type === 'characterEscape')
    );
  },
  tokenize(this: TokenizeContext, effects: Effects, ok: State, nok: State): State {
    const data = inside(effects, 'mathTextData');
    let size = 0;
    let closing = 0;
    let lines = false;
    let start = this.now();
    let end = this.now();
    let escaped = false;
    const open: State = (code) => {
      if (code === DOLLAR) {
        if (++size > 2) return nok(code);
        effects.consume(code);
        return open;
      }
      effects.exit('mathTextFence');
      start = this.now();
      return within(code);
    };
    const within: State = (code) => {
      if (code === null || (code === BACKTICK && !escaped)) return nok(code);
      if (isEnd(code)) {
        lines = true;
        escaped = false;
        data.lineEnd(code);
        return within;
      }
      if (code === DOLLAR && !escaped) {
        end = this.now();
        closing = 0;
        data.leave();
        effects.enter('mathTextFence');
        return close(code);
      }
      escaped = code === BACKSLASH && !escaped;
      data.take(code);
      return within;
    };
    const close: State = (code) => {
      if (code === DOLLAR) {
        if (++closing > size) return nok(code);
        effects.consume(code);
        return close;
      }
      const fence = effects.exit('mathTextFence');
      if (closing < size) {
        // A single dollar inside of double ones.
        fence.type = 'mathTextData';
        return within(code);
      }
      const content = this.sliceSerialize({ start, end });
      const fine = size === 1 ? isDollarFormula(content, codeOf(code)) : isDoubleDollarFormula(content);
      if (!fine) return nok(code);
      const token = effects.exit('mathText');
      if (size === 2 && lines) token._display = true;
      return ok(code);
    };
    return (code) => {
      effects.enter('mathText');
      effects.enter('mathTextFence');
      return open(code);
    };
  },
};

/** `\(…\)` and `\[…\]` in a sentence. */
const brackets: Construct = {
  name: 'mathBrackets',
  tokenize(this: TokenizeContext, effects: Effects, ok: State, nok: State): State {
    const data = inside(effects, 'mathTextData');
    let square = false;
    let start = this.now();
    const open: State = (code) => {
      if (code !== 40 && code !== 91) return nok(code);
      square = code === 91;
      effects.consume(code);
      effects.exit('mathTextFence');
      start = this.now();
      return within;
    };
    const within: State = (code) => {
      if (code === null || code === BACKTICK) return nok(code);
      if (isEnd(code)) {
        data.lineEnd(code);
        return within;
      }
      if (code === BACKSLASH) return effects.check(closer(square), close, pair)(code);
      data.take(code);
      return within;
    };
    /** A backslash and what it belongs to. Another opening bracket begins anew. */
    const pair: State = (code) => {
      data.take(code);
      return (code) => {
        if (code === (square ? 91 : 40)) return nok(code);
        if (code === null || isEnd(code)) return within(code);
        data.take(code);
        return within;
      };
    };
    const close: State = (code) => {
      const content = this.sliceSerialize({ start, end: this.now() });
      data.leave();
      effects.enter('mathTextFence');
      effects.consume(code);
      return (code) => {
        effects.consume(code);
        return (after) => {
          if (!isBracketFormula(content, square, true, codeOf(after))) return nok(after);
          effects.exit('mathTextFence');
          const token = effects.exit('mathText');
          if (square) token._display = true;
          return ok(after);
        };
      };
    };
    return (code) => {
      effects.enter('mathText');
      effects.enter('mathTextFence');
      effects.consume(code);
      return open;
    };
  },
};

const closer = (square: boolean): Construct => ({
  partial: true,
  tokenize(effects, ok, nok) {
    return (code) => {
      effects.enter('mathTextFence');
      effects.consume(code);
      return (code) => {
        if (code !== (square ? 93 : 41)) return nok(code);
        effects.consume(code);
        effects.exit('mathTextFence');
        return ok;
      };
    };
  },
});

/** A line without anything on it but marks of quotes: no formula goes on behind it. */
export const BLANK_LINE = /^[ \t>]*$/;

/** Columns that the first characters of a line take. */
function width(text: string): number {
  let columns = 0;
  for (const char of text) columns += char === '\t' ? 4 - (columns % 4) : 1;
  return columns;
}

const lineEndAt = (source: string, from: number): number => {
  for (let at = from; at < source.length; at++) if (source[at] === '\n' || source[at] === '\r') return at;
  return source.length;
};

/**
 * Where the formula that opens at `at` is closed, at the end of a line and before a blank one; undefined where it is not,
 * so that its mark is text. `columns`: those of the containers around it, which each further line has to fill.
 */
function closingOf(source: string, at: number, columns: number): number | undefined {
  const dollars = source[at] === '$';
  if (dollars && source[at + 2] === '$') return undefined;
  let from = at + 2;
  for (;;) {
    const end = lineEndAt(source, from);
    const found = closingIn(source, from, end, dollars);
    if (found === -1) return undefined;
    if (found !== undefined) {
      const content = source.slice(at + 2, found);
      if (source.slice(found + 2, end).trim() !== '') return undefined;
      if (!dollars) return isBracketFormula(content, true, false, NaN) ? found : undefined;
      // Dollars that have lines to themselves mean it; otherwise they could be price levels.
      return /^[ \t]*[\r\n]/.test(content) || isDoubleDollarFormula(content)
        ? content.trim() === ''
          ? undefined
          : found
        : undefined;
    }
    if (end >= source.length) return undefined;
    from = end + (source.startsWith('\r\n', end) ? 2 : 1);
    const next = source.slice(from, lineEndAt(source, from));
    if (from >= source.length || BLANK_LINE.test(next) || /^[ \t>]*(?:`{3}|~{3})/.test(next))
      return undefined;
    if (width(/^[ \t>]*/.exec(next)?.[0] ?? '') < columns) return undefined;
  }
}

/** The closing mark in a line; -1: what is there cannot be inside of a formula. */
function closingIn(source: string, from: number, end: number, dollars: boolean): number | undefined {
  for (let at = from; at < end; at++) {
    if (source[at] === '\\') {
      if (!dollars && source[at + 1] === ']') return at;
      if (!dollars && source[at + 1] === '[') return -1;
      at += 1;
    } else if (dollars && source[at] === '$') {
      let run = 1;
      while (source[at + run] === '$') run += 1;
      if (run === 2) return at;
      if (run > 2) return -1;
    }
  }
  return undefined;
}

/**
 * `$$…$$` and `\[…\]` alone on their line or lines. Whether the mark is closed decides at once, from the source, so that
 * nothing that follows an open one is taken for a formula first.
 */
const flow = (source: string): Construct => ({
  name: 'mathFlow',
  concrete: true,
  tokenize(this: TokenizeContext, effects: Effects, ok: State, nok: State): State {
    const { parser } = this;
    const data = inside(effects, 'mathFlowValue');
    const begun = this.now();
    const closing = (): number | undefined => {
      const at = begun.offset;
      const before = this.events.at(-1)?.[1];
      const indent = before?.type === 'linePrefix' ? this.sliceSerialize(before, true).length : 0;
      const lineStart = Math.max(source.lastIndexOf('\n', at - 1), source.lastIndexOf('\r', at - 1)) + 1;
      if (source[at] !== '$' && source[at] !== '\\') return undefined;
      if (source[at] === '$' ? source[at + 1] !== '$' : source[at + 1] !== '[') return undefined;
      return closingOf(source, at, width(source.slice(lineStart, at)) - indent);
    };
    let close = 0;
    const within: State = (code) => {
      if (code === null) return nok(code);
      if (this.now().offset >= close) {
        data.leave();
        effects.enter('mathFlowFence');
        effects.consume(code);
        return (code) => {
          effects.consume(code);
          return rest;
        };
      }
      if (isEnd(code)) {
        data.lineEnd(code);
        return lineStart;
      }
      data.take(code);
      return within;
    };
    const lineStart: State = (code) => (parser.lazy[this.now().line] ? nok(code) : within(code));
    const rest: State = (code) => {
      if (isSpace(code)) {
        effects.consume(code);
        return rest;
      }
      if (code !== null && !isEnd(code)) return nok(code);
      effects.exit('mathFlowFence');
      effects.exit('mathFlow');
      return ok(code);
    };
    return (code) => {
      const found = closing();
      if (found === undefined) return nok(code);
      close = found;
      effects.enter('mathFlow');
      effects.enter('mathFlowFence');
      effects.consume(code);
      return (code) => {
        effects.consume(code);
        effects.exit('mathFlowFence');
        // Enough to end a paragraph.
        return this.interrupt ? ok : within;
      };
    };
  },
});

/**
 * Formulas as tokens of their own, so that code, escapes, lists, quotes and tables are what they are anywhere.
 *
 * @param source the very text that is parsed, without a byte order mark at its beginning
 */
export const math = (source: string): Extension => ({
  ...mathOfBlocks(source),
  text: { [DOLLAR]: dollars, [BACKSLASH]: brackets },
});

/** Those of them that are blocks. */
export function mathOfBlocks(source: string): Extension {
  const construct = flow(source);
  return { flow: { [DOLLAR]: construct, [BACKSLASH]: construct } };
}
