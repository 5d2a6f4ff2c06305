import { describe, expect, it } from 'vitest';
import { read, repositoryFiles } from '../support/repository';

/**
 * An expression that looks for every match in a text keeps all of them in memory, and V8 ends the whole process beyond
 * some 70 million: no handler hears it. So in rooms that read texts of others each such place is known: its text is
 * bounded before (titles, names, lines of a setting), or it is a slice.
 */
const ROOMS =
  /^src\/(shared\/run|main\/(journal|library\/(import|export|search)|model(?!\/practice)))\/.*\.ts$/;
const WALKS = /\.(replaceAll|matchAll|split)\(|\.(replace|match)\(\s*\/(?:[^/\\\n]|\\.)+\/[a-z]*g/g;

/** How many such places a file has, each looked at. A new one goes through `inSlices` or `linesIn`, or is bounded first. */
const KNOWN: Record<string, number> = {
  'src/main/journal/file/texts.ts': 1,
  'src/main/journal/jetstream/address.ts': 1,
  'src/main/journal/jetstream/aux.ts': 1,
  'src/main/journal/jetstream/config.ts': 1,
  'src/main/journal/jetstream/read.ts': 1,
  'src/main/journal/jetstream/row.ts': 1,
  'src/main/journal/jetstream/slips.ts': 1,
  'src/main/journal/jetstream/subjects.ts': 1,
  'src/main/journal/jetstream/texts.ts': 1,
  'src/main/library/export/escape.ts': 1,
  'src/main/library/export/html.ts': 7,
  'src/main/library/export/line-breaks.ts': 1,
  'src/main/library/export/markdown-contain.ts': 3,
  'src/main/library/export/markdown-text.ts': 3,
  'src/main/library/export/names.ts': 2,
  'src/main/library/import/tree.ts': 1,
  'src/main/library/search/texts.ts': 2,
  'src/main/model/client.ts': 1,
  'src/main/model/endpoint.ts': 1,
  'src/main/model/errors.ts': 5,
  'src/main/model/http.ts': 1,
  'src/main/model/reasons.ts': 2,
  'src/shared/run/gotypes.ts': 1,
  'src/shared/run/secret-finder.ts': 8,
  'src/shared/run/transcript.ts': 3,
};

describe('walks over all matches in a text', () => {
  it('are in known places only, where the text is bounded', () => {
    const found: Record<string, number> = {};
    for (const file of repositoryFiles().filter((one) => ROOMS.test(one))) {
      const count = [...read(file).matchAll(WALKS)].length;
      if (count > 0) found[file] = count;
    }
    const more = Object.entries(found).filter(([file, count]) => count > (KNOWN[file] ?? 0));
    // Bound the text, or walk it with src/shared/run/slices.ts; then the new count belongs into KNOWN.
    expect(Object.fromEntries(more)).toEqual({});
  });

  it('would be seen', () => {
    for (const code of [
      "text.split('\\n')",
      'a.replaceAll(b, c)',
      "x.replace(/\\//g, '')",
      'y.match(/[`]/gu)',
      'z.matchAll(e)',
    ])
      expect(code.match(WALKS), code).not.toBeNull();
    for (const code of ["x.replace(/a/, '')", 'path.join(a)', 'y.match(/a/u)'])
      expect(code.match(WALKS), code).toBeNull();
  });
});
