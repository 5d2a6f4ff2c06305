import { startOf } from '../../shared/run/slices';
import type { Question } from './door';

/** Everything that draws nothing, ends a line, reorders what is around it or drives a terminal. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0]/gu;
const shown = (char: string): string => `\\u{${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}}`;

/** Characters of one line of a question, of its message, and how many lines it has at most. */
const LINE = 240;
const MESSAGE = 160;
const LINES = 20;

/**
 * One line of text of others as a question shows it: nothing in it is unseen, and one that is too long is cut in the
 * middle, because what decides is at the ends of names, paths and addresses.
 */
export function visibleLine(text: string, most = LINE): string {
  // Bounded before any expression sees it.
  const end = Math.floor(most / 3);
  const kept = 4 * most;
  const bounded =
    text.length <= 2 * kept
      ? text
      : `${startOf(text, kept)}${text.slice(-kept).replace(/^[\udc00-\udfff]/, '')}`;
  const line = [...bounded.replace(UNSEEN, shown)];
  if (line.length <= most && bounded === text) return line.join('');
  const left = text.length - most;
  return `${line.slice(0, most - end).join('')} … ${Math.max(left, 1)} characters … ${line.slice(-end).join('')}`;
}

/**
 * A question that is asked outside the page. Each of `lines` is one line on the screen, what decides first; whatever of
 * others is in them can neither begin a line of its own nor hide.
 */
export function questionOf(message: string, lines: readonly string[], yes: string): Question {
  const more = lines.length - LINES;
  const said = more > 0 ? [...lines.slice(0, LINES), `and ${more} more`] : lines;
  return {
    message: visibleLine(message, MESSAGE),
    detail: said.map((line) => visibleLine(line)).join('\n'),
    yes,
  };
}
