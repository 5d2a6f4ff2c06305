import { useEffect, useState } from 'react';
import { Radar, Server as ServerIcon } from 'lucide-react';
import { SERVICES, type Service } from '../../../shared/services';
import { call } from '../../client';
import { loadKeys } from '../../store/keys';
import { useProfiles, discoverServers } from '../../store/profiles';
import { Button } from '../kit/button';
import { Field, inputClass } from '../kit/field';
import { many } from '../kit/numbers';
import { Name } from '../kit/shown';
import { localOffers, portsOf, type Server } from './add-model';
import { ServiceForm } from './service-form';
import s from './models.module.css';

/** From no model to a first chat with one: choose a service, connect it, choose a model. */
export function AddModel() {
  const servers = useProfiles((state) => state.servers);
  const [more, setMore] = useState<Server[]>([]);
  const [chosen, setChosen] = useState<{ service: Service; models: string[] }>();
  useEffect(discoverServers, []);
  useEffect(() => void loadKeys(), []);
  const offers = localOffers([
    ...servers,
    ...more.filter((one) => !servers.some((two) => two.endpoint === one.endpoint)),
  ]);
  const found = new Set(offers.map(({ service }) => service.id));
  if (chosen)
    return (
      <ServiceForm
        key={`${chosen.service.id} ${chosen.service.address}`}
        service={chosen.service}
        models={chosen.models}
        onBack={() => setChosen(undefined)}
      />
    );
  return (
    <section className={s['page']} aria-label="Add a model">
      <div className={s['head']}>
        <h2>Add a model</h2>
        <p>Choose where your model runs. For a service on the internet, you need a key from that service.</p>
      </div>
      {offers.length > 0 && (
        <ul className={s['services']} aria-label="Found on this computer">
          {offers.map(({ server, service }) => (
            <li key={server.endpoint}>
              <button
                type="button"
                className={s['service']}
                data-found=""
                onClick={() => setChosen({ service, models: server.models })}
              >
                <ServerIcon size="1rem" aria-hidden="true" />
                <b>
                  <Name text={server.name} />
                </b>
                <small>
                  Running on this computer ·{' '}
                  {server.models.length === 0 ? 'no model yet' : many(server.models.length, 'model')}
                </small>
              </button>
            </li>
          ))}
        </ul>
      )}
      <ul className={s['services']} aria-label="Services">
        {SERVICES.filter(({ id }) => !found.has(id) || id === 'other').map((service) => (
          <li key={service.id}>
            <button type="button" className={s['service']} onClick={() => setChosen({ service, models: [] })}>
              <b>{service.name}</b>
              <small>{hintOf(service)}</small>
            </button>
          </li>
        ))}
      </ul>
      <OtherPorts onFound={setMore} />
    </section>
  );
}

const hintOf = ({ id, key, ports }: Service): string =>
  id === 'other'
    ? 'Any OpenAI-compatible address'
    : ports
      ? 'On this computer or your network'
      : key === 'needed'
        ? 'With your key'
        : 'With or without a key';

/** Local servers on other ports than their usual ones. */
function OtherPorts({ onFound }: { onFound: (servers: Server[]) => void }) {
  const [typed, setTyped] = useState('');
  const [said, setSaid] = useState('');
  const [busy, setBusy] = useState(false);
  const ports = portsOf(typed);
  const look = async () => {
    if (!ports) {
      setSaid('Enter port numbers, such as 9000.');
      return;
    }
    setBusy(true);
    const { servers } = await call('profiles.discover', { ports }).catch(() => ({ servers: [] }));
    const there = servers.filter((server) => ports.includes(portOf(server.endpoint)));
    setBusy(false);
    setSaid(there.length === 0 ? 'No model server answers on this computer at this port.' : '');
    onFound(there);
  };
  return (
    <div className={s['ports']}>
      <Field
        label="Server on another port"
        help={said || 'Holdfast looks for servers on their usual ports by itself.'}
      >
        {(ids) => (
          <div className={s['with-button']}>
            <input
              {...ids}
              className={inputClass}
              inputMode="numeric"
              placeholder="9000"
              value={typed}
              onChange={(event) => {
                setTyped(event.target.value);
                setSaid('');
              }}
              onKeyDown={(event) => event.key === 'Enter' && void look()}
            />
            <Button icon={<Radar size="0.9375rem" />} disabled={busy} onClick={() => void look()}>
              Look
            </Button>
          </div>
        )}
      </Field>
    </div>
  );
}

const portOf = (endpoint: string): number =>
  Number(/:(\d+)/.exec(endpoint.replace(/^\w+:\/\/\[[^\]]*\]/, ''))?.[1]);
