import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { defaultStoreUrl, openStore } from '../../../src/main/journal/registry';
import { failureOf } from '../../support/wait';

describe('The registry of stores', () => {
  it('opens a store by its scheme', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-registry-'));
    for (const url of [`file:${folder}/a b`, pathToFileURL(`${folder}/a b`).href]) {
      const store = await openStore(url);
      expect(store.url).toBe(`file:${folder}/a b`);
      expect(store.durability).toBe('disk');
      await store.close();
    }
    const store = await openStore('memory:');
    expect([store.url, store.durability]).toEqual(['memory:', 'memory']);
    await rm(folder, { recursive: true });
  });

  it('takes a folder as a person types it, but never the working directory itself', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-registry-'));
    const store = await openStore(`file:${relative(process.cwd(), folder)}`);
    expect(store.url).toBe(`file:${folder}`);
    expect((await failureOf(openStore('file:.'))).code).toBe('store_config');
    await rm(folder, { recursive: true });
  });

  it('names the schemes that exist when asked for another', async () => {
    for (const url of ['ftp://x', 'FILE:/x', 'nothing', '', '/abs/dir', 'constructor:', '__proto__:']) {
      const failure = await failureOf(openStore(url));
      expect(failure.code).toBe('store_unknown');
      expect(failure.todo).toMatch(/file:.*memory:/);
    }
  });

  it('refuses addresses that name no folder here', async () => {
    for (const url of ['file:', 'file://elsewhere/share/x'])
      expect((await failureOf(openStore(url))).code).toBe('store_config');
  });

  it('has a default that is a folder of the person, not of the place one is in', () => {
    vi.stubEnv('XDG_STATE_HOME', '/somewhere/state');
    try {
      expect(defaultStoreUrl()).toMatch(/^file:/);
      if (process.platform === 'linux') expect(defaultStoreUrl()).toBe('file:/somewhere/state/holdfast/runs');
    } finally {
      vi.unstubAllEnvs();
    }
  });
});
