import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { builtInTools } from '../../../src/main/tool/registry';
import { closedTo, SAMPLE_NAME } from '../../../src/main/settings/own-folders';
import { tempFolder } from '../../support/folder';

const soak = process.env.HOLDFAST_SOAK !== undefined;
const LONG = soak ? 900_000 : 60_000;
const CANARY = 'canary-4711-secret';
const tools = builtInTools('practice').filter((tool) => tool.def.name !== 'wait');
const inputs = (tool: (typeof tools)[number], path: string) => {
  const all = {
    path,
    content: 'OVERWRITTEN',
    text: 'OVERWRITTEN',
    query: 'canary',
    edits: [{ old_text: 'canary', new_text: 'OVERWRITTEN' }],
  };
  const known = Object.keys(tool.def.input_schema.properties as object);
  return Object.fromEntries(Object.entries(all).filter(([key]) => known.includes(key)));
};
const run = (folder: string, tool: (typeof tools)[number], path: string) =>
  tool.run(inputs(tool, path), { folder, signal: new AbortController().signal });

function scene() {
  const outer = tempFolder({
    'outside/secret.txt': CANARY,
    'inside/ok/a.txt': 'fine',
    'inside-too/secret.txt': CANARY,
  });
  const folder = join(outer, 'inside');
  symlinkSync(join(outer, 'outside'), join(folder, 'out'));
  symlinkSync(join(outer, 'outside/secret.txt'), join(folder, 'leak.txt'));
  symlinkSync(join(outer, 'outside/none.txt'), join(folder, 'dangling'));
  symlinkSync('..', join(folder, 'ok/up'));
  symlinkSync('ok', join(folder, 'in'));
  const untouched = () =>
    readFileSync(join(outer, 'outside/secret.txt'), 'utf8') === CANARY &&
    readFileSync(join(outer, 'inside-too/secret.txt'), 'utf8') === CANARY &&
    readdirSync(join(outer, 'outside')).length === 1 &&
    readdirSync(join(outer, 'inside-too')).length === 1 &&
    readdirSync(outer).sort().join() === 'inside,inside-too,outside';
  return { outer, folder, untouched };
}

