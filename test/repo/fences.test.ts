import { ESLint } from 'eslint';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { project } from '../support/prerequisites';

const eslint = new ESLint({ cwd: project });

/** Messages of the fences for a file that imports `specifier`. */
async function crossed(file: string, code: string): Promise<string[]> {
  const [result] = await eslint.lintText(code, { filePath: join(project, file) });
  expect(result?.messages.filter(({ fatal }) => fatal)).toEqual([]);
  return (result?.messages ?? [])
    .filter(({ ruleId }) => ruleId === 'holdfast/fence')
    .map(({ message }) => message);
}
const importing = (specifier: string) => `import * as thing from '${specifier}';\nexport const it = thing;\n`;

/** file, what it must not import, and the home that the message names. */
const TRESPASSES: [file: string, specifier: string, home: RegExp][] = [
  ['src/shared/run/x.ts', 'node:fs', /src\/main/],
  ['src/shared/run/x.ts', 'crypto', /src\/main/],
  ['src/shared/contract/x.ts', 'electron', /src\/main\/shell\/electron/],
  ['src/shared/contract/x.ts', 'react', /src\/renderer/],
  ['src/shared/contract/x.ts', 'nats', /src\/main\/journal\/jetstream/],
  ['src/shared/run/x.ts', '../../main/journal/journal', /src\/main or src\/renderer/],
  ['src/shared/run/x.ts', '../../renderer/store/runs', /src\/main or src\/renderer/],
  ['src/shared/markdown/x.ts', 'react', /src\/shared\/markdown/],
  ['src/shared/run/x.ts', 'micromark', /src\/main or src\/renderer/],
  ['src/renderer/view/x.tsx', 'node:path', /src\/main/],
  ['src/renderer/view/x.tsx', 'electron', /src\/main\/shell\/electron/],
  ['src/renderer/view/x.tsx', 'openai', /src\/main\/model/],
  ['src/renderer/view/x.tsx', '../../main/agent/session', /src\/shared\/contract/],
  ['src/renderer/view/x.tsx', '../../preload/index', /src\/shared\/contract/],
  ['src/preload/x.ts', 'node:fs', /src\/main/],
  ['src/preload/x.ts', 'ws', /src\/main/],
  ['src/preload/x.ts', '../main/app', /src\/main/],
  ['src/main/agent/x.ts', 'electron', /src\/main\/shell\/electron/],
  ['src/main/agent/x.ts', 'openai', /src\/main\/model/],
  ['src/main/agent/x.ts', '@anthropic-ai/sdk/resources', /src\/main\/model/],
  ['src/main/agent/x.ts', 'nats', /src\/main\/journal\/jetstream/],
  ['src/main/agent/x.ts', '../shell/browser/server', /src\/main\/shell/],
  ['src/main/agent/x.ts', '../../renderer/client', /src\/shared/],
  ['src/main/cli/x.ts', '../shell/electron/window', /src\/main\/shell/],
  ['src/main/journal/file/x.ts', 'nats', /src\/main\/journal\/jetstream/],
  ['src/main/journal/jetstream/x.ts', 'openai', /src\/main\/model/],
  ['src/main/model/openai/x.ts', 'electron', /src\/main\/shell\/electron/],
  ['src/main/model/openai/x.ts', 'nats', /src\/main\/journal\/jetstream/],
  ['src/main/shell/browser/x.ts', 'electron', /src\/main\/shell\/electron/],
  ['src/main/serve.ts', 'electron', /src\/main\/shell\/electron/],
  ['src/main/shell/electron/x.ts', 'nats', /src\/main\/journal\/jetstream/],
  ['src/main/shell/electron/x.ts', 'node:child_process', /src\/main\/program\.ts/],
  ['src/main/shell/browser/x.ts', 'child_process', /src\/main\/program\.ts/],
  ['src/main/tool/x.ts', 'node:child_process', /src\/main\/program\.ts/],
  ['src/main/model/x.ts', 'node:child_process', /src\/main\/program\.ts/],
  ['src/main/journal/jetstream/x.ts', 'node:child_process', /src\/main\/program\.ts/],
];

const ALLOWED: [file: string, specifier: string][] = [
  ['src/main/program.ts', 'node:child_process'],
  ['src/shared/contract/x.ts', 'zod'],
  ['src/shared/contract/x.ts', '../run/record'],
  ['src/shared/markdown/x.ts', 'micromark-util-types'],
  ['src/shared/markdown/x.ts', 'mdast-util-from-markdown'],
  ['src/renderer/view/x.tsx', 'react'],
  ['src/renderer/view/x.tsx', '../../shared/contract/contract'],
  ['src/preload/x.ts', 'electron'],
  ['src/main/agent/x.ts', 'node:fs'],
  ['src/main/agent/x.ts', '../../shared/run/record'],
  ['src/main/model/openai/x.ts', 'openai'],
  ['src/main/journal/jetstream/x.ts', 'nats'],
  ['src/main/shell/electron/x.ts', 'electron'],
  ['src/main/index.ts', './shell/electron/window'],
  ['src/main/serve.ts', './shell/browser/server'],
];

describe('the import fences', () => {
  it.each(TRESPASSES)('stop %s from importing %s and name the right home', async (file, specifier, home) => {
    const messages = await crossed(file, importing(specifier));
    expect(messages).toHaveLength(1);
    expect(messages[0]).toMatch(home);
  });

  it.each(ALLOWED)('let %s import %s', async (file, specifier) => {
    expect(await crossed(file, importing(specifier))).toEqual([]);
  });

  it.each([
    ['a dynamic import', "export const it = () => import('node:fs');\n"],
    ['a re-export', "export * from 'node:fs';\n"],
    ['a named re-export', "export { readFile } from 'node:fs';\n"],
    ['a type import', "export type Stats = import('node:fs').Stats;\n"],
    ['an import for its effect', "import 'node:fs';\n"],
  ])('see %s as well', async (_, code) => {
    expect(await crossed('src/shared/run/x.ts', code)).toHaveLength(1);
  });
});
