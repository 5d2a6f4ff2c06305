import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { PROTOCOL } from '../../shared/run/record';
import type { RecordKind } from '../../shared/run/record';

/** Ids of the published schemas; their files are in resources/schemas. */
export const SCHEMA_ID = 'urn:holdfast:schema:v1:';
const COMMON = 'session.common';
const KINDS = Object.keys(PROTOCOL) as RecordKind[];
export const SCHEMA_FILES = [COMMON, ...KINDS.map((kind) => `session.${kind}`), 'run-export'];

/** The folder of the published schemas, next to the built program as next to its source. */
export function schemaFolder(from: string = dirname(fileURLToPath(import.meta.url))): string {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'resources', 'schemas');
    if (existsSync(join(candidate, `${COMMON}.json`))) return candidate;
    if (dirname(folder) === folder) throw new Error('The published schemas are not where the program is.');
  }
}

let compiled: Map<string, ValidateFunction> | undefined;

function validators(): Map<string, ValidateFunction> {
  if (compiled) return compiled;
  const folder = schemaFolder();
  const ajv = new Ajv2020({ allErrors: false, strict: true, allowUnionTypes: true });
  const schemas = SCHEMA_FILES.map(
    (name) => JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as { $id: string },
  );
  for (const schema of schemas) ajv.addSchema(schema);
  const made = new Map<string, ValidateFunction>();
  for (const { $id } of schemas) {
    const validate = ajv.getSchema($id);
    if (validate) made.set($id, validate);
  }
  return (compiled = made);
}

/** What a line of a journal breaks of the published schema of its kind; nothing where it keeps it. */
export function schemaProblems(line: string): string[] {
  let record: unknown;
  try {
    record = JSON.parse(line);
  } catch {
    return ['not JSON'];
  }
  const protocol = (record as { protocol?: unknown } | null)?.protocol;
  const kind = KINDS.find((each) => PROTOCOL[each] === protocol);
  return kind === undefined
    ? ['protocol: none of the five kinds of records']
    : problems(`session.${kind}`, record);
}

/** What an exported state breaks of its published schema. */
export const exportProblems = (value: unknown): string[] => problems('run-export', value);

function problems(name: string, value: unknown): string[] {
  const validate = validators().get(SCHEMA_ID + name);
  if (!validate) throw new Error(`There is no schema ${name}.`);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(told);
}

function told({ instancePath, message, params }: ErrorObject): string {
  const where = instancePath.slice(1).replaceAll('/', '.') || 'record';
  const extra = (params as { additionalProperty?: string; unevaluatedProperty?: string }) ?? {};
  const name = extra.additionalProperty ?? extra.unevaluatedProperty;
  return `${where}: ${message ?? 'not as described'}${name === undefined ? '' : ` ("${name}")`}`;
}
