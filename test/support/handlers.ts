import { commands, type CommandName } from '../../src/shared/contract/contract';
import type { Handlers } from '../../src/shared/contract/serve';

/** Handlers that note every call that got through, and answer with what `answers` says. */
export function notingHandlers(answers: Partial<Handlers> = {}): {
  handlers: Handlers;
  calls: { name: string; input: unknown }[];
} {
  const calls: { name: string; input: unknown }[] = [];
  const entries = (Object.keys(commands) as CommandName[]).map((name) => [
    name,
    (input: unknown, peer: unknown) => {
      calls.push({ name, input });
      const answer = answers[name] as ((input: unknown, peer: unknown) => unknown) | undefined;
      return answer ? answer(input, peer) : { done: true };
    },
  ]);
  return { handlers: Object.fromEntries(entries) as Handlers, calls };
}

/** An input that each command accepts. A new command without one fails the hostile tests, which go by this list. */
export const goodInputs: { [N in CommandName]: unknown } = {
  'app.hello': { window: 'w' },
  'library.page': {
    offset: 0,
    limit: 50,
    states: ['running'],
    needsYou: true,
    words: 'x',
    stores: ['team'],
    models: ['m'],
    tags: ['t'],
    from: '2026-01-01',
    to: '2026-12-31',
    pinned: true,
    sort: { by: 'title', up: true },
    facets: true,
  },
  'library.keys': { offset: 0, limit: 20_000, tags: ['t'] },
  'library.tags': { ids: ['a1', 'team.b2'] },
  'library.trash': { offset: 0, limit: 50 },
  'library.trashKeys': { offset: 0, limit: 20_000 },
  'library.emptyTrash': { total: 3 },
  'runs.label': { ids: ['a1'], pinned: true, done: true, add: ['t'], remove: ['u'] },
  'runs.trash': { ids: ['a1'] },
  'runs.restore': { ids: ['a1'] },
  'runs.purge': { ids: ['a1'] },
  'search.find': {
    words: 'x',
    stores: ['team'],
    run: 'a1',
    parts: ['answer'],
    limit: 50,
    after: '[["","7"]]',
  },
  'search.status': {},
  'run.rename': { id: 'a1', title: 'T' },
  'run.trash': { id: 'a1' },
  'run.restore': { id: 'a1' },
  'run.watch': { id: 'a1' },
  'run.unwatch': { id: 'a1' },
  'run.items': { id: 'a1', from: 0, limit: 10 },
  'run.text': { id: 'a1', key: '2.0', part: 'text', from: 0, limit: 10 },
  'run.kept': { id: 'a1', name: 'x.txt', from: 0, limit: 10 },
  'run.find': { id: 'a1', words: 'x' },
  'run.record': { id: 'a1', seq: 1, from: 0, limit: 10 },
  'run.locate': { id: 'a1', seq: 1, step: 1, next: 'error', previous: 'prompt', from: 0 },
  'run.around': { id: 'a1', seq: 1 },
  'run.turns': { id: 'a1', from: 0, limit: 100 },
  'run.stand': { id: 'a1', seq: 1 },
  'prices.get': {},
  'prices.save': { currency: 'USD', prices: [{ model: 'm', input: 3, output: 15 }] },
  'run.start': {
    prompt: 'p',
    chat: true,
    private: false,
    profile: 'Practice',
    folder: '/tmp',
    store: 'team',
  },
  'run.continue': { id: 'a1', profile: 'Practice', acceptEndpoint: false },
  'run.copy': { id: 'a1', to: 'team' },
  'run.say': { id: 'a1', text: 'x' },
  'run.unqueue': { id: 'a1', message: 'm1' },
  'run.send': { id: 'a1', message: 'm1' },
  'run.again': { id: 'a1' },
  'run.approve': { id: 'a1', hash: 'h', decision: 'once', words: 'w' },
  'run.pause': { id: 'a1' },
  'run.cancel': { id: 'a1' },
  'run.reset': { id: 'a1', prompt: 'x' },
  'run.preflight': { id: 'a1', profile: 'Practice', folder: '/tmp' },
  'run.resume': {
    id: 'a1',
    profile: 'Practice',
    folder: '/tmp',
    force: false,
    acceptEndpoint: false,
    unknown: [{ toolUseId: 't', decision: 'run', words: 'w' }],
    say: 'x',
  },
  'draft.get': { key: 'k' },
  'draft.set': { key: 'k', text: 'x' },
  'profiles.list': {},
  'profiles.save': { profile: { name: 'P', provider: 'practice', model: 'practice-1' }, was: 'O' },
  'profiles.remove': { name: 'P' },
  'profiles.models': { provider: 'openai', endpoint: 'http://127.0.0.1:1', key_env: 'K' },
  'profiles.try': {
    profile: { name: 'P', provider: 'practice', model: 'practice-1' },
    key: '0123456789abcdef01234567',
  },
  'keys.list': {},
  'keys.hold': { kind: 'key', service: 'https://api.example.org', value: 'sk-x' },
  'keys.replace': { id: '0123456789abcdef01234567', value: 'sk-x' },
  'keys.remove': { id: '0123456789abcdef01234567' },
  'profiles.usual': { name: 'Practice' },
  'profiles.export': { names: ['Practice'] },
  'profiles.import': { text: 'profiles: []' },
  'profiles.versions': {},
  'profiles.forget': {},
  'profiles.discover': { ports: [9000] },
  'stores.list': {},
  'stores.test': { store: { name: 'team', url: 'nats://127.0.0.1:1/RUNS' } },
  'stores.save': { store: { name: 'team', url: 'nats://127.0.0.1:1/RUNS' }, was: 'old' },
  'stores.remove': { name: 'team' },
  'folder.pick': {},
  'folder.use': { path: '/tmp' },
  'folder.list': { path: '/tmp' },
  'permissions.list': {},
  'permissions.decline': { question: 'q'.repeat(32) },
  'permissions.revoke': { what: 'folder', target: '/tmp' },
  'folder.sample': {},
  'folder.recent': {},
  'export.prepare': { ids: ['a1'], format: 'md' },
  'export.choose': { name: 'x', format: 'md', many: false },
  'export.start': {
    ids: ['a1'],
    format: 'md',
    options: { tools: true, thinking: true, redact: true, attachments: 'inline' },
    to: { folder: '/tmp', name: 'x' },
  },
  'import.begin': { store: 'team', files: [{ name: 'a.json', size: 3 }] },
  'import.chunk': { job: 'j', file: 0, offset: 0, data: 'YWJj' },
  'import.end': { job: 'j' },
  'moving.jobs': {},
  'moving.cancel': { job: 'j' },
  'moving.forget': { job: 'j' },
  'moving.show': { job: 'j' },
  'run.compare': { a: 'a1', b: 'b1' },
  'run.forkPoints': { id: 'a1' },
  'run.fork': { id: 'a1', at: 3, to: 'team' },
  'run.repairPlan': { id: 'a1' },
  'run.repair': { id: 'a1', sha256: 'a'.repeat(64), inside: true },
  'link.open': { url: 'https://example.org/' },
  'prefs.get': {},
  'prefs.set': { theme: 'dark', zoom: 1, profile: 'P', store: 'team', columns: ['title'] },
};

