/** Names of functions, which are words that a formula may have. */
const FUNCTIONS =
  /(?<![\p{L}\\])(?:arc)?(?:sin|cos|tan|cot|sec|csc)h?(?![\p{L}])|(?<![\p{L}\\])(?:log|ln|lg|exp|lim|max|min|mod|gcd|lcm|det|dim|ker|sup|inf|arg|deg|rank|diag|sgn|sign|Pr|Var|Cov|bmod)(?![\p{L}])/gu;
/** What only TeX has: a command, a group, a raised or lowered sign. */
const TEX = /\\|[{}^]|(?:^|[^\p{L}])[\p{L}\p{N})\]|'}]_/u;
const RELATION = /[=<>+≈≠≤≥±×÷·→∈∑∫√∞]/u;
/** Letters that formulas are not written in. */
const OTHER_SCRIPT = /[^\P{L}\p{Script=Latin}\p{Script=Greek}\p{Script=Common}]/u;
const BEGINS_BADLY = /^(?:[,;:)\]}?]|\.(?!\d))/u;
const ENDS_BADLY = /[-+*/=<>,:;([{&"“]$/u;

/** The next code, as far as the tokenizer shows it: NaN at the end of the text. */
type After = number;
const isDigit = (code: After) => code >= 48 && code <= 57;
const isLetter = (code: After) => (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95;
export const isWordCode = (code: After) => isDigit(code) || isLetter(code);

/** Words in sentences, where a formula would have signs: "5 and run it for 10". */
function isProse(content: string): boolean {
  if (TEX.test(content)) return false;
  const plain = content.replace(FUNCTIONS, ' ');
  const words = /\p{L}{2,}/u.test(plain) && /\s/.test(content.trim());
  const foreign = OTHER_SCRIPT.test(plain);
  // An amount: no sign but TeX's own makes a formula of the words behind it.
  if (/^[^\p{L}\p{N}]*\p{N}/u.test(content)) return words || foreign;
  return !RELATION.test(content) && (words || foreign);
}

/** Brackets that do not close each other; a half-open interval is fine. */
function isTorn(content: string): boolean {
  let depth = 0;
  for (const char of content) {
    if (char === '(' || char === '[') depth += 1;
    else if ((char === ')' || char === ']') && --depth < 0) return true;
  }
  return depth !== 0;
}

const hasSubstance = (content: string) => /[\p{L}\p{N}]/u.test(content);

/**
 * Whether what two single dollars enclose is a formula. The rules are Pandoc's (no space inside of the dollars, no digit
 * behind them) and what tells prices, shell variables and ranges from formulas.
 */
export function isDollarFormula(content: string, after: After): boolean {
  if (/^\s|\s$/.test(content) || content === '' || isDigit(after)) return false;
  if (/^[-+*/=<>!|]{1,3}$/.test(content)) return !isLetter(after);
  if (isLetter(after) && !/^(?:\p{L}|.*[\\^{}].*)$/su.test(content)) return false;
  // ${HOME}${PATH}, $(pwd)$(date)
  if ((after === 123 && content.startsWith('{')) || (after === 40 && content.startsWith('('))) return false;
  if (BEGINS_BADLY.test(content) || content.includes('://')) return false;
  if (/^\{[A-Za-z_]\w*[:}].*[^}]$/.test(content) && !/[\\^]/.test(content)) return false;
  if (ENDS_BADLY.test(content) && !/[\\^_].$/.test(content)) return false;
  if (isProse(content)) return false;
  if (TEX.test(content)) return true;
  return !/\*\*|~~|\]\(/.test(content) && !isTorn(content);
}

/** Whether what two double dollars enclose is a formula: `$$` also is a price level, and a number of a process. */
export function isDoubleDollarFormula(content: string): boolean {
  const inner = content.trim();
  return (
    hasSubstance(inner) &&
    !BEGINS_BADLY.test(inner) &&
    !isProse(inner) &&
    !(isTorn(inner) && !TEX.test(inner))
  );
}

/** One word or more as nobody would name a variable: `\(optional\)` is a bracket that somebody escaped. */
const WORDS = /^(?:[a-z]{4,}|[A-Z]?[a-z]{3,}(?:[ ,'-]+[A-Za-z]+)+)$/;

/** Whether `\(…\)` and `\[…\]` enclose a formula, or are brackets that were escaped. `inline`: text stands beside them. */
export function isBracketFormula(content: string, square: boolean, inline: boolean, after: After): boolean {
  if (!hasSubstance(content)) return false;
  if (/^\s/.test(content) && /\s$/.test(content)) return true;
  if (WORDS.test(content)) return false;
  // \[1\], \[a-z\], \[the page\](address)
  if (square && inline) return after !== 40 && (TEX.test(content) || RELATION.test(content));
  return !(square && /^\d+$/.test(content));
}
