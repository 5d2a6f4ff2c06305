import type { Document, YAMLError } from 'yaml';
import type { z } from '../../shared/zod';

type Code = YAMLError['code'];

/** What is wrong with a text that is no YAML, for somebody who never read what YAML is. The first that fits. */
const WORDS: readonly [Code, RegExp, string][] = [
  ['BAD_INDENT', /^Flow sequence/, 'a list that begins with "[" is not closed with "]" before here'],
  ['BAD_INDENT', /^Flow map/, 'a group that begins with "{" is not closed with "}" before here'],
  ['MISSING_CHAR', /^Missing closing "/, 'a text in double quotes is not closed before here'],
  ['MISSING_CHAR', /^Missing closing '/, 'a text in single quotes is not closed before here'],
  [
    'MISSING_CHAR',
    /^Sequence item without/,
    'this line does not begin in the same column as the lines of its list',
  ],
  ['MISSING_CHAR', /followed by map values/, 'a colon and a value are missing behind a name'],
  ['MISSING_CHAR', /^Missing ,/, 'a comma is missing between two entries'],
  ['MISSING_CHAR', /^Missing space after :/, 'a space is missing behind a colon'],
  ['MISSING_CHAR', /^Comments must/, 'a space is missing before "#"'],
  ['MULTILINE_IMPLICIT_KEY', /./, 'a colon and a value are missing behind a name'],
  [
    'BLOCK_AS_IMPLICIT_KEY',
    /^A block sequence/,
    'this line does not begin in the same column as the lines around it',
  ],
  [
    'BLOCK_AS_IMPLICIT_KEY',
    /./,
    'a second colon stands on this line; a text with a colon in it has to be in quotes',
  ],
  [
    'BLOCK_IN_FLOW',
    /./,
    'something between brackets is not written as it can be there; a comma may be missing',
  ],
  ['BAD_INDENT', /./, 'this line does not begin in the same column as the lines that it belongs to'],
  ['TAB_AS_INDENT', /./, 'a line begins with a tab; it has to begin with spaces'],
  ['DUPLICATE_KEY', /./, 'a name is there twice'],
  ['BAD_SCALAR_START', /./, 'a text that begins with this character has to be in quotes'],
  ['BAD_DQ_ESCAPE', /./, 'a backslash in double quotes has to be written twice'],
  ['MULTIPLE_DOCS', /./, 'a line of dashes begins a second file in this one'],
  ['UNEXPECTED_TOKEN', /seq-end/, 'a "]" closes nothing'],
  ['UNEXPECTED_TOKEN', /map-end/, 'a "}" closes nothing'],
  ['UNEXPECTED_TOKEN', /at node end/, 'something follows a value that was complete'],
  ['UNEXPECTED_TOKEN', /Unexpected ,|empty item/, 'there is a comma too many'],
];

/** What is wrong where the text is no YAML. */
export const mistakeWords = ({ code, message }: YAMLError): string =>
  WORDS.find(([of, said]) => of === code && said.test(message))?.[2] ??
  'something does not belong where it stands';

/** What a value can be, by the schema's word for it. */
const KINDS: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a group of names with values',
};

/** What is wrong where the text is YAML, and says what cannot be meant. */
export function issueWords(issue: z.core.$ZodIssue, document: Document): string {
  const { path } = issue;
  const name = nameOf(path);
  switch (issue.code) {
    case 'invalid_type':
      if (path.length > 0 && !document.hasIn(path)) return `${name} is missing`;
      return `${name} has to be ${KINDS[issue.expected] ?? issue.expected}`;
    case 'unrecognized_keys': {
      const within = path.length > 0 ? ` in ${name}` : '';
      return `"${issue.keys[0] ?? ''}"${within} is nothing that can be set`;
    }
    case 'invalid_value':
      return `${name} has to be ${alternatives.format(issue.values.map((value) => JSON.stringify(value)))}`;
    case 'too_small':
      if (issue.origin === 'string') return `${name} is empty`;
      return `${name} has to be ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}`;
    case 'too_big':
      if (issue.origin === 'string') return `${name} is longer than ${issue.maximum} characters`;
      if (issue.origin === 'array') return `${name} has more than ${issue.maximum} entries`;
      return `${name} has to be at most ${issue.maximum}`;
    case 'invalid_format':
      return issue.format === 'url'
        ? `${name} has to be a whole address, like https://example.org`
        : `${name} has characters that cannot be in it`;
    case 'custom':
      return issue.message.replace(/\.$/, '');
    default:
      return `${name} is not what can stand there`;
  }
}

function nameOf(path: readonly PropertyKey[]): string {
  const last = path.at(-1);
  if (last === undefined) return 'the whole of it';
  return typeof last === 'number' ? `entry ${last + 1} of ${nameOf(path.slice(0, -1))}` : `"${String(last)}"`;
}

const alternatives = new Intl.ListFormat('en-GB', { type: 'disjunction' });
