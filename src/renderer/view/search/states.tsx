import { BookOpenText, SearchX, TriangleAlert } from 'lucide-react';
import { useLibrary } from '../../store/library';
import { searchAgain, setScope, useSearch } from '../../store/search';
import { Button, Keys } from '../kit/button';
import { count, many } from '../kit/numbers';
import { Name, Shown } from '../kit/shown';
import s from './search.module.css';

/** Before anything is typed: what would be looked through, and how. */
export function Start() {
  const all = useLibrary((state) => state.all);
  const stores = useLibrary((state) => state.stores.length);
  return (
    <div className={s['blank']}>
      <Drawing icon={BookOpenText} />
      <h2>Find anything that was said</h2>
      <p>
        Prompts, answers, thinking, and what tools were asked and answered, in{' '}
        {all === 1 ? 'your run' : `all ${many(all, 'run')}`}
        {stores > 1 && ` of ${many(stores, 'store')}`}. Private chats are never searched.
      </p>
      <dl className={s['hints']}>
        <div>
          <dt>
            <code>&quot;words in quotes&quot;</code>
          </dt>
          <dd>stand together, in this order</dd>
        </div>
        <div>
          <dt>
            <Keys keys="down" /> <Keys keys="enter" />
          </dt>
          <dd>go through the results, open one</dd>
        </div>
        <div>
          <dt>
            <Keys keys="escape" />
          </dt>
          <dd>back to where you were</dd>
        </div>
      </dl>
    </div>
  );
}

export function NothingFound({ empty }: { empty: boolean }) {
  const { parts, store, building, failed } = useSearch();
  const narrowed = parts.length > 0 || store !== undefined;
  const reading = building.length > 0;
  const some = useLibrary((state) => state.stores.length > failed.filter(({ partly }) => !partly).length);
  return (
    <div className={s['blank']} role="status">
      <Drawing icon={SearchX} />
      <h2>
        {empty
          ? 'Nothing to look for yet'
          : reading
            ? 'Nothing found so far'
            : some
              ? 'Nothing has these words'
              : 'Nothing could be searched'}
      </h2>
      <p>
        {empty
          ? 'The search needs a letter or a digit; signs and emoji alone are not looked for.'
          : reading
            ? 'Runs are still being read. What turns up is shown here by itself.'
            : !some
              ? 'Why not stands above; the runs themselves are untouched.'
              : narrowed
                ? 'All words must stand in one text, and only some texts are looked through now.'
                : 'All words must stand in one text. Try fewer words, or the beginning of one.'}
      </p>
      {narrowed && !empty && (
        <Button size="s" onClick={() => setScope({ parts: [], store: undefined })}>
          Search everything
        </Button>
      )}
    </div>
  );
}

const Drawing = ({ icon: Icon }: { icon: typeof SearchX }) => (
  <span className={s['drawing']} aria-hidden="true">
    <Icon size="1.375rem" />
  </span>
);

/** How far the stores are read; without it what is found would look like all there is. */
export function Building() {
  const building = useSearch((state) => state.building);
  if (building.length === 0) return null;
  const done = building.reduce((sum, one) => sum + one.done, 0);
  const total = building.reduce((sum, one) => sum + one.total, 0);
  return (
    <div className={s['building']}>
      <div className={s['building-words']}>
        <b>{total === 0 ? 'Looking for what is new…' : `Reading ${many(total, 'run')} for the search`}</b>
        {total > 0 && <span className={s['numbers']}>{count(done)}</span>}
        <span className={s['note']}>What is found is right, but may not be all yet.</span>
      </div>
      <progress
        className={s['bar']}
        aria-label="Runs read for the search"
        max={Math.max(1, total)}
        value={done}
      />
    </div>
  );
}

/** Stores that are missing from what is found. */
export function Left() {
  const failed = useSearch((state) => state.failed);
  if (failed.length === 0) return null;
  return (
    <ul className={s['left']} aria-label="Stores that could not be searched">
      {failed.map(({ store, label, failure, partly }) => (
        <li key={store}>
          <TriangleAlert size="0.875rem" aria-hidden="true" />
          <span>
            <b>
              {partly ? 'Not all searched' : 'Not searched'}: <Name text={label} />
            </b>{' '}
            <Shown text={failure.message} prose />
          </span>
          <Button size="s" look="ghost" onClick={searchAgain}>
            Search again
          </Button>
        </li>
      ))}
    </ul>
  );
}
