import { ChevronDown, Database, Server, HardDrive } from 'lucide-react';
import { chooseStore, pickStore, useStores } from '../../store/stores';
import { go, useApp } from '../../store/app';
import { Button } from '../kit/button';
import { Menu, MenuItem, MenuLine } from '../kit/menu';
import { Name } from '../kit/shown';
import { stateWords } from './state';
import pick from '../chat/new-chat.module.css';

/** Where a new chat is kept; only there where there is a choice. */
export function StoreButton() {
  const stores = useStores((state) => state.stores);
  const wanted = useApp((state) => state.store);
  const store = pickStore(stores, wanted);
  if (stores.length < 2 || !store) return null;
  return (
    <Menu
      label="Store"
      trigger={
        <Button
          look="quiet"
          size="s"
          className={pick['pick'] ?? ''}
          aria-label={`Kept in: ${store.label}`}
          icon={<Database size="0.875rem" />}
        >
          <Name text={store.label} />
          <ChevronDown size="0.75rem" aria-hidden="true" />
        </Button>
      }
    >
      {stores.map((one) => (
        <MenuItem
          key={one.name}
          checked={one.name === store.name}
          icon={one.kind === 'nats' ? <Server size="0.875rem" /> : <HardDrive size="0.875rem" />}
          disabled={one.state !== 'ok' || !one.writable}
          hint={
            one.state !== 'ok'
              ? stateWords(one.state, one.reason)
              : one.writable
                ? one.durability === 'acknowledged'
                  ? 'Acknowledged by NATS'
                  : 'On disk'
                : 'Runs are only read there'
          }
          onSelect={() => chooseStore(one.name)}
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
