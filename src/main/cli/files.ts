import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure, asFailure } from '../../shared/run/failure';
import type { RunWarning } from '../../shared/run/state';
import { encodeLine, readJournal } from '../../shared/run/codec';
import type { JournalRead } from '../../shared/run/codec';
import { foldJournal, foldRecords, stateText } from '../../shared/run/fold';
import type { Folded } from '../../shared/run/fold';
import { readSidecar } from '../journal/sidecar';
import type { NotesDamage } from '../journal/sidecar';
import type { Console } from './console';
import { EXIT } from './exit';
import type { ExitCode } from './exit';
import { jsonLine, oneLine, plural, safeJson } from './text';

/** Commands on journal files, wherever they lie: no store, no lock, no profile, no key. */

/** A file to look at, and the name under which its line of output is found. */
interface Named {
  name: string;
  path: string;
}

// What lies beside journals in a runs folder.
const COMPANION =
  /(^\.|\.aux\.jsonl$|\.catalogue\.jsonl$|\.lock$|\.torn$|\.backup$|\.(partial|queue|began)(\.tmp)?$)/;

/**
 * The files that a path means: itself under the name as given, or the files of a folder under their base names, in
 * name order. A folder's companions (sidecars, locks, cut tails, hidden files) and its folders are left out.
 *
 * @throws Failure `not_found`
 */
async function filesOf(path: string): Promise<Named[]> {
  const found = await stat(path).catch(() => undefined);
  if (!found)
    throw new Failure({
      code: 'not_found',
      message: `There is no file or folder "${path}".`,
      todo: 'Check the path.',
    });
  if (!found.isDirectory()) return [{ name: path, path }];
  const entries = await readdir(path, { withFileTypes: true });
  const files: Named[] = [];
  for (const entry of entries) {
    if (COMPANION.test(entry.name)) continue;
    const file = { name: entry.name, path: join(path, entry.name) };
    if (entry.isFile() || (entry.isSymbolicLink() && (await isWorthReading(file.path)))) files.push(file);
  }
  return files.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** What a link leads to: a file, or nothing, which is to be told; never a pipe or a device, which might have no end. */
async function isWorthReading(link: string): Promise<boolean> {
  const found = await stat(link).catch(() => undefined);
  return found === undefined || found.isFile();
}

/** A whole file. `not_found`, `io`. */
export async function bytesOf(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    const message =
      code === 'ENOENT' ? `There is no file "${path}".` : `"${path}" cannot be read (${code ?? 'unknown'}).`;
    throw new Failure({ code: code === 'ENOENT' ? 'not_found' : 'io', message }, { cause });
  }
}

/** Goes through all paths; a path that is not there costs its own line only. */
async function each(
  paths: string[],
  visit: (file: Named) => Promise<void>,
  missing: (path: string, failure: Failure) => Promise<void>,
): Promise<ExitCode> {
  let exit: ExitCode = EXIT.ok;
  for (const path of paths) {
    let files: Named[];
    try {
      files = await filesOf(path);
    } catch (error) {
      const failure = asFailure(error);
      await missing(path, failure);
      exit = failure.code === 'not_found' ? EXIT.notFound : EXIT.failed;
      continue;
    }
    for (const file of files) await visit(file);
  }
  return exit;
}

/**
 * `fold PATH…`: one JSON line a file, `{"file","state"[,"warnings"]}` or `{"file","error","detail"}`. The verdict is
 * the result, so a journal that cannot be folded is no failure of the command.
 */
export function foldCommand(paths: string[], screen: Console): Promise<ExitCode> {
  const line = (text: string) => screen.out(`${screen.shown ? safeJson(text) : text}\n`);
  const refused = (file: string, failure: Failure) =>
    line(JSON.stringify({ file, error: failure.code, detail: failure.message }));
  return each(
    paths,
    async ({ name, path }) => {
      if (screen.closed) return;
      let folded: Folded;
      try {
        folded = foldJournal(await bytesOf(path));
      } catch (error) {
        return refused(name, asFailure(error));
      }
      const warnings = folded.warnings.length > 0 ? `,"warnings":${JSON.stringify(folded.warnings)}` : '';
      await line(`{"file":${JSON.stringify(name)},"state":${stateText(folded.state)}${warnings}}`);
    },
    refused,
  );
}

/**
 * `recode FILE`: every record decoded and encoded again, to stdout. For a journal that this program or the reference
 * wrote the output has the file's exact bytes; on a screen, characters that would drive it are escaped. A torn tail is left out and named; damage ends it with exit 1.
 */
export async function recodeCommand(path: string, screen: Console): Promise<ExitCode> {
  const read = readJournal(await bytesOf(path));
  for (let from = 0; from < read.records.length && !screen.closed; from += 500) {
    const lines = Buffer.concat(read.records.slice(from, from + 500).map(encodeLine));
    if (screen.shown) await screen.out(safeJson(lines.toString('utf8')));
    else await screen.bytes(lines);
  }
  if (read.failure) throw read.failure;
  for (const warning of read.warnings) screen.err(`holdfast: ${withPlace(warning, warning.detail)}\n`);
  return EXIT.ok;
}

/** A detail with line and byte before it, unless it names them itself. */
const withPlace = ({ line, byte }: { line?: number; byte?: number }, detail: string): string =>
  line === undefined || detail.includes(`line ${line}`)
    ? oneLine(detail)
    : `line ${line}, byte ${byte ?? 0}: ${oneLine(detail)}`;

type Verdict = 'ok' | 'torn' | 'corrupt' | 'unreadable';

