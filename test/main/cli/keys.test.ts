import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { processConsole } from '../../../src/main/cli/console';
import { workbench } from '../../support/cli';

const KEY = 'sk-secret-0123456789-abcdWXYZ';
const YAML = `profiles:
  - name: Mine
    provider: openai
    model: m
    endpoint: https://models.example/v1
  - name: Variable
    provider: openai
    model: m
    endpoint: https://other.example/v1
    key_env: OTHER_KEY
`;
const STORES = `stores:
  - name: team
    url: nats://nats.example:4222/RUNS
    auth: { user: ada }
`;

function bench() {
  const made = workbench();
  writeFileSync(join(made.home, 'profiles.yaml'), YAML);
  writeFileSync(join(made.home, 'stores.yaml'), STORES);
  return made;
}

describe('holdfast keys', () => {
  it('saves what is typed unseen after a plain question, lists four characters of it, and removes it', async () => {
    const { run, home } = bench();
    const file = join(home, 'keys.json');
    const set = await run(['keys', 'set', 'Mine'], { answers: ['y', KEY] });
    expect(set.exit).toBe(0);
    expect(set.asked).toEqual(['Save it there? y or n: ', expect.stringContaining('https://models.example')]);
    expect(set.stderr).toContain(`saved without encryption in\n    ${file}`);
    expect(set.stderr).toContain('ends in WXYZ');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const list = await run(['keys'], { env: { OTHER_KEY: 'other-0123456789-EFGH' } });
    expect(list.stdout).toMatch(/https:\/\/models\.example +key +WXYZ +Mine +file/);
    expect(list.stdout).toMatch(/https:\/\/other\.example +key +EFGH +Variable +environment +OTHER_KEY/);
    // The question is for the first key; the next is only typed. The new one takes the place of the old.
    const again = await run(['keys', 'set', 'Mine'], { answers: ['sk-other-0123456789-other'] });
    expect(again.asked).toHaveLength(1);
    const [entry] = (await run(['keys', '--json'])).json<{ id: string; hint: string; uses: string[] }>();
    expect(entry).toMatchObject({ hint: 'ther', uses: ['Mine'] });
    for (const each of [set, list, again]) expect(each.stdout + each.stderr).not.toContain('0123456789');
    expect((await run(['keys', 'rm', 'Mine'])).exit).toBe(0);
    expect((await run(['keys', '--json'])).json()).toEqual([]);
    expect((await run(['keys', 'rm', 'Mine'])).exit).toBe(5);
  });

  it('saves nothing where the person says no, or where nobody agreed and nobody can be asked', async () => {
    const { run } = bench();
    expect((await run(['keys', 'set', 'Mine'], { answers: ['n'] })).exit).toBe(3);
    const piped = await run(['keys', 'set', 'Mine'], { input: KEY });
    expect(piped.exit).toBe(3);
    expect(piped.stderr).toContain('--unencrypted');
    expect((await run(['keys', '--json'])).json()).toEqual([]);
    expect((await run(['keys', 'set', 'Mine', '--unencrypted'], { input: `${KEY}\n` })).exit).toBe(0);
    expect((await run(['keys', '--json'])).json()).toMatchObject([{ hint: 'WXYZ' }]);
    expect((await run(['keys', 'set', 'Mine'], { input: '\n' })).exit).toBe(2);
  });

  it('never shows or takes a key that is written on the command line', async () => {
    const { run } = bench();
    for (const words of [
      ['keys', 'set', KEY],
      ['keys', 'set', 'Mine', KEY],
      ['keys', 'rm', KEY],
    ]) {
      const refused = await run(words, { answers: ['y', 'y'] });
      expect(refused.exit, words.join(' ')).not.toBe(0);
      expect(refused.stdout + refused.stderr).not.toContain('0123456789');
    }
    expect((await run(['keys', '--json'])).json()).toEqual([]);
  });

  it('says where a key is not needed or comes from a variable', async () => {
    const { run } = bench();
    const refused = async (name: string) =>
      (await run(['keys', 'set', name], { answers: ['y', KEY] })).stderr;
    expect(await refused('Practice')).toContain('needs no key');
    expect(await refused('Variable')).toContain('OTHER_KEY');
    expect(await refused('Nothing')).toContain('There is no profile called "Nothing"');
  });

  it('saves the password or token of a store, bound to its server', async () => {
    const { run, home } = bench();
    await run(['keys', 'set', 'team'], { answers: ['y', 'hush hush'] });
    await run(['keys', 'set', 'team', '--token'], { answers: ['token-0123456789-WXYZ'] });
    expect((await run(['keys', '--json'])).json()).toMatchObject([
      { kind: 'token', service: 'nats.example:4222', uses: ['team'], hint: 'WXYZ' },
    ]);
    expect(readFileSync(join(home, 'stores.yaml'), 'utf8')).toBe(STORES);
  });

  it('leaves a file that it cannot read as it is', async () => {
    const { run, home } = bench();
    const file = join(home, 'keys.json');
    writeFileSync(file, '{"version": 1, "secrets": {', { mode: 0o600 });
    expect((await run(['keys'])).stderr).toContain('cannot be read');
    expect((await run(['keys', 'set', 'Mine', '--unencrypted'], { input: KEY })).exit).toBe(1);
    expect(readFileSync(file, 'utf8')).toBe('{"version": 1, "secrets": {');
  });

  it('shows nothing of what is typed at a terminal, and gives up at Ctrl-C', async () => {
    const terminal = () => {
      const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin });
      const stderr = Object.assign(new PassThrough(), { isTTY: true });
      let shown = '';
      stderr.setEncoding('utf8').on('data', (text: string) => (shown += text));
      const screen = processConsole({ stdin, stdout: new PassThrough(), stderr });
      return { stdin, shown: () => shown, asked: screen.secret('The key: ') };
    };
    const typed = terminal();
    for (const character of `${KEY}!`) typed.stdin.write(character);
    typed.stdin.write('\u007f\r');
    expect(await typed.asked).toBe(KEY);
    expect(typed.shown()).toBe('The key: \n');
    const left = terminal();
    left.stdin.write('sk-half\u0003');
    expect(await left.asked).toBeUndefined();
    expect(left.shown()).toBe('The key: \n');
  });

  it('reads a key that is piped in, and no more than a key can be', async () => {
    const console = (text: string) =>
      processConsole({ stdin: Readable.from([text]), stdout: new PassThrough(), stderr: new PassThrough() });
    expect(await console(`${KEY}\n`).secret('?')).toBe(`${KEY}\n`);
    const { run } = bench();
    expect((await run(['keys', 'set', 'Mine', '--unencrypted'], { input: 'x'.repeat(90_000) })).exit).toBe(2);
  });
});
