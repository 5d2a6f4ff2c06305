import { expect, it } from 'vitest';
import { offerOf } from '../../src/renderer/view/profiles/offer';

it.each([
  ['key_missing', 'No key for api.openai.com.', 'key'],
  ['model_auth', 'The service does not accept the key.', 'key'],
  ['model_gone', 'There is no model "m".', 'model'],
  ['model_gone', 'There is no model service at this address.', 'endpoint'],
  ['model_request', 'The profile "Mine" names no model.', 'model'],
  ['model_request', 'The service refused the request.', undefined],
  ['model_unreachable', 'The server is away.', undefined],
  ['not_found', 'The folder is not there.', undefined],
] as const)('%s (%s) leads to %s', (code, message, field) => {
  expect(offerOf({ code, message })).toBe(field);
});
