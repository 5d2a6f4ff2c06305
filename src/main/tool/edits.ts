import { Failure } from '../../shared/run/failure';
import { Breather } from '../journal/read';
import { findExact } from './find-exact';
import { lineAt } from './lines';
import { missed } from './nearest';
import { MAX_WRITE } from './put-file';
import { counted } from './walk';

/** One exact piece of a text and what comes in its place. */
export interface Edit {
  old_text: string;
  new_text: string;
  replace_all: boolean;
}

/** Lines that a message names when a piece occurs more than once. */
const NAMED_LINES = 5;
const BREAK = /\r\n|\r|\n/g;
const ENDINGS = ['\r\n', '\n', '\r'] as const;

/**
 * Makes edits one after the other, each on the result of the one before. All of them are made or none: throws a Failure
 * that says what differs for the first one that cannot be made. A piece is found where it is there exactly; its line breaks
 * are those of the text, where the text has only one kind of them.
 */
export async function applyEdits(
  text: string,
  edits: readonly Edit[],
): Promise<{ text: string; lines: number[]; made: number }> {
  const ending = onlyEnding(text);
  const breather = new Breather();
  const lines: number[] = [];
  let made = 0;
  for (const [index, edit] of edits.entries()) {
    const which = edits.length === 1 ? 'the text' : `the text of edit ${index + 1}`;
    const refuse = (why: string) =>
      new Failure({ code: 'tool_failed', message: `Nothing was changed. ${why}` });
    if (edit.old_text === '')
      throw refuse(`old_text of edit ${index + 1} is empty: give the text to replace.`);
    if (edit.old_text === edit.new_text)
      throw refuse(`old_text and new_text of edit ${index + 1} are the same.`);
    const old = ending === undefined ? edit.old_text : edit.old_text.replace(BREAK, ending);
    const at = await places(text, old, edit.replace_all, breather);
    const [first] = at;
    if (first === undefined) throw refuse(await missed(text, old, edit.new_text, which, ending));
    if (!edit.replace_all && at.length > 1) {
      const named = at.slice(0, NAMED_LINES).map((place) => lineAt(text, place));
      const more = at.length > named.length ? ' and more' : '';
      throw refuse(
        `${capital(which)} occurs ${at.length > MANY ? `more than ${MANY.toLocaleString('en-US')} times` : counted(at.length, 'time')} (${named.length > 1 ? 'lines' : 'line'} ${named.join(', ')}${more}). Give more of the text around it, so that it is unique, or set replace_all.`,
      );
    }
    lines.push(lineAt(text, first));
    made += at.length;
    const fresh = replacement(text, first, old, edit.new_text, ending);
    if (at.length > MOST || text.length + at.length * (fresh.length - old.length) > MAX_WRITE)
      throw refuse('The file would become too long, or has too many such places for one call.');
    const pieces: string[] = [];
    let from = 0;
    for (const place of at) {
      pieces.push(text.slice(from, place), fresh);
      from = place + old.length;
    }
    pieces.push(text.slice(from));
    text = pieces.join('');
  }
  return { text, lines, made };
}

const capital = (words: string) => `${words.charAt(0).toUpperCase()}${words.slice(1)}`;

/** More places than this are not counted when only one may be there. */
const MANY = 10_000;
/** Places that one edit may replace. */
const MOST = 1_000_000;

/**
 * Where a piece begins. Without `all` also places that overlap count: which one was meant cannot be told. A piece that
 * begins or ends in the middle of a line break is not there.
 */
async function places(text: string, piece: string, all: boolean, breather: Breather): Promise<number[]> {
  const found: number[] = [];
  const splits = (at: number) => text[at - 1] === '\r' && text[at] === '\n';
  await findExact(text, piece, breather, (at) => {
    if (splits(at) || splits(at + piece.length)) return 'overlapping';
    found.push(at);
    if (!all) return found.length > MANY ? 'end' : 'overlapping';
    return found.length > MOST ? 'end' : 'behind';
  });
  return found;
}

/** The kind of line breaks of a text; undefined where it has none, or several kinds. */
export function onlyEnding(text: string): (typeof ENDINGS)[number] | undefined {
  const bare = text.replaceAll('\r\n', '');
  const has = { '\r\n': bare.length < text.length, '\n': bare.includes('\n'), '\r': bare.includes('\r') };
  const kinds = ENDINGS.filter((kind) => has[kind]);
  return kinds.length === 1 ? kinds[0] : undefined;
}

/** The new text with the line breaks of the place that it comes to. */
function replacement(
  text: string,
  at: number,
  old: string,
  fresh: string,
  ending: string | undefined,
): string {
  if (ending !== undefined) return fresh.replace(BREAK, ending);
  // Several kinds: whoever named one means it; else it is the one of the line.
  if (/\r/.test(fresh) || /[\r\n]/.test(old)) return fresh;
  const next = /\r\n|\r|\n/.exec(text.slice(at, at + 100_000))?.[0];
  return next === undefined ? fresh : fresh.replaceAll('\n', next);
}
