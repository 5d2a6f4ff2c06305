import { useMemo } from 'react';
import { HardDrive, Server, ShieldAlert } from 'lucide-react';
import type { StoreView } from '../../../shared/contract/stores';
import { go } from '../../store/app';
import { useLibrary } from '../../store/library';
import { loadStores, useStores } from '../../store/stores';
import { FailureNote } from '../kit/failure';
import { many } from '../kit/numbers';
import { Name, Shown } from '../kit/shown';
import { SettingsPage } from '../profiles/settings-page';
import { Command, withoutCommand } from './checks';
import { StoreEditor } from './editor';
import { emptyForm, formOf } from './form';
import { StoreDot, stateWords } from './state';
import p from '../profiles/profiles.module.css';
import s from './stores.module.css';

/** The places that runs are kept in. `name` empty: a new one. */
export function Stores({ name }: { name: string | undefined }) {
  const { stores, file, problem, failure, ready } = useStores();
  const store = name === '' ? undefined : (stores.find((one) => one.name === name) ?? stores[0]);
  return (
    <SettingsPage
      title="Stores"
      file={file}
      entries={stores}
      keyOf={(one) => one.name}
      row={(one) => <StoreRow store={one} selected={one === store} />}
      add="Add a store"
      onAdd={() => go({ view: 'stores', name: '' })}
      failure={failure}
      problem={problem}
      onLookAgain={() => void loadStores()}
    >
      {ready && <Chosen key={store?.name ?? ''} store={store} />}
    </SettingsPage>
  );
}

function StoreRow({ store, selected }: { store: StoreView; selected: boolean }) {
  return (
    <button
      type="button"
      className={p['row']}
      aria-current={selected ? 'true' : undefined}
      onClick={() => go({ view: 'stores', name: store.name })}
    >
      <b>
        <StoreDot state={store.state} />
        <Name text={store.label} />
      </b>
      <small>
        {store.usual ? 'The usual store' : store.kind === 'file' ? 'Folder' : 'NATS stream'}
        {store.state !== 'ok' && ` · ${stateWords(store.state, store.reason)}`}
      </small>
    </button>
  );
}

function Chosen({ store }: { store: StoreView | undefined }) {
  const entry = store?.entry;
  const start = useMemo(() => (entry ? formOf(entry) : emptyForm), [entry]);
  if (!store) return <StoreEditor was={undefined} start={start} />;
  return (
    <div className={p['form']}>
      <Facts store={store} />
      {entry && <StoreEditor was={store.name} start={start} key={JSON.stringify(entry)} />}
    </div>
  );
}

/** How a store stands now, and what it promises. */
function Facts({ store }: { store: StoreView }) {
  const count = useLibrary((state) => state.stores.find((one) => one.name === store.name)?.count);
  const { reason } = store;
  const command = typeof reason?.data?.['command'] === 'string' ? reason.data['command'] : undefined;
  const Icon = store.kind === 'nats' ? Server : HardDrive;
  return (
    <section className={s['facts']} aria-label="How it stands">
      <div className={s['facts-head']}>
        <h2>
          <Name text={store.label} />
        </h2>
        <span className={s['state']} data-state={store.state} role="status">
          <StoreDot state={store.state} /> {stateWords(store.state, store.reason)}
        </span>
      </div>
      {reason && (
        <>
          <FailureNote
            tone="warn"
            failure={{
              ...reason,
              message: withoutCommand({ text: reason.message, command }),
              ...(reason.todo !== undefined && {
                todo: withoutCommand({ text: reason.todo, command }) || undefined,
              }),
            }}
          />
          {command !== undefined && <Command text={command} />}
        </>
      )}
      <dl>
        <dt>Address</dt>
        <dd>
          <code>
            <Shown text={store.url} />
          </code>
        </dd>
        {count !== undefined && (
          <>
            <dt>Holds</dt>
            <dd>
              {many(count, 'run')}
              {store.state !== 'ok' && ', as far as was last seen'}
            </dd>
          </>
        )}
        <dt>Promise</dt>
        <dd>
          <Icon size="0.875rem" aria-hidden="true" /> <span>{store.promise}</span>
        </dd>
        {store.caution !== undefined && (
          <>
            <dt>Worth knowing</dt>
            <dd>
              <ShieldAlert size="0.875rem" aria-hidden="true" />
              <span>{store.caution}</span>
            </dd>
          </>
        )}
        {store.oneProgram !== undefined && (
          <>
            <dt>Other programs</dt>
            <dd>{store.oneProgram}</dd>
          </>
        )}
        {!store.writable && (
          <>
            <dt>Writing</dt>
            <dd>Runs are only read here. Copy one into another store to go on with it.</dd>
          </>
        )}
      </dl>
    </section>
  );
}
