import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Versions } from '../../../src/main/settings/versions';
import { promptIn, systemText, toolsIn, toolsText } from '../../../src/shared/run/fingerprint';

let folder: string;
let versions: Versions;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-versions-'));
  versions = new Versions(join(folder, 'versions'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const hash = (text: string) => createHash('sha256').update(text).digest('hex');

it('keeps each text once, by its hash, for its owner only, and gives it back', async () => {
  const text = systemText(['Grüße & <b>"fine"</b> 😀\n\u2028']);
  await versions.keep([text, text, 'other']);
  await versions.keep([text]);
  expect(versions.text(hash(text))).toBe(text);
  expect(versions.count()).toEqual({ versions: 2, bytes: Buffer.byteLength(text) + 5 });
  for (const name of readdirSync(versions.folder))
    expect(statSync(join(versions.folder, name)).mode & 0o777).toBe(0o600);
  expect(statSync(versions.folder).mode & 0o777).toBe(0o700);
});

it('tells when nothing is being written any more, so that nothing is written once the program closed', async () => {
  void versions.keep(['one', 'two']);
  await versions.idle();
  expect([versions.text(hash('one')), versions.text(hash('two'))]).toEqual(['one', 'two']);
});

it('trusts no file whose text is another one, reads nothing beside it, and keeps the right text again', async () => {
  await versions.keep(['right']);
  writeFileSync(join(versions.folder, hash('right')), 'wrong');
  writeFileSync(join(folder, 'beside'), 'x');
  expect(versions.text(hash('right'))).toBeUndefined();
  expect(versions.text('../beside')).toBeUndefined();
  expect(versions.text('')).toBeUndefined();
  await versions.keep(['right']);
  expect(versions.text(hash('right'))).toBe('right');
});

it('is cleared, and losing or never having it is no failure', async () => {
  expect(versions.count()).toEqual({ versions: 0, bytes: 0 });
  await versions.keep(['a', 'b']);
  versions.clear();
  expect(versions.count()).toEqual({ versions: 0, bytes: 0 });
  expect(versions.text(hash('a'))).toBeUndefined();
  writeFileSync(join(folder, 'file'), '');
  await new Versions(join(folder, 'file', 'no')).keep(['a']);
});

it('reads prompts and tools out of the hashed texts, and nothing out of others', () => {
  const tools = [{ name: 'a', description: 'does <a>', input_schema: { type: 'object', b: [1], a: null } }];
  expect(toolsIn(toolsText(tools))).toEqual(tools);
  expect(promptIn(systemText(['one\n', 'two']))).toBe('one\n\n\ntwo');
  for (const text of ['', '{}', '[1]', 'null', '[{"Name":1}]', '[{"Name":"a"}]']) {
    expect(promptIn(text === '[1]' ? text : `${text} `)).toBeUndefined();
    expect(toolsIn(text)).toBeUndefined();
  }
});
