import type { permissionCommands } from '../../shared/contract/permissions';
import type { Handlers } from '../../shared/contract/serve';
import { permittedAddresses } from './address-of';
import { ENTERED } from './addresses';
import type { Services } from './app';

/** What the person allowed, and what is being asked. */
export function permissionHandlers(services: Services): Pick<Handlers, keyof typeof permissionCommands> {
  const { door, profiles, folders, addresses } = services;
  const permitted = async () => permittedAddresses((await profiles.all()).profiles, addresses);
  return {
    'permissions.list': async () => {
      const { folders: paths, sample } = folders.recent();
      return {
        asking: door.questions?.() ?? [],
        addresses: (await permitted()).map(({ id, address: { origin, key }, profiles: names }) => ({
          id,
          origin,
          ...(key === ENTERED ? { entered: true } : key !== undefined && { key }),
          profiles: names,
        })),
        folders: paths.map((path) => ({ path, sample: path === sample })),
      };
    },
    'permissions.decline': ({ question }) => {
      door.decline?.(question);
      return { done: true };
    },
    'permissions.revoke': async ({ what, target }) => {
      if (what === 'folder') return { done: await folders.revoke(target) };
      const found = (await permitted()).find(({ id }) => id === target);
      if (found) await addresses.revoke(found.address);
      return { done: found !== undefined };
    },
  };
}
