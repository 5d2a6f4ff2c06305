import type { z } from '../../shared/zod';
import { isFailure } from '../../shared/run/failure';
import type { Tool, ToolContext, ToolOutcome } from './tool';
import { isCode, shown } from './folder';
import { stopIfAborted } from './stop';
import { shorten } from './text';

interface Plan<T> {
  name: string;
  description: string;
  /** JSON Schema of the input, exactly as the model sees it and the fingerprint hashes it. */
  schema: Record<string, unknown>;
  /** The same shape for checking. */
  input: z.ZodType<T>;
  changes: boolean;
  timeoutMs: number;
  describe(input: T): string;
  /** See `Tool.caution`. What it throws is left for `run` to find. */
  caution?(input: T, context: ToolContext): Promise<string | undefined>;
  /** May throw Failures and file errors: they become error results. */
  run(input: T, context: ToolContext): Promise<ToolOutcome>;
}

/** Makes a tool of its plan: input is checked before it runs, and mistakes become answers instead of exceptions. */
export function defineTool<T>(plan: Plan<T>): Tool {
  return {
    def: { name: plan.name, description: plan.description, input_schema: plan.schema },
    changes: plan.changes,
    timeoutMs: plan.timeoutMs,
    describe(input) {
      const read = plan.input.safeParse(input);
      return read.success
        ? plan.describe(read.data)
        : `${plan.name} ${shown(shorten(JSON.stringify(input) ?? '', 2000))}`;
    },
    async caution(input, context) {
      const read = plan.input.safeParse(input);
      return read.success ? plan.caution?.(read.data, context).catch(() => undefined) : undefined;
    },
    async run(input, context) {
      const read = plan.input.safeParse(input);
      if (!read.success) return error(`${plan.name} was not run: ${inputFaults(read.error)}`);
      try {
        stopIfAborted(context.signal);
        return await plan.run(read.data, context);
      } catch (cause) {
        return error(plainWords(cause));
      }
    },
  };
}

export const error = (content: string): ToolOutcome => ({ content, is_error: true });

function inputFaults(fault: z.ZodError): string {
  return fault.issues
    .map((issue) => {
      const where = issue.path.length ? `"${issue.path.join('.')}"` : 'the input';
      if (issue.code === 'unrecognized_keys')
        return `it has no parameter ${issue.keys.map((key) => `"${key}"`).join(', ')}.`;
      if (issue.code === 'invalid_type' && issue.input === undefined && issue.path.length)
        return /received undefined/.test(issue.message)
          ? `${where} is missing.`
          : `${where} must be ${named(issue.expected)}.`;
      if (issue.code === 'invalid_type') return `${where} must be ${named(issue.expected)}.`;
      return `${where}: ${issue.message}.`;
    })
    .join(' ');
}
const named = (type: string) =>
  ({ string: 'text', object: 'an object', boolean: 'true or false', int: 'a whole number' })[type] ??
  `a ${type}`;

const FILE_WORDS: [string, string][] = [
  ['ENOENT', 'There is no such file or folder.'],
  ['ENOTDIR', 'A part of this name is a file, not a folder.'],
  ['EISDIR', 'This is a folder, not a file.'],
  ['EACCES', 'The system does not allow this.'],
  ['EPERM', 'The system does not allow this.'],
  ['EROFS', 'This place can only be read.'],
  ['ENOSPC', 'The disk is full.'],
  ['EDQUOT', 'The disk quota is used up.'],
  ['ENAMETOOLONG', 'This name is too long.'],
  ['EMFILE', 'Too many files are open.'],
  ['ENXIO', 'This is not a plain file.'],
  ['EILSEQ', 'This name cannot be used here.'],
];

/** A thrown thing as a sentence that names no path of this machine. */
function plainWords(cause: unknown): string {
  if (isFailure(cause)) return cause.message;
  for (const [code, words] of FILE_WORDS) if (isCode(cause, code)) return words;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unexpected error';
  return `It did not work (${code}).`;
}
