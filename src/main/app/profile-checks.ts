import { Failure, isFailure } from '../../shared/run/failure';
import { addressHoldsKey, looksLikeKey } from '../../shared/secret-text';
import type { Profile } from '../settings/profile';

export const forAnother = () =>
  new Failure({
    code: 'forbidden',
    message: 'This key was entered for another address.',
    kept: 'It was not sent.',
    todo: 'Enter a key for this address.',
  });

/** The same address with the version that most services have in it; undefined when it has one. */
export function withVersion(endpoint: string | undefined): string | undefined {
  if (endpoint === undefined) return undefined;
  const url = new URL(endpoint);
  if (/\/v\d+\w*(\/|$)/.test(url.pathname)) return undefined;
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1`;
  return url.href;
}

/** The file of profiles is plain text that people share: a key that was pasted into the wrong field never gets there. */
export function refuseKeys(profile: Profile): void {
  const wrong = [
    looksLikeKey(profile.name) && 'name',
    looksLikeKey(profile.model) && 'model',
    profile.key_env !== undefined && looksLikeKey(profile.key_env) && 'environment variable',
    profile.endpoint !== undefined && addressHoldsKey(profile.endpoint) && 'endpoint',
  ].find((field) => field !== false);
  if (wrong === undefined) return;
  throw new Failure({
    code: 'bad_request',
    message: `The ${wrong} looks like a key. Keys have a field of their own.`,
    kept: 'Nothing was saved and nothing was sent.',
  });
}

export function checkedEndpoint(text: string): string {
  try {
    const url = new URL(text);
    if (addressHoldsKey(text))
      throw new Failure({
        code: 'bad_request',
        message: 'The address holds a password or a key. Keys have a field of their own.',
        kept: 'Nothing was sent.',
      });
    if (url.protocol === 'https:' || url.protocol === 'http:') return text;
  } catch (error) {
    if (isFailure(error)) throw error;
    // Told below.
  }
  throw new Failure({
    code: 'bad_request',
    message: 'The address of a service begins with https:// or http://.',
  });
}