interface Verified {
  file: string;
  verdict: Verdict;
  /** Whole records that can be read. */
  records: number;
  code?: string;
  line?: number;
  byte?: number;
  detail?: string;
  /** Oddities that a fold passes over: gaps, orphans, doubles. */
  warnings?: RunWarning[];
  /** What is not as it was written in the notes beside it. */
  notes?: NotesDamage[];
  /** Where records differ from the published schemas; only if that was asked for. */
  schema?: { line: number; message: string }[];
}

export interface VerifyFlags {
  json?: boolean;
  schema?: boolean;
}

// Damage at the end, which a crash explains and the next append mends.
const TORN = new Set(['torn_tail', 'bad_last_line', 'missing_newline']);

async function verify({ name, path }: Named, check: SchemaCheck | undefined): Promise<Verified> {
  let read: JournalRead;
  let bytes: Uint8Array;
  try {
    bytes = await bytesOf(path);
    read = readJournal(bytes);
  } catch (error) {
    const { code, message } = asFailure(error);
    return { file: name, verdict: 'unreadable', records: 0, code, detail: message };
  }
  const { failure, odd } = foldedOrFailure(read);
  const tail = read.warnings.find(({ code }) => TORN.has(code));
  const warnings = [...odd, ...read.warnings.filter((warning) => warning !== tail)];
  const reason = failure
    ? { code: failure.code, line: 1, byte: 0, ...where(failure.data ?? {}), detail: failure.message }
    : tail && { code: tail.code, ...where(tail), detail: tail.detail };
  const line = reason?.line ?? 1;
  const notes = await damagedNotes(path);
  return {
    file: name,
    verdict: verdictOf(failure?.code, tail),
    records: failure ? read.places.filter((place) => place.line < line).length : read.records.length,
    ...reason,
    ...(warnings.length > 0 && { warnings }),
    ...(notes && { notes }),
    ...(check && { schema: schemaOf(bytes, read, check) }),
  };
}

/** undefined: there is none, or there are no notes that can be read. */
async function damagedNotes(path: string): Promise<NotesDamage[] | undefined> {
  if (!path.endsWith('.json')) return undefined;
  const text = await readFile(path.replace(/\.json$/, '.aux.jsonl'), 'utf8').catch(() => '');
  return readSidecar(text.split('\n'), undefined).damage;
}

const NOTES_DAMAGE: Record<NotesDamage['what'], string> = {
  changed: 'this line changed after Holdfast wrote it, so it no longer counts',
  missing: 'the line that Holdfast wrote before this one is missing',
};

type SchemaCheck = (line: string) => string[];

function schemaOf(
  bytes: Uint8Array,
  { places }: JournalRead,
  check: SchemaCheck,
): NonNullable<Verified['schema']> {
  return places.flatMap(({ line, offset, bytes: length }) =>
    check(Buffer.from(bytes.subarray(offset, offset + length)).toString('utf8')).map((message) => ({
      line,
      message,
    })),
  );
}

function foldedOrFailure(read: JournalRead): { failure?: Failure; odd: RunWarning[] } {
  if (read.failure) return { failure: read.failure, odd: [] };
  try {
    return { odd: foldRecords(read.records, read.places).warnings };
  } catch (error) {
    return { failure: asFailure(error), odd: [] };
  }
}

function verdictOf(code: string | undefined, tail: RunWarning | undefined): Verdict {
  if (code === undefined) return tail ? 'torn' : 'ok';
  // A whole line that is no record was not cut off: something else was written there.
  if (code === 'empty') return tail?.code === 'bad_last_line' ? 'corrupt' : 'torn';
  return code === 'version' ? 'unreadable' : 'corrupt';
}

const where = ({ line, byte }: { line?: unknown; byte?: unknown }): { line?: number; byte?: number } => ({
  ...(typeof line === 'number' && { line }),
  ...(typeof byte === 'number' && { byte }),
});

/**
 * `verify PATH…`: for each file `ok`, `torn` (an unfinished end, as a crash leaves it; nothing whole is lost),
 * `corrupt` (damage inside) or `unreadable` (another version, no permission), with line and byte. Exit 1 if any is
 * corrupt or unreadable (damaged notes are told, and a run does without them), or if a record differs from its schema and `schema` was asked for.
 */
export async function verifyCommand(
  paths: string[],
  { json = false, schema = false }: VerifyFlags,
  screen: Console,
): Promise<ExitCode> {
  const check = schema ? (await import('../library/schemas')).schemaProblems : undefined;
  let damaged = false;
  const show = async (result: Verified) => {
    if (result.verdict === 'corrupt' || result.verdict === 'unreadable') damaged = true;
    if (result.schema && result.schema.length > 0) damaged = true;
    if (json) return screen.out(`${jsonLine(result)}\n`);
    const detail = result.detail === undefined ? '' : `: ${withPlace(result, result.detail)}`;
    await screen.out(
      `${result.verdict} ${oneLine(result.file)} (${plural(result.records, 'record')})${detail}\n`,
    );
    for (const { line, message } of result.schema ?? [])
      await screen.out(`  schema: line ${line}: ${oneLine(message)}\n`);
    for (const { line, what } of result.notes ?? [])
      await screen.out(`  notes: line ${line}: ${NOTES_DAMAGE[what]}\n`);
    for (const warning of result.warnings ?? [])
      await screen.out(`  ${warning.code}: ${withPlace(warning, warning.detail)}\n`);
  };
  const exit = await each(
    paths,
    async (file) => show(await verify(file, check)),
    (path, failure) => {
      if (json)
        return screen.out(
          `${jsonLine({ file: path, verdict: 'unreadable', records: 0, code: failure.code, detail: failure.message })}\n`,
        );
      screen.err(`holdfast: ${oneLine(failure.message)}\n`);
      return Promise.resolve();
    },
  );
  return damaged ? EXIT.failed : exit;
}
