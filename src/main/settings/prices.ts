import { modelPrice, type ModelPrice } from '../../shared/run/price';
import { Failure } from '../../shared/run/failure';
import { z } from '../../shared/zod';
import { replaceFile } from './replace-file';
import { readSettings } from './yaml-file';

/** Lies in the settings folder, beside the profiles. */
export const PRICES_FILE = 'prices.yaml';

const FILE = {
  called: 'The price file',
  shape: z.strictObject({
    /** As it is shown behind a number: "USD", "€". */
    currency: z.string().min(1).max(12).default('USD'),
    models: z.array(modelPrice).max(200).default([]),
  }),
  kept: 'The file is as it was, and so is every run.',
};

export interface PriceTable {
  currency: string;
  prices: ModelPrice[];
}

/** Reads the file, which need not exist. Never rejects for what is in it: `problem` says it, and nothing is priced. */
export async function loadPrices(path: string): Promise<PriceTable & { file: string; problem: string }> {
  try {
    const { currency, models } = (await readSettings(path, FILE)).value;
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
  const { document } = await readSettings(path, FILE);
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
