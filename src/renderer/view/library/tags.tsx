import { useEffect, useId, useState } from 'react';
import { Plus, Tag, X } from 'lucide-react';
import { TAG_LENGTH } from '../../../shared/contract/library';
import { call } from '../../client';
import { toastFailure } from '../../store/app';
import { changeTags, tagRuns, useTagging } from '../../store/runs';
import { Button } from '../kit/button';
import { Dialog } from '../kit/dialog';
import { Field, inputClass } from '../kit/field';
import { many } from '../kit/numbers';
import { Name } from '../kit/shown';
import { useUnsavedForm } from '../kit/unsaved';
import { limitedShort } from '../kit/limit';
import s from './tags.module.css';

/** The tags of a row, as many as there is room for. */
export function Tags({ tags, most = 2 }: { tags: readonly string[]; most?: number }) {
  if (tags.length === 0) return null;
  const rest = tags.length - most;
  return (
    <span className={s['tags']} title={tags.join(', ')}>
      <span className="sr">Tags: </span>
      {tags.slice(0, most).map((tag) => (
        <span key={tag} className={s['tag']}>
          <Name text={tag} />
        </span>
      ))}
      {rest > 0 && <span className={`${s['tag']} ${s['rest']}`}>+{rest}</span>}
    </span>
  );
}

/** Changes the tags of one run or of many. */
export function TagsDialog() {
  const ids = useTagging((state) => state.ids);
  if (!ids || ids.length === 0) return null;
  return <Change key={ids.join('\n').slice(0, 400)} ids={ids} />;
}

function Change({ ids }: { ids: readonly string[] }) {
  /** What the runs have now: a tag and how many of them have it. */
  const [have, setHave] = useState<{ value: string; count: number }[]>();
  const [known, setKnown] = useState<string[]>([]);
  const [add, setAdd] = useState<string[]>([]);
  const [remove, setRemove] = useState<string[]>([]);
  const [typed, setTyped] = useState('');
  const list = useId();
  useEffect(() => {
    let live = true;
    call('library.tags', { ids: [...ids] }).then(
      ({ tags }) => live && setHave(tags),
      (error: unknown) => live && toastFailure(error),
    );
    call('library.page', { offset: 0, limit: 1, facets: true }).then(
      ({ facets }) => live && setKnown(facets?.tags.map(({ value }) => value) ?? []),
      () => undefined,
    );
    return () => {
      live = false;
    };
  }, [ids]);
  const { leave, settled } = useUnsavedForm(
    add.length > 0 || remove.length > 0 || typed.trim() !== '',
    ids.length === 1 ? 'the tags' : `the tags of ${many(ids.length, 'run')}`,
  );
  const close = () => leave(() => tagRuns(undefined));
  const one = ids.length === 1;
  const there = new Set([
    ...(have ?? []).filter(({ count }) => count === ids.length).map(({ value }) => value),
  ]);

  /** What was typed, with commas between tags. */
  const take = (text: string): string[] => {
    const fresh = text
      .split(',')
      .map((tag) => tag.replace(/\s+/g, ' ').trim().slice(0, TAG_LENGTH))
      .filter((tag) => tag !== '' && !(there.has(tag) && !remove.includes(tag)));
    setRemove((before) => before.filter((tag) => !fresh.includes(tag)));
    const next = [...new Set([...add, ...fresh.filter((tag) => !there.has(tag))])];
    setAdd(next);
    setTyped('');
    return next;
  };
  const save = () => {
    const all = take(typed);
    settled();
    tagRuns(undefined);
    if (all.length > 0 || remove.length > 0) void changeTags(ids, all, remove);
  };
  const suggestions = known.filter((tag) => !there.has(tag) && !add.includes(tag)).slice(0, 50);
  const shown = (have ?? []).filter(({ value }) => !remove.includes(value) && !add.includes(value));

  return (
    <Dialog label={one ? 'Tags' : `Tags of ${many(ids.length, 'run')}`} size="s" onClose={close}>
      <form
        className={s['tagging']}
        onSubmit={(event) => {
          event.preventDefault();
          if (typed.trim() === '') save();
          else take(typed);
        }}
      >
        <ul aria-label="Tags" className={s['tag-list']}>
          {shown.map(({ value, count }) => (
            <Chip
              key={value}
              tag={value}
              note={one || count === ids.length ? '' : `${count} of ${ids.length}`}
              onRemove={() => setRemove([...remove, value])}
            />
          ))}
          {add.map((tag) => (
            <Chip
              key={`+${tag}`}
              tag={tag}
              note="new"
              onRemove={() => setAdd(add.filter((each) => each !== tag))}
            />
          ))}
        </ul>
        {have && shown.length + add.length === 0 && (
          <p className={s['tag-none']}>
            {one ? 'This run has no tags yet.' : 'None of these runs has a tag.'}
          </p>
        )}
        <Field label="Add a tag" help="Enter adds it. Commas separate several.">
          {(field) => (
            <div className={s['tag-add']}>
              <input
                {...field}
                className={inputClass}
                list={list}
                value={typed}
                data-first
                autoComplete="off"
                {...limitedShort('What you add at once', 300, typed, setTyped)}
              />
              <Button icon={<Plus size="1rem" />} disabled={typed.trim() === ''} onClick={() => take(typed)}>
                Add
              </Button>
            </div>
          )}
        </Field>
        <datalist id={list}>
          {suggestions.map((tag) => (
            <option key={tag} value={tag} />
          ))}
        </datalist>
        <div className={s['tag-actions']}>
          <Button look="ghost" onClick={close}>
            Cancel
          </Button>
          <Button look="primary" onClick={save}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function Chip({ tag, note, onRemove }: { tag: string; note: string; onRemove: () => void }) {
  return (
    <li className={s['chip']}>
      <Tag size="0.75rem" aria-hidden="true" />
      <Name text={tag} />
      {note && <small>{note}</small>}
      <button type="button" aria-label={`Remove ${tag}`} onClick={onRemove}>
        <X size="0.75rem" aria-hidden="true" />
      </button>
    </li>
  );
}
