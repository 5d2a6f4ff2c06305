import { readFile } from 'node:fs/promises';
import { LineCounter, parseDocument } from 'yaml';
import type { Document } from 'yaml';
import { modelPrice, type ModelPrice } from '../../shared/run/price';
import { Failure } from '../../shared/run/failure';
import { z } from '../../shared/zod';
import { replaceFile } from './replace-file';

/** Lies in the settings folder, beside the profiles. */
export const PRICES_FILE = 'prices.yaml';

const fileShape = z.strictObject({
  /** As it is shown behind a number: "USD", "€". */
  currency: z.string().min(1).max(12).default('USD'),
  models: z.array(modelPrice).max(200).default([]),
});

export interface PriceTable {
  currency: string;
  prices: ModelPrice[];
}

/** Reads the file, which need not exist. Never rejects for what is in it: `problem` says it, and nothing is priced. */
export async function loadPrices(path: string): Promise<PriceTable & { file: string; problem: string }> {
  try {
    const { currency, models } = (await read(path)).value;
    return { currency, prices: models, file: path, problem: '' };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { currency: 'USD', prices: [], file: path, problem: error.message };
  }
}

/**
 * Replaces the table; comments at the head of the file stay. `settings_broken` when the file cannot be read, and then it
 * stays as it is; `bad_request` for a model that is there twice.
 */
export async function savePrices({ currency, prices }: PriceTable, path: string): Promise<void> {
  const { document } = await read(path);
  const twice = prices.find(({ model }, n) => prices.findIndex((each) => each.model === model) !== n);
  if (twice)
    throw new Failure({
      code: 'bad_request',
      message: `There are two prices for "${twice.model}".`,
      kept: 'Nothing was changed.',
      todo: 'Keep one of them.',
    });
  document.set('currency', currency);
  document.set('models', document.createNode(prices));
  await replaceFile(path, document.toString({ lineWidth: 0 }));
}

async function read(path: string): Promise<{ document: Document; value: z.infer<typeof fileShape> }> {
  let text = '';
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'ENOENT' && code !== 'ENOTDIR')
      throw broken(path, error instanceof Error ? error.message : String(error));
  }
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const [mistake] = document.errors;
  if (mistake) {
    const { line, col } = lines.linePos(mistake.pos[0]);
    throw broken(path, mistake.message.split('\n')[0] ?? 'it is not YAML', { line, col });
  }
  let data: unknown;
  try {
    data = document.toJS() ?? {};
  } catch {
    throw broken(path, 'it holds references that lead nowhere');
  }
  const checked = fileShape.safeParse(data);
  if (checked.success) return { document, value: checked.data };
  const [issue] = checked.error.issues;
  const where = issue?.path.length ? `${issue.path.map(String).join('.')}: ` : '';
  throw broken(path, `${where}${issue?.message ?? 'it is not what a price file holds'}`);
}

const broken = (path: string, what: string, place?: { line: number; col: number }): Failure =>
  new Failure({
    code: 'settings_broken',
    message: `The price file cannot be used: ${place ? `line ${place.line}, column ${place.col}: ` : ''}${what}.`,
    kept: 'The file is as it was, and so is every run.',
    todo: `Mend ${path}, or move it away to begin anew.`,
    data: { path, ...place },
  });
