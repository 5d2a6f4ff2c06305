import { randomBytes } from 'node:crypto';
import type { RunStore } from '../../../src/main/journal/journal';
import type { RunRecord } from '../../../src/shared/run/record';
import type { SidecarEntry } from '../../../src/shared/run/sidecar';
import { chatRecords } from '../../support/journal-records';

/** What an adapter's test file gives to the suite. */
export interface JournalSetup {
  store: RunStore;
  /** A second handle on the same place, as another process would have it. Absent: the place is this process's own. */
  reopen?(): Promise<RunStore>;
  /** Damages the middle of a run that nobody writes, so that it is `corrupt`. */
  corrupt?(id: string): Promise<void>;
  teardown(): Promise<void>;
}

export const at = '2026-07-20T09:08:07Z';
export const newId = (): string => `t${randomBytes(9).toString('hex')}`;
export const config = (profile: string): SidecarEntry => ({ kind: 'config', at, profile, folder: '/tmp/x' });
export const withoutBind = (entries: SidecarEntry[]): SidecarEntry[] =>
  entries.filter((entry) => entry.kind !== 'bind');

/** What every part of the suite works on; ready once the suite's own hook has run. */
export class Bench {
  #setup: JournalSetup | undefined;
  #other: RunStore | undefined;

  async begin(setup: JournalSetup): Promise<void> {
    this.#setup = setup;
    this.#other = setup.reopen ? await setup.reopen() : setup.store;
  }

  async end(): Promise<void> {
    if (this.#other !== this.#setup?.store) await this.#other?.close();
    await this.#setup?.teardown();
  }

  get store(): RunStore {
    return this.#setup!.store;
  }

  /** A second handle, where there can be one. */
  get other(): RunStore {
    return this.#other!;
  }

  get corrupt(): JournalSetup['corrupt'] {
    return this.#setup!.corrupt;
  }

  /** A closed run with these records. */
  async made(records: (id: string) => RunRecord[], id = newId()): Promise<string> {
    const [meta, ...rest] = records(id);
    const journal = await this.store.create(id, meta!);
    for (const record of rest) await journal.append(record);
    await journal.close();
    return id;
  }

  chat(length: number): Promise<string> {
    return this.made((id) => chatRecords(id, length));
  }
}
