import {
  asciiAlpha,
  markdownLineEndingOrSpace,
  unicodePunctuation,
  unicodeWhitespace,
} from 'micromark-util-character';
import type { Code, Construct, Effects, State, TokenizeContext } from 'micromark-util-types';

declare module 'micromark-util-types' {
  interface TokenTypeMap {
    literalAutolink: 'literalAutolink';
    literalAutolinkHttp: 'literalAutolinkHttp';
    literalAutolinkWww: 'literalAutolinkWww';
  }
  interface Token {
    _gfmAutolinkLiteralWalkedInto?: boolean;
  }
}

/**
 * Bare addresses, as micromark-extension-gfm-autolink-literal finds them, but that they end where a sentence goes on in
 * Chinese, Japanese or Korean: those put no space behind an address.
 */

const WIDE_LETTER =
  /[\u3005-\u3007\u3040-\u30ff\u3105-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\ud840-\ud88f\uf900-\ufaff\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\uff66-\uffdc]/;
const WIDE_MARK =
  /[\u2014\u2018-\u201d\u2026\u3000-\u3004\u3008-\u3020\u3030\u30fb\ufe30-\ufe4f\uff00-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\uffe0-\uffef]/;

const charOf = (code: Code): string => (code === null || code < 0 ? '' : String.fromCharCode(code));
const isWideLetter = (code: Code) => WIDE_LETTER.test(charOf(code)) && !WIDE_MARK.test(charOf(code));
const isWideMark = (code: Code) => WIDE_MARK.test(charOf(code));
/** Whether an address in this text could have to end before its next space. */
export const hasWide = (text: string): boolean => WIDE_LETTER.test(text) || WIDE_MARK.test(text);
const isWide = (code: Code) => isWideLetter(code) || isWideMark(code);
const isSpace = (code: Code) => markdownLineEndingOrSpace(code) || unicodeWhitespace(code);

const of = (text: string) => new Set([...text].map((char) => char.charCodeAt(0)));
const TRAILING = of('!"\'),.:;?*_~');
const MAYBE_LAST = of('!"&\'),.:;<?*_~]');
/** A letter behind one of these goes on with a path that has begun; behind any other it begins a sentence. */
const JOINS = of('/=#_-%?&');

/** Marks that end an address together with what comes behind them. `letters`: wide letters come behind it, too. */
const trailBefore = (letters: boolean): Construct => ({
  partial: true,
  tokenize(effects, ok, nok) {
    const within: State = (code) => {
      if (code !== null && TRAILING.has(code)) {
        effects.consume(code);
        return within;
      }
      if (code === 38) {
        effects.consume(code);
        return (code) => (asciiAlpha(code) ? reference(code) : nok(code));
      }
      if (code === 93) {
        effects.consume(code);
        return (code) =>
          code === null || code === 40 || code === 91 || isSpace(code) ? ok(code) : within(code);
      }
      return code === null || code === 60 || isSpace(code) || (letters ? isWide(code) : isWideMark(code))
        ? ok(code)
        : nok(code);
    };
    const reference: State = (code) => {
      if (code !== 59 && !asciiAlpha(code)) return nok(code);
      effects.consume(code);
      return code === 59 ? within : reference;
    };
    return within;
  },
});
const trail = trailBefore(true);
/** `例子.测试` */
const trailOfWide = trailBefore(false);

const domain: Construct = {
  partial: true,
  tokenize(this: TokenizeContext, effects, ok, nok) {
    let last = false;
    let lastButOne = false;
    let seen = false;
    let wide = false;
    const inside: State = (code) => {
      if (code === 46 || code === 95) return effects.check(wide ? trailOfWide : trail, after, mark)(code);
      const ends =
        code === null || isSpace(code) || isWideMark(code) || (code !== 45 && unicodePunctuation(code));
      // A name in these scripts is one; a letter of them behind another is not part of a name.
      if (ends || (isWideLetter(code) && seen && /[a-z0-9]/i.test(charOf(this.previous)))) return after(code);
      seen = true;
      wide ||= isWideLetter(code);
      effects.consume(code);
      return inside;
    };
    const mark: State = (code) => {
      if (code === 95) last = true;
      else {
        lastButOne = last;
        last = false;
      }
      effects.consume(code);
      return inside;
    };
    const after: State = (code) => (last || lastButOne || !seen ? nok(code) : ok(code));
    return inside;
  },
};

