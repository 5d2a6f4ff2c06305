/** A character that steers text without being seen, and what to show for it. */
export interface Control {
  code: string;
  name: string;
}
export type Piece = string | Control;

const NAMES: Record<number, string> = {
  0x00ad: 'soft hyphen',
  0x034f: 'combining grapheme joiner',
  0x061c: 'arabic letter mark',
  0x115f: 'hangul filler',
  0x1160: 'hangul filler',
  0x17b4: 'khmer inherent vowel',
  0x17b5: 'khmer inherent vowel',
  0x180e: 'mongolian vowel separator',
  0x200b: 'zero width space',
  0x200c: 'zero width non-joiner',
  0x200d: 'zero width joiner',
  0x200e: 'left-to-right mark',
  0x200f: 'right-to-left mark',
  0x2028: 'line separator',
  0x2029: 'paragraph separator',
  0x202a: 'left-to-right embedding',
  0x202b: 'right-to-left embedding',
  0x202c: 'end of directional formatting',
  0x202d: 'left-to-right override',
  0x202e: 'right-to-left override',
  0x2060: 'word joiner',
  0x2061: 'function application',
  0x2062: 'invisible times',
  0x2063: 'invisible separator',
  0x2064: 'invisible plus',
  0x2066: 'left-to-right isolate',
  0x2067: 'right-to-left isolate',
  0x2068: 'first strong isolate',
  0x2069: 'end of isolate',
  0x3164: 'hangul filler',
  0xfeff: 'byte order mark',
  0xffa0: 'hangul filler',
};

const C0 =
  'NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US';

/** Everything that draws nothing: controls, formats, separators of lines and paragraphs, blank letters. */
const STRICT = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0]/gu;
/** In prose the joiners and marks of many scripts are honest; what reorders, hides or smuggles is not. */
const PROSE =
  /(?![\n\t\u00ad\u061c\u200c-\u200f\ufeff])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0]/gu;

const EMOJI = /\p{Extended_Pictographic}\ufe0f?\p{Emoji_Modifier}?$/u;
const EMOJI_NEXT = /^\p{Extended_Pictographic}/u;

function describe(point: number): Control {
  const code = `U+${point.toString(16).toUpperCase().padStart(4, '0')}`;
  if (point < 0x20) return { code: C0.split(' ')[point] ?? code, name: `control character ${code}` };
  if (point >= 0xe0000) return { code, name: 'invisible tag character' };
  return { code, name: NAMES[point] ?? 'control character' };
}

/**
 * Splits a text so that nothing in it stays unseen: what draws nothing, reorders or drives a terminal becomes a Control.
 * A joiner between two emoji stays. `prose` lets through the marks that honest writing needs.
 */
export function pieces(text: string, prose = false): Piece[] {
  const pattern = prose ? PROSE : STRICT;
  pattern.lastIndex = 0;
  if (!pattern.test(text)) return [text];
  pattern.lastIndex = 0;
  const out: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    const at = match.index;
    const point = match[0].codePointAt(0) ?? 0;
    const end = at + match[0].length;
    // A carriage return before a newline is a line end, not a trick.
    if (point === 0x0d && text[end] === '\n') continue;
    if (
      point === 0x200d &&
      EMOJI.test(text.slice(Math.max(0, at - 6), at)) &&
      EMOJI_NEXT.test(text.slice(end, end + 2))
    )
      continue;
    if (at > from) out.push(text.slice(from, at));
    out.push(describe(point));
    from = end;
  }
  if (from < text.length) out.push(text.slice(from));
  return out;
}

/** Letters without a break after which a place to break is offered: laying out a longer run costs its square. */
const RUN = 160;
const LONG_RUN = /[^\s\p{Ideographic}]{400}/u;

/** A text in parts between which it may break, so that no run of letters is very long. */
export function breakable(text: string): string[] {
  if (text.length < 400 || !LONG_RUN.test(text)) return [text];
  const parts: string[] = [];
  let part = '';
  let run = 0;
  for (const char of text) {
    run = /\s/.test(char) ? 0 : run + 1;
    part += char;
    // Never before a mark that belongs to the letter before it.
    if (run >= RUN && !/\p{M}|\u200d|\ufe0f/u.test(char)) {
      parts.push(part);
      part = '';
      run = 0;
    }
  }
  if (part !== '') parts.push(part);
  return parts;
}

/** The same as one plain string, for titles, labels and announcements: `⟨U+202E⟩`. */
export const plainVisible = (text: string): string =>
  pieces(text)
    .map((piece) => (typeof piece === 'string' ? piece : `⟨${piece.code}⟩`))
    .join('');
