import { useState } from 'react';
import { Plus, Trash2 } from 'lucide-react';
import type { ModelPrice } from '../../../shared/run/price';
import type { FailureInfo } from '../../../shared/run/failure';
import { failureOf } from '../../client';
import { savePrices, type Prices } from '../../store/turns';
import { toast } from '../../store/app';
import { Button, IconButton } from '../kit/button';
import { Dialog } from '../kit/dialog';
import { FailureNote } from '../kit/failure';
import { Field, inputClass } from '../kit/field';
import { Name } from '../kit/shown';
import { useUnsavedForm } from '../kit/unsaved';
import { limitedShort } from '../kit/limit';
import s from './panel.module.css';

/** A row as its fields hold it. */
interface Draft {
  model: string;
  input: string;
  output: string;
  read: string;
  write: string;
}

const COLUMNS = [
  { key: 'input', label: 'In' },
  { key: 'output', label: 'Out' },
  { key: 'read', label: 'Cache, read' },
  { key: 'write', label: 'Cache, written' },
] as const;

const draftOf = (price: ModelPrice): Draft => ({
  model: price.model,
  input: String(price.input),
  output: String(price.output),
  read: price.cache_read === undefined ? '' : String(price.cache_read),
  write: price.cache_write === undefined ? '' : String(price.cache_write),
});
const blank = (model = ''): Draft => ({ model, input: '', output: '', read: '', write: '' });

/** A number as people write it, with a point or a comma; NaN for anything else. */
const numberOf = (text: string) =>
  /^\d+([.,]\d+)?$/.test(text.trim()) ? Number(text.trim().replace(',', '.')) : NaN;

/** The row as it is kept; undefined where a field is no number. */
function priceOf(draft: Draft): ModelPrice | undefined {
  const [input, output] = [numberOf(draft.input), numberOf(draft.output)];
  const [read, write] = [draft.read, draft.write].map((text) =>
    text.trim() === '' ? undefined : numberOf(text),
  );
  if ([input, output, read ?? 0, write ?? 0].some((value) => Number.isNaN(value) || value > 1_000_000))
    return undefined;
  return {
    model: draft.model.trim(),
    input,
    output,
    ...(read !== undefined && { cache_read: read }),
    ...(write !== undefined && { cache_write: write }),
  };
}

/** What models cost, written down once for all runs. */
export function PricesDialog({
  table,
  wanted,
  onClose,
}: {
  table: Prices;
  /** Models of the run at hand: they are offered where they have no price. */
  wanted: readonly string[];
  onClose: () => void;
}) {
  const [currency, setCurrency] = useState(table.currency);
  const [start] = useState<Draft[]>(() => {
    const known = table.prices.map(draftOf);
    const missing = [...new Set(wanted)].filter(
      (model) => model && !known.some((one) => one.model === model),
    );
    return [...known, ...missing.map(blank)];
  });
  const [drafts, setDrafts] = useState(start);
  const { leave, settled } = useUnsavedForm(
    currency !== table.currency || JSON.stringify(drafts) !== JSON.stringify(start),
    'the prices',
  );
  const close = () => leave(onClose);
  const [tried, setTried] = useState(false);
  const [failure, setFailure] = useState<FailureInfo>();
  const change = (at: number, part: Partial<Draft>) =>
    setDrafts(drafts.map((draft, n) => (n === at ? { ...draft, ...part } : draft)));
  // A row without numbers is no price yet, and is left out.
  const filled = drafts.filter((one) => `${one.input}${one.output}${one.read}${one.write}`.trim() !== '');
  const bad = (draft: Draft) => filled.includes(draft) && (draft.model.trim() === '' || !priceOf(draft));
  const save = async () => {
    setTried(true);
    if (drafts.some(bad) || currency.trim() === '') return;
    try {
      await savePrices({
        currency: currency.trim(),
        prices: filled.flatMap((draft) => priceOf(draft) ?? []),
      });
      toast({ tone: 'info', text: 'Prices are saved.' });
      settled();
      onClose();
    } catch (error) {
      setFailure(failureOf(error));
    }
  };
  return (
    <Dialog label="What models cost" size="l" onClose={close}>
      <form
        className={s['prices']}
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <p>
          Prices for a million tokens, from your provider’s price list. Without a price of their own, tokens
          of the cache cost as much as those that go in. Kept in <Name text={table.file} />.
        </p>
        <div className={s['currency']}>
          <Field label="Currency">
            {(ids) => (
              <input
                {...ids}
                className={inputClass}
                value={currency}
                {...limitedShort('A currency', 12, currency, setCurrency)}
              />
            )}
          </Field>
        </div>
        {drafts.map((draft, at) => (
          <div key={at} className={s['price']} role="group" aria-label={draft.model || 'A new price'}>
            <Field label="Model">
              {(ids) => (
                <input
                  {...ids}
                  className={inputClass}
                  value={draft.model}
                  aria-invalid={tried && bad(draft) && draft.model.trim() === ''}
                  {...limitedShort('A name', 200, draft.model, (model) => change(at, { model }))}
                />
              )}
            </Field>
            {COLUMNS.map(({ key, label }) => (
              <Field key={key} label={label}>
                {(ids) => (
                  <input
                    {...ids}
                    className={inputClass}
                    inputMode="decimal"
                    value={draft[key]}
                    aria-invalid={tried && bad(draft) && isWrong(draft, key)}
                    {...limitedShort('A price', 12, draft[key], (price) => change(at, { [key]: price }))}
                  />
                )}
              </Field>
            ))}
            <IconButton
              label={`Remove the price of ${draft.model || 'this model'}`}
              icon={<Trash2 size="1rem" />}
              onClick={() => setDrafts(drafts.filter((_, n) => n !== at))}
            />
          </div>
        ))}
        {tried && drafts.some(bad) && (
          <p role="alert">Each price needs a model, and numbers for in and out.</p>
        )}
        {failure && <FailureNote failure={failure} />}
        <div className={s['actions']}>
          <Button size="s" icon={<Plus size="0.875rem" />} onClick={() => setDrafts([...drafts, blank()])}>
            Another model
          </Button>
        </div>
        <div className={s['foot']}>
          <Button look="ghost" onClick={close}>
            Cancel
          </Button>
          <Button look="primary" type="submit">
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

const isWrong = (draft: Draft, key: (typeof COLUMNS)[number]['key']) =>
  Number.isNaN(numberOf(draft[key])) && (draft[key].trim() !== '' || key === 'input' || key === 'output');
