import { useId, useState } from 'react';
import { Check } from 'lucide-react';
import { folded } from '../../../shared/text/fold';
import { looksLikeKey } from '../../../shared/secret-text';
import { Field, inputClass } from '../kit/field';
import { many } from '../kit/numbers';
import { Name } from '../kit/shown';
import s from './models.module.css';

/** Models that answer no chat; they come last. */
const OTHER_USES =
  /embed|whisper|tts|dall-e|moderation|rerank|transcri|image|audio|realtime|speech|guard|ocr|veo|imagen|sora/i;
const MOST_SHOWN = 200;

/** Those that fit every typed word, models for chats first. */
export function modelsFor(models: readonly string[], typed: string): string[] {
  const words = folded(typed).split(/\s+/).filter(Boolean);
  const fits = models.filter((model) => words.every((word) => folded(model).includes(word)));
  return [
    ...fits.filter((model) => !OTHER_USES.test(model)),
    ...fits.filter((model) => OTHER_USES.test(model)),
  ];
}

/** A list of models with a filter; a name that is not in it can be used as well. */
export function ModelPicker({
  label = 'Model',
  models,
  value,
  problem,
  onChange,
}: {
  label?: string;
  models: readonly string[];
  value: string;
  problem: string | undefined;
  onChange: (model: string) => void;
}) {
  const [typed, setTyped] = useState('');
  const [wrong, setWrong] = useState<string>();
  const list = useId();
  const found = modelsFor(models, typed);
  const own = typed.trim();
  const shown = found.slice(0, MOST_SHOWN);
  const choices = own !== '' && !models.includes(own) && found.length === 0 ? [own] : shown;
  const [at, setAt] = useState(0);
  const active = Math.min(at, choices.length - 1);
  const choose = (model: string | undefined) => model !== undefined && onChange(model);
  const move = (by: number) => {
    const next = Math.max(0, Math.min(choices.length - 1, active + by));
    setAt(next);
    document.getElementById(`${list}-${next}`)?.scrollIntoView({ block: 'nearest' });
  };
  return (
    <Field
      label={label}
      problem={wrong ?? problem}
      help={
        value !== '' ? (
          <>
            Chosen: <Name text={value} />
          </>
        ) : models.length > 0 ? (
          `${many(models.length, 'model')}. Type to filter, then choose one.`
        ) : (
          'Type the name that the service uses.'
        )
      }
    >
      {(ids) => (
        <div className={s['picker']}>
          <input
            {...ids}
            className={inputClass}
            value={typed}
            placeholder={models.length > 0 ? 'Filter' : 'Name of the model'}
            role="combobox"
            aria-expanded="true"
            aria-controls={list}
            aria-activedescendant={choices.length > 0 ? `${list}-${active}` : undefined}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => {
              const text = event.target.value;
              const key = looksLikeKey(text);
              setWrong(
                key ? 'That looks like a key, so it was not entered here. Paste it into Key.' : undefined,
              );
              if (key) return;
              setTyped(text);
              setAt(0);
              if (models.length === 0) onChange(text.trim());
            }}
            onKeyDown={(event) => {
              if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
                event.preventDefault();
                move(event.key === 'ArrowDown' ? 1 : -1);
              }
              if (event.key === 'Enter') {
                event.preventDefault();
                choose(choices[active]);
              }
            }}
          />
          {choices.length > 0 && (
            <ul id={list} role="listbox" aria-label="Models of this service" className={s['models']}>
              {choices.map((model, index) => (
                <li
                  key={model}
                  id={`${list}-${index}`}
                  role="option"
                  aria-selected={model === value}
                  data-active={index === active}
                  onMouseDown={(event) => event.preventDefault()}
                  onClick={() => {
                    setAt(index);
                    choose(model);
                  }}
                >
                  {found.length === 0 ? (
                    <>
                      Use “<Name text={model} />”
                    </>
                  ) : (
                    <Name text={model} />
                  )}
                  {model === value && <Check size="0.875rem" aria-hidden="true" />}
                </li>
              ))}
              {found.length > MOST_SHOWN && (
                <li className={s['more']} aria-hidden="true">
                  {found.length - MOST_SHOWN} more: type to filter
                </li>
              )}
            </ul>
          )}
        </div>
      )}
    </Field>
  );
}
