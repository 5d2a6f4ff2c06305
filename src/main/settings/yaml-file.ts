import { readFile } from 'node:fs/promises';
import { isMap, isScalar, LineCounter, parseDocument } from 'yaml';
import type { Document } from 'yaml';
import { Failure } from '../../shared/run/failure';
import type { z } from '../../shared/zod';
import { issueWords, mistakeWords } from './yaml-words';

/** A kind of settings file: YAML that a person may write by hand. */
export interface FileKind<Shape extends z.ZodType> {
  /** As a sentence begins with it: "The profile file". */
  called: string;
  shape: Shape;
  /** What was kept and what works without the file. */
  kept: string;
}

export interface SettingsFile<Value> {
  document: Document;
  value: Value;
  /** `settings_broken` for what stands at the end of `way`, or at the nearest thing that exists on it. */
  broken(what: string, way: readonly PropertyKey[]): Failure;
}

interface Fault {
  what: string;
  /** What the parser says of it. */
  details?: string;
  /** Where in the text. */
  at?: number | undefined;
  cause?: unknown;
}

/**
 * Reads a settings file, which need not exist. Throws `settings_broken` with the path, line and column, in plain words;
 * the parser's own are in `details`.
 */
export async function readSettings<Shape extends z.ZodType>(
  path: string,
  { called, shape, kept }: FileKind<Shape>,
): Promise<SettingsFile<z.infer<Shape>>> {
  const lines = new LineCounter();
  let text = '';
  const broken = ({ what, details, at, cause }: Fault): Failure => {
    // What is missing at the end is missing behind the last thing that is there.
    const place = at === undefined ? undefined : lines.linePos(Math.min(at, text.trimEnd().length));
    return new Failure(
      {
        code: 'settings_broken',
        message: `${called} cannot be used: ${place ? `line ${place.line}, column ${place.col}: ` : ''}${what}.`,
        kept,
        todo: `Mend ${path}, or move it away to begin anew. Nothing can be saved into it until then.`,
        data: { path, ...(place && { line: place.line, column: place.col }), ...(details && { details }) },
      },
      { cause },
    );
  };
  text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return '';
    throw broken({ what: `it cannot be read (${error.code ?? 'unknown error'})`, cause: error });
  });
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [mistake] = document.errors;
  if (mistake) throw broken({ what: mistakeWords(mistake), details: mistake.message, at: mistake.pos[0] });
  let data: unknown;
  try {
    data = document.toJS() ?? {};
  } catch (error) {
    const details = error instanceof Error ? error.message : String(error);
    throw broken({ what: 'it holds references that lead nowhere', details, cause: error });
  }
  const checked = shape.safeParse(data);
  if (checked.success)
    return {
      document,
      value: checked.data,
      broken: (what, way) => broken({ what, at: placeOf(document, way) }),
    };
  const [issue] = checked.error.issues;
  if (!issue) throw broken({ what: 'it is not what such a file holds' });
  throw broken({
    what: issueWords(issue, document),
    details: [issue.path.map(String).join('.'), issue.message].filter(Boolean).join(': '),
    at: keyPlace(document, issue) ?? placeOf(document, issue.path),
  });
}

/** Where the nearest thing begins that exists on the way. */
function placeOf(document: Document, way: readonly PropertyKey[]): number | undefined {
  for (let length = way.length; length >= 0; length--) {
    const node: unknown = document.getIn(way.slice(0, length), true);
    const range = node && typeof node === 'object' && 'range' in node ? node.range : undefined;
    if (Array.isArray(range) && typeof range[0] === 'number') return range[0];
  }
  return undefined;
}

/** Where the name stands that nobody knows. */
function keyPlace(document: Document, issue: z.core.$ZodIssue): number | undefined {
  if (issue.code !== 'unrecognized_keys') return undefined;
  const map = document.getIn(issue.path, true);
  if (!isMap(map)) return undefined;
  const key = map.items.map((pair) => pair.key).find((one) => isScalar(one) && one.value === issue.keys[0]);
  return isScalar(key) ? key.range?.[0] : undefined;
}