const path: Construct = {
  partial: true,
  tokenize(this: TokenizeContext, effects, ok) {
    let opened = 0;
    let closed = 0;
    let size = 0;
    const take = (code: Code): State => {
      if (code === 40) opened += 1;
      if (code === 41) closed += 1;
      size += 1;
      effects.consume(code);
      return inside;
    };
    const inside: State = (code) => {
      if (code === 41 && closed < opened) return take(code);
      if (code !== null && MAYBE_LAST.has(code)) return effects.check(trail, ok, take)(code);
      if (code === null || isSpace(code) || isWideMark(code)) return ok(code);
      if (isWideLetter(code)) {
        const before = this.previous;
        // …/wiki/数学, but not …com/看
        const joined = size > 1 && before !== null && (JOINS.has(before) || isWideLetter(before));
        if (!joined) return ok(code);
      }
      return take(code);
    };
    return inside;
  },
};

/** Whether a bracket before is open, in which the address would be the text of a link. */
function isInLabel(this: TokenizeContext): boolean {
  for (let at = this.events.length - 1; at >= 0; at--) {
    const token = this.events[at]?.[1];
    if ((token?.type === 'labelLink' || token?.type === 'labelImage') && !token._balanced) return true;
    // What was looked at before was found to be open or not then.
    if (token?._gfmAutolinkLiteralWalkedInto) return false;
  }
  const last = this.events.at(-1)?.[1];
  if (last) last._gfmAutolinkLiteralWalkedInto = true;
  return false;
}

function address(
  name: string,
  type: 'literalAutolinkHttp' | 'literalAutolinkWww',
  opening: Construct,
  consumes: boolean,
  previous: (code: Code) => boolean,
): Construct {
  return {
    name,
    previous,
    tokenize(this: TokenizeContext, effects: Effects, ok: State, nok: State) {
      const done: State = (code) => {
        effects.exit(type);
        effects.exit('literalAutolink');
        return ok(code);
      };
      const rest = effects.attempt(domain, effects.attempt(path, done), nok);
      return (code) => {
        if (!previous(this.previous) || isInLabel.call(this)) return nok(code);
        effects.enter('literalAutolink');
        effects.enter(type);
        return (consumes ? effects.attempt(opening, rest, nok) : effects.check(opening, rest, nok))(code);
      };
    },
  };
}

/** What has to be there, letter for letter in either case, and then something. */
const opening = (
  accepts: (text: string) => 'more' | 'done' | 'no',
  goesOn: (code: Code) => boolean,
): Construct => ({
  partial: true,
  tokenize(effects, ok, nok) {
    let text = '';
    const within: State = (code) => {
      text += charOf(code).toLowerCase();
      const answer = code === null ? 'no' : accepts(text);
      if (answer === 'no') return nok(code);
      effects.consume(code);
      return answer === 'more' ? within : (code) => (goesOn(code) ? ok(code) : nok(code));
    };
    return within;
  },
});

const wordsOf =
  (...words: string[]) =>
  (text: string) =>
    words.includes(text) ? 'done' : words.some((word) => word.startsWith(text)) ? 'more' : 'no';

export const protocolAddress = address(
  'protocolAutolink',
  'literalAutolinkHttp',
  opening(
    wordsOf('http://', 'https://'),
    (code) => code !== null && code > 32 && !isSpace(code) && !unicodePunctuation(code),
  ),
  true,
  (code) => !asciiAlpha(code),
);

export const wwwAddress = address(
  'wwwAutolink',
  'literalAutolinkWww',
  opening(wordsOf('www.'), (code) => code !== null),
  false,
  (code) => code === null || of('(*_[]~').has(code) || isSpace(code) || isWide(code),
);
