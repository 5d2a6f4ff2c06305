import { endpointOf } from '../model/endpoint';
import { keyVariable } from '../model/keys';
import type { Profile } from '../settings/profile';
import { addressId, ENTERED, type Address, type Addresses } from './addresses';

type Destination = Pick<Profile, 'provider' | 'endpoint' | 'key_env'>;

export const addressOf = (to: Destination): Address => ({
  origin: endpointOf(to).origin,
  key: keyVariable(to),
});
export const isSame = (a: Address, b: Address): boolean => addressId(a) === addressId(b);

const isLoopbackOrigin = (origin: string) =>
  /^https?:\/\/(127(\.\d+){3}|localhost|\[::1\])(:\d+)?$/.test(origin);

/** The service that the provider is named after with the key that is its own, and keyless servers of this machine. */
export function needsNoQuestion(to: Destination): boolean {
  const { origin, vendor, local } = endpointOf(to);
  const key = keyVariable(to);
  const own = keyVariable({ provider: to.provider, ...(to.endpoint && { endpoint: to.endpoint }) });
  return (vendor && key === own) || (local && isLoopbackOrigin(origin) && !key);
}

/** An address that was allowed or that a profile of the file names, for the person to look at and take back. */
export interface Permitted {
  id: string;
  address: Address;
  /** Names of the profiles that use it. */
  profiles: string[];
}

export function permittedAddresses(profiles: readonly Profile[], addresses: Addresses): Permitted[] {
  const all = new Map<string, Permitted>();
  const enter = (address: Address) => {
    const id = addressId(address);
    const entry = all.get(id) ?? { id, address, profiles: [] };
    all.set(id, entry);
    return entry;
  };
  for (const address of addresses.all) enter(address);
  for (const profile of profiles) {
    if (profile.provider === 'practice') continue;
    const address = addressOf(profile);
    const entered = { ...address, key: ENTERED };
    if (profile.key_env === undefined && addresses.allowsOneLike(entered))
      enter(entered).profiles.push(profile.name);
    else if (!needsNoQuestion(profile) && !addresses.isRevoked(address))
      enter(address).profiles.push(profile.name);
  }
  return [...all.values()];
}
