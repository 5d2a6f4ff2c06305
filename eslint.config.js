import tseslint from 'typescript-eslint';
import hooks from 'eslint-plugin-react-hooks';

/** A folder fence: what code in `files` may not import, and where such code belongs instead. */
const fence = (files, rules, ignores = []) => ({
  files,
  ignores,
  rules: {
    'no-restricted-imports': ['error', { patterns: rules.map(([regex, message]) => ({ regex, message })) }],
  },
});

const node =
  '^(node:|fs$|fs/|path$|os$|crypto$|child_process$|worker_threads$|stream$|http$|https$|net$|url$|util$|events$|buffer$)';
const nodeInShared = [node, 'src/shared runs anywhere: code that needs Node belongs in src/main.'];
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
  '/shell/',
  'The core knows no door: composition roots (index, serve, cli) build doors in src/main/shell.',
];
const upFromShared = [
  '(^|/)(main|renderer|preload)/',
  'src/shared imports only itself and zod: move what both sides need here, and the rest to src/main or src/renderer.',
];
const mainInRenderer = [
  '(^|/)(main|preload)/',
  'The window reaches the main process only through src/shared/contract: add a command or an event there.',
];
const rendererInMain = [
  '(^|/)renderer/',
  'src/main never imports the window: shared code belongs in src/shared.',
];

export default tseslint.config(
  { ignores: ['out', 'dist', 'node_modules', '.cache', 'test-results', 'test/fixtures'] },
  ...tseslint.configs.recommended,
  {
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
  fence(['src/shared/**'], [nodeInShared, electron, nats, vendors, upFromShared]),
  fence(
    ['src/renderer/**'],
    [
      [node, 'The window has no Node: code that needs it belongs in src/main.'],
      electron,
      nats,
      vendors,
      mainInRenderer,
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
      [node, 'The preload is one closed channel: put Node code in src/main.'],
      ['(^|/)(main|renderer)/', 'The preload imports only electron and types of src/shared.'],
    ],
  ),
  fence(
    ['src/main/**'],
    [electron, nats, vendors, doors, rendererInMain],
    [
      'src/main/index.ts',
      'src/main/serve.ts',
      'src/main/shell/**',
      'src/main/model/**',
      'src/main/journal/jetstream/**',
    ],
  ),
  fence(['src/main/model/**'], [electron, nats, doors, rendererInMain]),
  fence(['src/main/journal/jetstream/**'], [electron, vendors, doors, rendererInMain]),
  fence(['src/main/shell/browser/**', 'src/main/serve.ts'], [electron, nats, vendors, rendererInMain]),
  fence(['src/main/shell/electron/**', 'src/main/index.ts'], [nats, vendors, rendererInMain]),
);
