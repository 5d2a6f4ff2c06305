import type { Told } from '../kit/failure';
import type { CommandOutput } from '../../../shared/contract/contract';
import type { FailureCode } from '../../../shared/run/failure';
import { addressHoldsKey, looksLikeKey } from '../../../shared/secret-text';
import { baseAddress, SERVICES, serviceAt, type Service } from '../../../shared/services';
import { parseAddress } from '../../../shared/url';
import type { ToolInfo } from '../../store/profiles';
import { emptyForm, toolsOf, type Form } from '../profiles/form';

/** The logic of *Add a model*, without a window. */

export type Server = CommandOutput<'profiles.discover'>['servers'][number];

/** A name that no other profile has: "OpenAI", "OpenAI 2" … */
export function freeName(wanted: string, taken: ReadonlySet<string>): string {
  let name = wanted;
  for (let n = 2; taken.has(name); n++) name = `${wanted} ${n}`;
  return name;
}

/** The form of a new profile for a service, all of it good as it is but for key and model. */
export function formFor(service: Service, tools: readonly ToolInfo[], taken: ReadonlySet<string>): Form {
  return {
    ...emptyForm(tools),
    name: freeName(service.id === 'other' ? 'My model' : service.name, taken),
    provider: service.provider,
    endpoint: service.address,
    thinking: service.can.thinking === 'yes',
    tools: service.can.tools === 'no' ? [] : toolsOf(tools, service.provider),
  };
}

/** What is saved as the endpoint: nothing for the provider's own address, so that it stays the provider's own. */
export function savedEndpoint(form: Pick<Form, 'provider' | 'endpoint'>): string {
  const address = baseAddress(form.endpoint);
  if (address === undefined) return form.endpoint.trim();
  const own = SERVICES.find((one) => one.provider === form.provider && one.id === form.provider);
  if (own && baseAddress(own.address) === address) return '';
  return address;
}

/** Where a key of this form may be sent; empty while the address is none. */
export const originOf = (form: Pick<Form, 'endpoint'>): string =>
  parseAddress(baseAddress(form.endpoint) ?? '')?.origin ?? '';

/** Why an address cannot be used, for the person who typed it. */
export function addressProblem(typed: string): string | undefined {
  if (typed.trim() === '') return 'Enter the address of the service.';
  if (looksLikeKey(typed)) return 'That looks like a key. Enter it under Key.';
  const address = baseAddress(typed);
  if (address === undefined) return 'Enter an address such as https://api.example.com/v1.';
  if (addressHoldsKey(typed)) return 'Leave out the password or key. Keys have a field of their own.';
  return undefined;
}

/** Which field a failed test is about, so that it is shown there. */
export function fieldOf(
  failure: Pick<Told, 'code' | 'message' | 'data'>,
): 'key' | 'model' | 'endpoint' | undefined {
  const FIELDS: Partial<Record<FailureCode, 'key' | 'model' | 'endpoint'>> = {
    key_missing: 'key',
    model_auth: 'key',
    model_tls: 'endpoint',
    model_unreachable: 'endpoint',
  };
  if (failure.code === 'model_gone')
    return failure.data?.['field'] === 'endpoint' || /no model service/.test(failure.message)
      ? 'endpoint'
      : 'model';
  return FIELDS[failure.code];
}

/** Local servers that answered, each as the service that it is. */
export function localOffers(servers: readonly Server[]): { server: Server; service: Service }[] {
  const other = SERVICES.find((one) => one.id === 'other')!;
  return servers.map((server) => {
    const service =
      SERVICES.find((one) => one.name === server.name) ?? serviceAt('openai', server.endpoint) ?? other;
    return { server, service: { ...service, address: server.endpoint } };
  });
}

/** Ports that a person named, as "9000, 11500". Undefined: it is no list of ports. */
export function portsOf(typed: string): number[] | undefined {
  const words = typed.split(/[\s,;]+/).filter(Boolean);
  const ports = words.map((word) => Number(word.replace(/^:/, '')));
  return ports.every((port) => Number.isInteger(port) && port > 0 && port < 65_536) && words.length > 0
    ? ports.slice(0, 20)
    : undefined;
}