describe('the fence around the folder', () => {
  it('refuses names that lead out, by dots, roots, links or a sibling with the same beginning', async () => {
    const { outer, folder, untouched } = scene();
    const names = [
      '..',
      '../outside/secret.txt',
      'ok/../../outside/secret.txt',
      '../inside-too/secret.txt',
      join(outer, 'outside/secret.txt'),
      folder,
      '/etc/passwd',
      'out/secret.txt',
      'leak.txt',
      'out/new.txt',
      'dangling',
      'out',
      'ok/up/out/secret.txt',
      'C:\\x',
      '\\\\host\\share\\x',
      '//host/x',
      'a\0b',
      './../outside/secret.txt',
    ];
    for (const name of names)
      for (const tool of tools) {
        const { content, is_error } = await run(folder, tool, name);
        expect(content, `${tool.def.name} ${name}`).not.toContain('4711');
        expect(is_error, `${tool.def.name} ${name}`).toBe(true);
      }
    expect(untouched()).toBe(true);
  });

  it('follows links that stay inside, and writes to what they point to', async () => {
    const { folder } = scene();
    const by = (name: string) => tools.find((tool) => tool.def.name === name) ?? expect.fail();
    expect((await run(folder, by('read_file'), 'in/a.txt')).content).toBe('fine');
    expect((await run(folder, by('read_file'), 'ok/up/ok/a.txt')).content).toBe('fine');
    await run(folder, by('write_file'), 'in/b.txt');
    expect(readFileSync(join(folder, 'ok/b.txt'), 'utf8')).toBe('OVERWRITTEN');
  });

  it(
    'leaves nothing outside changed or shown, for generated names',
    async () => {
      const { folder, untouched } = scene();
      const piece = fc.constantFrom(
        '..',
        '.',
        '',
        'ok',
        'out',
        'in',
        'up',
        'leak.txt',
        'secret.txt',
        'a.txt',
        'outside',
        '%2e%2e',
        '\\',
        '..\\',
        '~',
        '\u2025',
        'new',
      );
      const name = fc.oneof(
        fc.array(piece, { maxLength: 7 }).map((parts) => parts.join('/')),
        fc.string({ maxLength: 20, unit: 'binary' }),
        fc.array(piece, { maxLength: 5 }).map((parts) => `/${parts.join('/')}`),
      );
      await fc.assert(
        fc.asyncProperty(name, fc.constantFrom(...tools), async (path, tool) => {
          const { content } = await run(folder, tool, path);
          expect(content).not.toContain('4711');
          expect(untouched()).toBe(true);
        }),
        { numRuns: soak ? 10_000 : 600 },
      );
    },
    LONG,
  );

  it(
    'holds while a folder is swapped for a link at every moment',
    async () => {
      const { outer, folder, untouched } = scene();
      const spot = join(folder, 'spot');
      let swapping = true;
      let swaps = 0;
      const turn = () => new Promise((resolve) => setImmediate(resolve));
      const swapper = (async () => {
        while (swapping) {
          // A tool may make the folder again in between; that round is then simply no swap.
          rmSync(spot, { recursive: true, force: true });
          try {
            symlinkSync(join(outer, 'outside'), spot);
            swaps++;
          } catch {
            continue;
          }
          await turn();
          rmSync(spot, { recursive: true, force: true });
          mkdirSync(spot, { recursive: true });
          writeFileSync(join(spot, 'secret.txt'), 'harmless');
          await turn();
        }
      })();
      // The mutant: looks first, then opens by name. The swapping must be quick enough to catch it.
      let leaks = 0;
      for (let i = 0; i < 20_000 && leaks === 0; i++) {
        const name = join(folder, 'spot/secret.txt');
        const real = await realpath(name).catch(() => '');
        if (!real.startsWith(`${folder}/`)) continue;
        if ((await readFile(name, 'utf8').catch(() => '')).includes('4711')) leaks++;
      }
      expect(leaks).toBe(1);
      const rounds = soak ? 1000 : 150;
      for (let i = 0; i < rounds; i++)
        for (const tool of tools) {
          const { content } = await run(folder, tool, 'spot/secret.txt');
          expect(content).not.toContain('4711');
        }
      swapping = false;
      await swapper;
      expect(swaps).toBeGreaterThan(10);
      expect(untouched()).toBe(true);
    },
    LONG,
  );

  it('answers instead of hanging on a pipe', async () => {
    const { folder } = scene();
    const { execFileSync } = await import('node:child_process');
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    for (const tool of tools.filter((one) => one.def.name !== 'list_files'))
      expect((await run(folder, tool, 'pipe')).content).toMatch(
        /plain file|not a folder|is missing|passed over|No matches/,
      );
  });

  it('keeps every tool out of Holdfast’s own folders, by whatever name, when the run works in a folder around them', async () => {
    const own = ['.config/holdfast', '.local/state/holdfast', 'Runs of mine'];
    const home = await realpath(
      tempFolder({
        '.config/holdfast/profiles.yaml': CANARY,
        '.local/state/holdfast/runs/a.json': CANARY,
        'Runs of mine/b.json': CANARY,
        [`.local/state/holdfast/${SAMPLE_NAME}/a.txt`]: 'sample',
        'Papers/a.txt': 'fine',
      }),
    );
    symlinkSync(join(home, '.config/holdfast'), join(home, 'Papers/settings'));
    const closed = closedTo([...own.map((folder) => join(home, folder)), join(home, 'not yet')]);
    const files = [
      '.config/holdfast/profiles.yaml',
      '.local/state/holdfast/runs/a.json',
      'Runs of mine/b.json',
    ];
    const names = [
      ...own,
      ...files,
      '.config/holdfast/new.yaml',
      '.local/state/holdfast/runs/deep/er/new.json',
      'Papers/settings/profiles.yaml',
      'Papers/../Runs of mine/c.json',
      'not yet/a.json',
    ];
    for (const tool of tools) {
      const call = (path: string) =>
        tool.run(inputs(tool, path), { folder: home, closed, signal: new AbortController().signal });
      for (const name of names) {
        const answer = await call(name);
        expect(answer, `${tool.def.name} ${name}`).toMatchObject({ is_error: true });
        expect(answer.content).not.toContain(CANARY);
      }
      // What these three do there is in tests of their own.
      if (['make_folder', 'move_path', 'delete_path'].includes(tool.def.name)) continue;
      // Around them all else goes on, and what lists or searches leaves them out.
      if (tool.def.name === 'edit_file') writeFileSync(join(home, 'Papers/a.txt'), 'canary');
      const around = await call(
        tool.def.name.includes('file') && tool.def.name !== 'list_files' ? 'Papers/a.txt' : '.',
      );
      expect(around.is_error ?? false, tool.def.name).toBe(false);
      expect(around.content).not.toContain(CANARY);
      expect(around.content).not.toContain('profiles.yaml');
    }
    for (const file of files) expect(readFileSync(join(home, file), 'utf8')).toBe(CANARY);
    expect(readdirSync(join(home, 'Runs of mine'))).toEqual(['b.json']);
    const sample = await tools[0]?.run(
      { path: `.local/state/holdfast/${SAMPLE_NAME}` },
      { folder: home, closed, signal: new AbortController().signal },
    );
    expect(sample?.is_error ?? false).toBe(true);
    const inSample = await tools[0]?.run(
      {},
      {
        folder: join(home, '.local/state/holdfast', SAMPLE_NAME),
        closed,
        signal: new AbortController().signal,
      },
    );
    expect(inSample?.content).toContain('a.txt');
  });
});
