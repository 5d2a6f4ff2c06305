import { mkdir, mkdtemp, readFile, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findAsset, readAsset } from '../../../src/main/shell/assets';
import { sampled } from '../../support/prerequisites';

const CANARY = 'canary: outside';
let base: string;
let root: string;

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'holdfast-assets-'));
  root = join(base, 'window');
  await mkdir(join(root, 'assets'), { recursive: true });
  await mkdir(join(base, 'window-2'));
  await mkdir(join(root, '.hidden'));
  const files: Record<string, string> = {
    'window/index.html': 'page',
    'window/assets/app-Ab3dE5_g.js': 'script',
    'window/assets/plain.css': 'style',
    'window/assets/noise.txt': CANARY,
    'window/.hidden/x.js': CANARY,
    'window-2/x.js': CANARY,
    'secret.js': CANARY,
    'secret.html': CANARY,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(base, name), text);
  await symlink(join(base, 'secret.js'), join(root, 'link.js'));
  await symlink(base, join(root, 'up'));
  await symlink(join(root, 'assets', 'plain.css'), join(root, 'inner.css'));
});
afterAll(() => rm(base, { recursive: true, force: true }));

describe('assets', () => {
  it('serves the page, its files, and links that stay inside', async () => {
    expect(Buffer.from((await readAsset(root, '/'))?.body ?? []).toString()).toBe('page');
    expect(await readAsset(root, '/index.html')).toMatchObject({
      type: 'text/html; charset=utf-8',
      frozen: false,
    });
    expect(await readAsset(root, '/assets/app-Ab3dE5_g.js')).toMatchObject({ frozen: true });
    expect(await readAsset(root, '/assets/plain.css')).toMatchObject({ frozen: false });
    expect(await readAsset(root, '/inner.css')).toBeDefined();
    expect(await readAsset(root, '/%61ssets/plain.css')).toBeDefined();
  });

  it.each([
    '/../secret.js',
    '/..%2fsecret.js',
    '/%2e%2e/secret.js',
    '/%2e%2e%2fsecret.js',
    '/assets/../../secret.js',
    '/assets/..%5c..%5csecret.js',
    '/..\\secret.js',
    '/../window-2/x.js',
    '//secret.js',
    '/link.js',
    '/up/secret.js',
    '/up/window-2/x.js',
    '/.hidden/x.js',
    '/assets/noise.txt',
    '/assets',
    '/assets/',
    '/index.html/',
    '/index.html%00.js',
    '/C:/secret.js',
    '/index.html::$DATA',
    '/%',
    '/%ff',
    '/%c0%ae%c0%ae/secret.js',
    '/\u0000',
    `/${'a'.repeat(5000)}.js`,
  ])('serves nothing for %s', async (path) => {
    expect(await readAsset(root, path)).toBeUndefined();
  });

  /** Asks for generated paths; what was found inside and outside the root. */
  async function probe(find: (root: string, path: string) => Promise<string | undefined>, runs: number) {
    const inside = new Set<string>();
    let [outside, tried] = [0, 0];
    await fc.assert(
      fc.asyncProperty(paths, async (text) => {
        tried++;
        const file = await find(root, text);
        if (file === undefined) return;
        inside.add(file);
        const real = await realpath(file).catch(() => undefined);
        if (real === undefined) return;
        const body = await readFile(real).catch(() => Buffer.alloc(0));
        if (!`${real}${sep}`.startsWith(`${root}${sep}`) || body.includes(CANARY)) outside++;
      }),
      { numRuns: runs, seed: 20 },
    );
    return { tried, inside, outside };
  }
  const piece = fc.constantFrom(
    ...[
      '..',
      '.',
      '...',
      '%2e%2e',
      '%2E.',
      '%252e%252e',
      '%5c',
      '%2f',
      '/',
      '//',
      '\\',
      '%00',
      '\u0000',
      '~',
      '',
    ],
    ...[
      'assets',
      'up',
      'link.js',
      'secret.js',
      'window-2',
      'x.js',
      'index.html',
      '.hidden',
      'inner.css',
      'C:',
    ],
    ...[
      'window',
      '%61ssets',
      'ASSETS',
      '%c0%af',
      '\u2215',
      '\uff0e\uff0e',
      ' ',
      '%20',
      'file:',
      '?',
      '#',
      ';',
    ],
  );
  const paths = fc
    .tuple(
      fc.array(fc.oneof(piece, fc.string({ maxLength: 4 })), { maxLength: 9 }),
      fc.constantFrom('/', '', '%2f'),
    )
    .map(([parts, glue]) => `/${parts.join(glue)}`);

  it('finds nothing outside its root, whatever path it is asked for', async ({ annotate }) => {
    const { tried, inside, outside } = await probe(findAsset, sampled(10_000, 200_000));
    await annotate(
      `protocol paths: ${tried} tried, ${inside.size} different files found, ${outside} outside the root`,
      'figures',
    );
    expect(outside).toBe(0);
    // The paths are not so odd that they never reach a file.
    expect(inside.size).toBeGreaterThan(1);
    expect((await readdir(base)).length).toBe(4);
  });

  it.each([
    ['trusts the URL', async (from: string, path: string) => join(from, safely(path))],
    [
      'compares the beginnings of names',
      async (from: string, path: string) => {
        const file = join(from, safely(path));
        return file.startsWith(from) ? file : undefined;
      },
    ],
  ])('would be caught if it were one that %s', async (_, mutant) => {
    expect((await probe(mutant, 3_000)).outside).toBeGreaterThan(0);
  });
});

/** Decoding that never throws, for the mutants. */
function safely(path: string): string {
  try {
    return decodeURIComponent(path).replaceAll('\u0000', '');
  } catch {
    return 'index.html';
  }
}
