import { ChevronDown, Database, Unplug } from 'lucide-react';
import { go } from '../../store/app';
import { setFilter, useLibrary } from '../../store/library';
import { Menu, MenuItem, MenuLine } from '../kit/menu';
import { many } from '../kit/numbers';
import { Name, Shown } from '../kit/shown';
import { awayWords, stateWords, StoreDot } from '../stores/state';
import s from '../stores/stores.module.css';

/** Whose runs the list shows; only there where there is more than one store. */
export function StoreFilter() {
  const { stores, store, all } = useLibrary();
  if (stores.length < 2) return null;
  const chosen = stores.find((one) => one.name === store);
  return (
    <Menu
      label="Runs of"
      trigger={
        <button type="button" className={s['filter']} aria-label={`Store: ${chosen?.label ?? 'All stores'}`}>
          <Database size="0.8125rem" aria-hidden="true" />
          {chosen ? <Name text={chosen.label} /> : 'All stores'}
          <ChevronDown size="0.75rem" aria-hidden="true" />
        </button>
      }
    >
      <MenuItem checked={!chosen} hint={many(all, 'run')} onSelect={() => setFilter({ store: undefined })}>
        All stores
      </MenuItem>
      {stores.map((one) => (
        <MenuItem
          key={one.name}
          checked={one.name === store}
          icon={<StoreDot state={one.state} />}
          hint={one.state === 'ok' ? many(one.count, 'run') : stateWords(one.state, one.reason)}
          onSelect={() => setFilter({ store: one.name })}
        >
          <Name text={one.label} />
        </MenuItem>
      ))}
      <MenuLine />
      <MenuItem icon={<Database size="1rem" />} onSelect={() => go({ view: 'stores' })}>
        Stores…
      </MenuItem>
    </Menu>
  );
}

/** Stores that are not reached: a list without their runs must not look whole. */
export function AwayStores() {
  const { stores, store } = useLibrary();
  const away = stores.filter(
    (one) => one.state === 'unreachable' && (store === undefined || store === one.name),
  );
  if (away.length === 0) return null;
  return (
    <ul className={s['unreached']} aria-label="Stores that are not reached">
      {away.map((one) => (
        <li key={one.name}>
          <button type="button" onClick={() => go({ view: 'stores', name: one.name })}>
            <Unplug size="0.875rem" aria-hidden="true" />
            <span>
              <b>
                <Name text={one.label} /> {awayWords(one.reason)}
              </b>
              <small>
                {one.reason ? <Shown text={one.reason.message} prose /> : 'Trying again.'}
                {one.count > 0 && ` Shown: ${many(one.count, 'run')} as last seen.`}
              </small>
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
