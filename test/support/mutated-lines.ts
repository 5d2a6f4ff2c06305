import fc from 'fast-check';
import { encodeRecord } from '../../src/shared/run/codec';
import { someRecord } from './run-arbitraries';

/**
 * Lines that are nearly records: members repeated, moved, renamed, retyped, other spellings of numbers and strings,
 * white space, and plain damage to single characters. Many still are JSON, and many of those still are records.
 */
export const mutatedLine: fc.Arbitrary<string> = fc
  .tuple(
    someRecord,
    fc.array(fc.tuple(fc.nat(1_000_000), fc.nat(1_000_000), fc.nat(99)), { maxLength: 3 }),
    fc.option(
      fc.tuple(
        fc.nat(1_000_000),
        fc.constantFrom('', '"', '\\', '{', '}', '[', ']', ',', ':', ' ', '0', 'n', '\u0000', '\ud83d'),
      ),
      {
        freq: 4,
      },
    ),
  )
  .map(([record, edits, damage]) => {
    const tree = parse(encodeRecord(record));
    for (const [pick, value, how] of edits) edit(tree, pick, value, how);
    const line = print(tree);
    if (!damage) return line;
    const at = damage[0] % (line.length + 1);
    return line.slice(0, at) + damage[1] + line.slice(at + (damage[0] % 2));
  });

/** JSON with everything that JSON.parse forgets: order and repetition of keys, spelling of scalars, white space. */
type Tree = { members: [string, Tree][] } | { items: Tree[] } | { text: string };

function parse(json: string): Tree {
  let at = 0;
  const value = (): Tree => {
    const char = json.charAt(at);
    if (char === '{') {
      const members: [string, Tree][] = [];
      at++;
      while (json.charAt(at) !== '}') {
        if (json.charAt(at) === ',') at++;
        const key = scalar();
        at++;
        members.push([key, value()]);
      }
      at++;
      return { members };
    }
    if (char === '[') {
      const items: Tree[] = [];
      at++;
      while (json.charAt(at) !== ']') {
        if (json.charAt(at) === ',') at++;
        items.push(value());
      }
      at++;
      return { items };
    }
    return { text: scalar() };
  };
  const scalar = (): string => {
    const match = /"(?:[^"\\]|\\.)*"|[^,:\]}]+/y;
    match.lastIndex = at;
    const text = match.exec(json)?.[0] ?? '';
    at += text.length;
    return text;
  };
  return value();
}

const print = (tree: Tree): string =>
  'members' in tree
    ? `{${tree.members.map(([key, value]) => `${key}:${print(value)}`).join(',')}}`
    : 'items' in tree
      ? `[${tree.items.map(print).join(',')}]`
      : tree.text;

const SPELLINGS = [
  'null',
  'true',
  'false',
  '{}',
  '[]',
  '[null]',
  '""',
  '0',
  '-0',
  '1.0',
  '1e3',
  '-5',
  '9007199254740993',
  '"AQL/"',
  '"AB=="',
  '"\\u0061"',
  '"\\ud83d"',
  '"<>&"',
  '"\u2028"',
  '"\ud83d"',
  '[1,2]',
  '{"text":{"text":"new"}}',
  '{"text":"other, and longer than what was there before"}',
  '{"thinking":{}}',
  '[{"text":{"text":"x"}},null]',
];

function edit(root: Tree, pick: number, value: number, how: number): void {
  const places: { tree: Tree; at: number }[] = [];
  const walk = (tree: Tree): void => {
    const inner = 'members' in tree ? tree.members.map(([, one]) => one) : 'items' in tree ? tree.items : [];
    inner.forEach((one, at) => {
      places.push({ tree, at });
      walk(one);
    });
  };
  walk(root);
  const place = places[pick % places.length];
  if (!place) return;
  const { tree, at } = place;
  const spelling = { text: SPELLINGS[value % SPELLINGS.length] ?? 'null' };
  if ('items' in tree) {
    if (how < 40) tree.items[at] = spelling;
    else if (how < 70) tree.items.splice(value % (tree.items.length + 1), 0, spelling);
    else tree.items.splice(at, 1);
    return;
  }
  if (!('members' in tree)) return;
  const member = tree.members[at];
  if (!member) return;
  const to = value % (tree.members.length + 1);
  if (how < 15) member[1] = spelling;
  else if (how < 30) tree.members.splice(to, 0, [member[0], structuredClone(member[1])]);
  else if (how < 45) tree.members.splice(to, 0, [member[0], spelling]);
  else if (how < 55) member[0] = member[0].toUpperCase();
  else if (how < 60) member[0] = member[0].replace('s', '\u017f').replace('k', '\u212a');
  else if (how < 65)
    member[0] = member[0].replace(/[a-z]/, (char) => `\\u00${char.charCodeAt(0).toString(16)}`);
  else if (how < 72) tree.members.splice(at, 1);
  else if (how < 80) tree.members.splice(to, 0, ...tree.members.splice(at, 1));
  else if (how < 86) tree.members.splice(to, 0, ['"unknown"', spelling]);
  else if (how < 93) member[0] = ` ${member[0]}\t`;
  else if ('text' in member[1]) member[1].text = respell(member[1].text, value);
}

/** The same scalar in another spelling, mostly. */
function respell(text: string, value: number): string {
  if (!text.startsWith('"')) return value % 2 ? `${text}.0` : ` ${text} `;
  const at = 1 + (value % Math.max(1, text.length - 2));
  const code = text.charCodeAt(at);
  if (text.includes('\\') || Number.isNaN(code))
    return text.replace(/\\n/g, '\\u000a').replace(/\\u003c/g, '<');
  return `${text.slice(0, at)}\\u${code.toString(16).padStart(4, '0')}${text.slice(at + 1)}`;
}