/** Inputs that a command must refuse, made from one that it accepts. */
export function hostileInputs(good: unknown): [string, unknown][] {
  const base = good as Record<string, unknown>;
  const proto = (text: string) => JSON.parse(text) as unknown;
  const cases: [string, unknown][] = [
    ['null', null],
    ['absent', undefined],
    ['a text', 'x'],
    ['a number', 1],
    ['a list', [base]],
    ['a list of nothing', []],
    ['one property more', { ...base, extra: 1 }],
    [
      'own __proto__',
      proto(
        JSON.stringify({ ...base })
          .replace(/^\{/, '{"__proto__":{"id":"a1"},')
          .replace(',}', '}'),
      ),
    ],
    ['constructor', { ...base, constructor: { prototype: {} } }],
    ['prototype', { ...base, prototype: {} }],
    ['toString', { ...base, toString: 'x' }],
    ['hasOwnProperty', { ...base, hasOwnProperty: true }],
  ];
  for (const key of Object.keys(base)) {
    for (const [what, wrong] of [
      ['null', null],
      ['an object', { $gt: '' }],
      ['a nested list', [[[]]]],
      ['a function-like text in an object', { call: 'x' }],
      ['minus zero point five', -0.5],
      ['an oversize text', 'x'.repeat(1_000_001)],
    ] as [string, unknown][]) {
      cases.push([`${key} is ${what}`, { ...base, [key]: wrong }]);
    }
  }
  if ('id' in base) {
    for (const id of [
      '../etc',
      'a/b',
      '',
      '.',
      '-x',
      'a\u0000',
      'a b',
      'x'.repeat(129),
      '%2e%2e',
      'a\n',
      'a..b',
      '.b',
      'a.',
      'a.b.c',
      'a.-b',
      `${'x'.repeat(41)}.a`,
    ]) {
      cases.push([`id is ${JSON.stringify(id).slice(0, 20)}`, { ...base, id }]);
    }
  }
  return cases;
}
