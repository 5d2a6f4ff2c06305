import tseslint from 'typescript-eslint';
import hooks from 'eslint-plugin-react-hooks';
import { builtinModules } from 'node:module';
import fenceRule from './scripts/fence-rule.mjs';

/**
 * A folder fence: what code in `files` may not import (static, dynamic or re-exported), and where such code belongs
 * instead. A file obeys the last fence that names it, so each lists all that hold for its folder.
 */
const fence = (files, fences, ignores = []) => ({
  files,
  ignores,
  rules: { 'holdfast/fence': ['error', ...fences.map(([pattern, message]) => ({ pattern, message }))] },
});

const builtin = `^node:|^(${builtinModules.filter((name) => !name.startsWith('_')).join('|')})$`;
const electron = [
  '^electron(/|$)',
  'Only src/main/shell/electron, src/main/index.ts and src/preload import electron: put window code in src/main/shell/electron and pass it inward.',
];
const nats = ['^nats$', 'The NATS client is used only in src/main/journal/jetstream.'];
const vendors = [
  '^(openai|@anthropic-ai/sdk)(/|$)',
  'A model vendor is known only to its adapter in src/main/model.',
];
const doors = [
  '(^|/)shell/',
  'The core knows no door: composition roots (index, serve) build doors in src/main/shell.',
];
const programs = [
  '^(node:)?child_process(/|$)',
  'Programs are started in src/main/program.ts only, which keeps keys and logins out of their environment.',
];
const window = ['(^|/)renderer/', 'src/main never imports the window: shared code belongs in src/shared.'];

const shared = [
  [builtin, 'src/shared runs anywhere: code that needs Node belongs in src/main.'],
  electron,
  nats,
  vendors,
  [
    '(^|/)(main|renderer|preload)/',
    'src/shared imports only itself and zod: move what both sides need here, and the rest to src/main or src/renderer.',
  ],
];

export default tseslint.config(
  { ignores: ['out', 'dist', 'node_modules', '.cache', 'test-results', 'test/fixtures'] },
  ...tseslint.configs.recommended,
  {
    plugins: { holdfast: { rules: { fence: fenceRule } } },
    rules: {
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/consistent-type-imports': 'error',
      'no-console': 'error',
      eqeqeq: 'error',
    },
  },
  {
    files: ['scripts/**', 'test/**', 'src/main/cli/**', 'src/main/serve.ts'],
    rules: { 'no-console': 'off' },
  },
  fence(
    ['src/shared/**'],
    [
      ...shared,
      [
        '^(?!\\.|zod(/|$))',
        'src/shared imports only itself and zod: code that needs a package belongs in src/main or src/renderer.',
      ],
    ],
  ),
  fence(
    ['src/shared/markdown/**'],
    [
      ...shared,
      [
        '^(?!\\.|(micromark|mdast|unist|hast)(-|/|$))',
        'src/shared/markdown imports only itself and what Markdown is parsed with: both sides read the same dialect.',
      ],
    ],
  ),
  fence(
    ['src/renderer/**'],
    [
      [builtin, 'The window has no Node: code that needs it belongs in src/main.'],
      electron,
      nats,
      vendors,
      [
        '(^|/)(main|preload)/',
        'The window reaches the main process only through src/shared/contract: add a command or an event there.',
      ],
    ],
  ),
  {
    files: ['src/renderer/**/*.{ts,tsx}'],
    plugins: { 'react-hooks': hooks },
    rules: hooks.configs.recommended.rules,
  },
  fence(
    ['src/preload/**'],
    [
      [builtin, 'The preload is one closed channel: put Node code in src/main.'],
      [
        '(^|/)(main|renderer)/',
        'The preload imports only electron and src/shared: put the rest in src/main.',
      ],
      ['^(?!\\.|electron$)', 'The preload imports only electron and src/shared: put the rest in src/main.'],
    ],
  ),
  fence(
    ['src/main/**'],
    [electron, nats, vendors, doors, window, programs],
    [
      'src/main/program.ts',
      'src/main/index.ts',
      'src/main/serve.ts',
      'src/main/shell/**',
      'src/main/model/**',
      'src/main/journal/jetstream/**',
    ],
  ),
  fence(['src/main/program.ts'], [electron, nats, vendors, doors, window]),
  fence(['src/main/model/**'], [electron, nats, doors, window, programs]),
  fence(['src/main/journal/jetstream/**'], [electron, vendors, doors, window, programs]),
  fence(['src/main/shell/browser/**', 'src/main/serve.ts'], [electron, nats, vendors, window, programs]),
  fence(['src/main/shell/electron/**', 'src/main/index.ts'], [nats, vendors, window, programs]),
);
