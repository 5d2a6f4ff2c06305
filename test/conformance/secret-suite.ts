import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NewSecret, SecretStore } from '../../src/main/settings/secrets/secret-store';
import { failureOf } from '../support/wait';

export interface SecretBench {
  /** A store on the same place, as another start of the program would open it. */
  open(): SecretStore;
  /** Everything that the store wrote, as text, with the names of files. */
  written(): string;
  /** Makes the next reads fail, as a locked keychain or a broken disk does; gives back what mends it. */
  breakReads(): () => void;
  /** Makes the system never answer again. Absent: it cannot happen here. */
  hang?(): void;
  close(): void;
}

const VALUE = 'sk-canary-0123456789-abcdWXYZ';
const secret = (more: Partial<NewSecret> = {}): NewSecret => ({
  kind: 'key',
  service: 'https://api.example.org',
  value: VALUE,
  uses: ['Work'],
  keep: 'disk',
  ...more,
});

/** What every place for secrets has to promise; `readable`: the values may be found in what is written (0600). */
export function secretSuite(
  name: string,
  setup: () => SecretBench,
  { readable }: { readable: boolean },
): void {
  describe(`secrets: ${name}`, () => {
    let bench: SecretBench;
    let store: SecretStore;
    beforeEach(() => {
      bench = setup();
      store = bench.open();
    });
    afterEach(() => bench.close());

    it('are there again after a restart, listed without their values, with the last four characters', async () => {
      const { id } = await store.put(secret());
      const again = bench.open();
      expect(await again.get(id)).toBe(VALUE);
      const [entry] = await again.list();
      expect(entry).toMatchObject({
        id,
        service: 'https://api.example.org',
        uses: ['Work'],
        hint: 'WXYZ',
        where: 'disk',
      });
      expect(JSON.stringify(entry)).not.toContain('canary');
    });

    it('that are short show none of their characters', async () => {
      await store.put(secret({ value: 'hunter2', kind: 'password' }));
      expect((await store.list())[0]?.hint).toBe('');
    });

    it('of the session are nowhere on the disk and end with the process', async () => {
      const { id } = await store.put(secret({ keep: 'session' }));
      expect(await store.get(id)).toBe(VALUE);
      expect(bench.written()).not.toContain(id);
      expect(bench.written()).not.toContain(Buffer.from(VALUE).toString('base64'));
      expect(await bench.open().get(id)).toBeUndefined();
      await store.change(id, { keep: 'disk' });
      expect(await bench.open().get(id)).toBe(VALUE);
      await store.change(id, { keep: 'session' });
      expect(await store.get(id)).toBe(VALUE);
      expect(bench.written()).not.toContain(id);
    });

    it('are replaced, used by others and removed', async () => {
      const { id } = await store.put(secret());
      await store.change(id, { value: 'another-value-0123456789' });
      expect(await bench.open().get(id)).toBe('another-value-0123456789');
      await store.change(id, { uses: ['Work', 'Home'] });
      expect(await bench.open().list()).toMatchObject([{ id, uses: ['Work', 'Home'], hint: '6789' }]);
      expect(await store.remove(id)).toBe(true);
      expect(await store.remove(id)).toBe(false);
      expect(await bench.open().list()).toEqual([]);
      expect((await failureOf(store.change(id, { uses: [] }))).code).toBe('not_found');
    });

    it('that change at the same time are all there afterwards, also through two processes', async () => {
      const other = bench.open();
      const made = await Promise.all(
        Array.from({ length: 12 }, (_, n) => (n % 2 ? store : other).put(secret({ uses: [`P${n}`] }))),
      );
      const all = await bench.open().list();
      expect(all.map(({ id }) => id).sort()).toEqual(made.map(({ id }) => id).sort());
    });

    it('that cannot be read are neither an empty store nor written over', async () => {
      const { id } = await store.put(secret());
      const mend = bench.breakReads();
      const again = bench.open();
      const failures = [
        await failureOf(again.get(id)),
        await failureOf(again.change(id, { keep: 'session' })),
      ];
      for (const failure of failures) expect(failure.code).toBe('secrets_unavailable');
      mend();
      expect(await bench.open().get(id)).toBe(VALUE);
    });

    it('are in no failure and no file in a form that can be read, unless the file’s mode is the protection', async () => {
      const { id } = await store.put(secret());
      const forms = [VALUE, Buffer.from(VALUE).toString('base64')];
      if (!readable) for (const form of forms) expect(bench.written()).not.toContain(form);
      bench.breakReads();
      const failure = await failureOf(bench.open().get(id));
      for (const form of forms) expect(JSON.stringify(failure.toJSON()) + failure.stack).not.toContain(form);
    });

    it('of a system that never answers fail within the limit, and nothing is half stored', async () => {
      const { id } = await store.put(secret());
      if (!bench.hang) return;
      bench.hang();
      const again = bench.open();
      expect((await failureOf(again.get(id))).code).toBe('secrets_unavailable');
      expect((await failureOf(again.put(secret({ uses: ['Other'] })))).code).toBe('secrets_unavailable');
      expect((await again.list()).map((entry) => entry.id)).toEqual([id]);
    });
  });
}
