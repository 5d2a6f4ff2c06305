import { Failure } from '../../../shared/run/failure';
import { hintOf, type SecretEntry, type SecretStore } from './secret-store';

/** Secrets in variables that were set before Holdfast started; the id is the variable's name. Only read. */
export class EnvironmentSecrets implements SecretStore {
  readonly writable = false;

  constructor(
    private readonly env: Readonly<Record<string, string | undefined>>,
    /** Variables that may hold one, with the service that each belongs to. */
    private readonly variables: () => Promise<readonly { name: string; service: string; uses: string[] }[]>,
  ) {}

  async protection() {
    return 'environment' as const;
  }

  async list(): Promise<SecretEntry[]> {
    return (await this.variables()).flatMap(({ name, service, uses }) => {
      const value = this.env[name]?.trim();
      if (!value) return [];
      return [{ id: name, kind: 'key', service, uses, hint: hintOf(value), at: '', where: 'environment' }];
    });
  }

  async get(id: string): Promise<string | undefined> {
    return this.env[id]?.trim() || undefined;
  }

  put(): Promise<never> {
    return this.#refuse();
  }
  change(): Promise<never> {
    return this.#refuse();
  }
  remove(): Promise<never> {
    return this.#refuse();
  }

  async #refuse(): Promise<never> {
    throw new Failure({
      code: 'unsupported',
      message: 'Environment variables are set outside Holdfast.',
      kept: 'Nothing was changed.',
      todo: 'Change the variable where Holdfast is started, then start it again.',
    });
  }
}
