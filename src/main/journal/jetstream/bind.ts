import { parseAddress } from './address';
import type { NatsAddress, NatsAuth } from './address';
import { missingStream } from './config';
import type { ServerConfig } from './config';
import { ERR, refusalOf, refusedAccess, unavailable } from './failures';
import type { Link, LinkState } from './link';

export interface NatsOptions {
  /** Wins over what the address says. */
  auth?: NatsAuth;
  /** How long a write waits through an outage before the run ends at its last boundary. ms, default 60 s. */
  patienceMs?: number;
  /** The same for reads. ms, default 10 s. */
  readPatienceMs?: number;
  /** How long one acknowledgement is waited for before the stream is asked. ms, default 5 s. */
  ackMs?: number;
  /** How long the holder of a run is asked whether it lives. 0: never, and no run is ever `locked`. ms, default 1 s. */
  askMs?: number;
  /** Told whenever the connection is lost or comes back. */
  onState?: (state: LinkState) => void;
  /** false only in the tests that show what reading back is for. */
  readBack?: boolean;
  /** false only in the tests that show what the fence is for. */
  fence?: boolean;
  /** false only in those tests as well: the stream is taken as it is. */
  judge?: boolean;
}

/** The address with what the options say instead. Throws `store_config`. */
export function addressOf(url: string, options: NatsOptions): NatsAddress {
  const address = parseAddress(url);
  return { ...address, auth: { ...address.auth, ...options.auth } };
}

/** Settings and last sequence of the stream. Throws `store_config` when there is none, `store_unavailable`. */
export async function readStream(
  link: Link,
  address: NatsAddress,
): Promise<{ config: ServerConfig; last: number }> {
  try {
    const info = await link.race(link.manager.streams.info(address.stream));
    return { config: info.config, last: info.state.last_seq };
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal?.err === ERR.streamNotFound) throw missingStream(serverOf(address), address.stream);
    throw refusedAccess(error) ?? unavailable('JetStream does not answer for this account', error);
  }
}

/** How the `nats` tool is told which server. */
export const serverOf = (address: NatsAddress): string => `nats://${address.servers.join(',')}`;
