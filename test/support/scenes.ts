import type { ProviderId } from '../../src/shared/run/profile';
import type { TranscriptItem } from '../../src/shared/contract/items';
import type { PreflightView, ProfileView, RunHead, RunRow, RunStatus } from '../../src/shared/contract/views';
import type { FakeRun, Scene } from './fake-app';

/** Pictures of every state, made of plain data. */

const zero = {
  llm_calls: 0,
  tool_calls: 0,
  remote_tool_calls: 0,
  in_tokens: 0,
  out_tokens: 0,
  cache_read_tokens: 0,
  cache_create_tokens: 0,
};
const used = {
  llm_calls: 4,
  tool_calls: 5,
  remote_tool_calls: 0,
  in_tokens: 12_431,
  out_tokens: 1_102,
  cache_read_tokens: 9_820,
  cache_create_tokens: 0,
};

const hash = 'c0ffee';
const call = { input: '{}', hash, changes: false };
const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

export function row(id: string, title: string, status: RunStatus, detail: string, minutes: number): RunRow {
  return {
    id,
    title,
    renamed: false,
    status,
    detail,
    model: 'practice-1',
    provider: 'practice',
    store: 'file',
    updated: ago(minutes),
    counters: used,
    steps: 4,
    pinned: false,
    tags: [],
    private: false,
    elsewhere: false,
  };
}

export function head(of: RunRow, more: Partial<RunHead> = {}): RunHead {
  return {
    row: of,
    mode: 'still',
    chat: true,
    pausing: false,
    queued: [],
    profile: 'Practice',
    folder: '/home/ada/Downloads',
    steps: { used: 4, cap: 50 },
    lastStep: 4,
    budget: { used: 23_353, cap: 200_000 },
    counters: used,
    lastSeq: 11,
    items: 0,
    durability: 'disk',
    bytes: 18_204,
    warnings: [],
    ...more,
  };
}

const ANSWER = `I'll look at **sizes and dates** first, then show you exactly what would move.

| File | Size | Changed |
|---|---:|---|
| \`ubuntu-22.04.iso\` | 3.8 GB | 2023-02-11 |
| \`lecture-04.mp4\` | 412 MB | 2024-06-02 |

What I check:

- [x] size above 100 MB
- [x] older than a year
- [ ] not open in another program

The share of the disk is $s = \\frac{4.2}{256} \\approx 1.6\\,\\%$, which is little. A rule for later:

\`\`\`python
from pathlib import Path

def large(folder: str, limit: int = 100_000_000):
    """Files above the limit, largest first."""
    files = (f for f in Path(folder).rglob("*") if f.is_file())
    return sorted((f for f in files if f.stat().st_size > limit), key=lambda f: -f.stat().st_size)
\`\`\`

See [the handbook](https://docs.example.org/archive) for how archives are kept. It costs $5 and $10 a month.

> Nothing is moved without your word.`;

export const chatItems: TranscriptItem[] = [
  {
    kind: 'prompt',
    key: '1.0',
    seq: 1,
    at: ago(12),
    text: 'Which files in here are older than a year and bigger than 100 MB? Move them to /archive.',
  },
  {
    kind: 'thinking',
    key: '2.0',
    seq: 2,
    iteration: 1,
    text: 'The person wants large, old files moved.\nFirst I need a listing with sizes and dates.\nMoving changes things, so it has to be asked for.',
  },
  { kind: 'text', key: '2.1', seq: 2, iteration: 1, text: ANSWER },
  {
    kind: 'call',
    key: '2.2',
    seq: 2,
    iteration: 1,
    toolUseId: 'call_1',
    tool: 'file_stats',
    input: '{"path":".","min_size":"100MB"}',
    line: 'file_stats .  (min_size 100MB)',
    changes: false,
    state: 'ok',
    tookMs: 312,
    result: {
      seq: 3,
      text: Array.from(
        { length: 16 },
        (_, n) => `file-${n + 1}.bin      ${(n * 37) % 90} MB   2023-0${(n % 9) + 1}-11`,
      ).join('\n'),
      lines: 16,
      isError: false,
    },
  },
  {
    kind: 'call',
    key: '2.3',
    seq: 2,
    iteration: 1,
    toolUseId: 'call_2',
    tool: 'read_file',
    input: '{"path":"notes.txt"}',
    line: 'read notes.txt',
    changes: false,
    state: 'error',
    tookMs: 4,
    result: { seq: 4, text: 'There is no file notes.txt in this folder.', lines: 1, isError: true },
  },
  {
    kind: 'text',
    key: '5.0',
    seq: 5,
    iteration: 2,
    text: 'Two files match. Moving them changes your folder, so I ask first:',
  },
];

const asking: TranscriptItem = {
  kind: 'call',
  key: '5.1',
  seq: 5,
  iteration: 2,
  toolUseId: 'call_3',
  tool: 'write_file',
  input: '{"path":"archive/list.txt","content":"ubuntu-22.04.iso\\nlecture-04.mp4\\n"}',
  line: 'write archive/list.txt (34 bytes, new file)',
  changes: true,
  state: 'waiting',
};

export const everyItem: TranscriptItem[] = [
  ...chatItems,
  {
    ...asking,
    key: '5.2',
    toolUseId: 'call_4',
    state: 'not_run',
    result: { seq: 6, text: 'Not run: you did not allow it.', lines: 1, isError: true },
  },
  { kind: 'end', key: '7.0', seq: 7, at: ago(9), reason: 'suspended', past: true },
  {
    kind: 'seam',
    key: '8.0',
    seq: 8,
    at: ago(8),
    forced: true,
    changed: [
      { field: 'model', recorded: 'practice-0', current: 'practice-1' },
      {
        field: 'system_hash',
        recorded: 'c61b18e0aa33bb9912ff86f5',
        current: '055539df0000111122223333444441e6',
      },
    ],
  },
  {
    kind: 'prompt',
    key: '9.0',
    seq: 9,
    at: ago(8),
    text: 'Go on, but leave the film.',
  },
  { kind: 'thinking', key: '10.0', seq: 10, iteration: 3, text: '', redacted: true },
  {
    kind: 'provider',
    key: '10.1',
    seq: 10,
    iteration: 3,
    provider: 'anthropic',
    text: '{"type":"server_tool_use","id":"srv_1"}',
  },
  {
    kind: 'call',
    key: '10.2',
    seq: 10,
    iteration: 3,
    toolUseId: 'call_5',
    tool: 'append_file',
    input: '{"path":"log.txt","text":"moved\\n"}',
    line: 'append to log.txt: moved',
    changes: true,
    state: 'unknown',
    startedAt: ago(7),
  },
  {
    kind: 'call',
    key: '10.3',
    seq: 10,
    iteration: 3,
    toolUseId: 'call_6',
    tool: 'list_files',
    input: '{"path":"."}',
    line: 'list .',
    changes: false,
    state: 'unanswered',
  },
  { kind: 'empty', key: '10.empty', seq: 10, iteration: 3 },
  { kind: 'lost', key: 'lost.0', seq: 10, at: ago(7), text: 'The list is written. Next I would look at the' },
  {
    kind: 'notice',
    key: 'notice.0',
    seq: 10,
    tone: 'warn',
    text: 'The last line of the journal was torn and is left out.',
  },
  {
    kind: 'end',
    key: '11.0',
    seq: 11,
    at: ago(6),
    reason: 'error',
    message: 'The service does not know the key in ANTHROPIC_API_KEY.',
    past: false,
  },
];

const profile = (name: string, provider: ProfileView['provider'], model: string): ProfileView => ({
  name,
  provider,
  model,
  system_prompt: 'You are a careful assistant.\nYou work in the folder that you are given.',
  thinking: false,
  tools: ['list_files', 'read_file', 'search_text', 'file_stats'],
  limits: { max_iterations: 50, max_tokens: 2_000_000, call_timeout: 120 },
});

export const drift: PreflightView = {
  id: 'interrupted',
  ok: false,
  origin: { kind: 'here', seen: hash, told: {} },
  gates: [
    { gate: 'completed', outcome: 'pass', text: 'Not finished yet' },
    { gate: 'interactivity', outcome: 'pass', text: 'A chat, opened as a chat' },
    { gate: 'provider', outcome: 'pass', text: 'Same provider: practice' },
    { gate: 'drift', outcome: 'refuse', text: '2 of 6 settings changed since it was saved' },
  ],
  diff: [
    { field: 'provider', recorded: 'practice', current: 'practice', changed: false, force: 'hard' },
    { field: 'model', recorded: 'practice-0', current: 'practice-1', changed: true, force: 'forceable' },
    {
      field: 'system_hash',
      recorded: 'c61b18e0aa33bb9912ff86f5',
      current: '055539df0000111122223333444441e6',
      changed: true,
      force: 'forceable',
    },
    {
      field: 'tools_hash',
      recorded: '72fc58ba99887766554433224031',
      current: '72fc58ba99887766554433224031',
      changed: false,
      force: 'forceable',
    },
    { field: 'thinking_mode', recorded: 'off', current: 'off', changed: false, force: 'forceable' },
    { field: 'max_tokens', recorded: '200000', current: '200000', changed: false, force: 'forceable' },
    { field: 'max_iterations', recorded: '50', current: '50', changed: false, force: 'forceable' },
  ],
  texts: { prompt: { recorded: 'You are a helpful assistant.', current: 'You are a careful assistant.' } },
  profile: 'Practice',
  folder: '/home/ada/Finance',
  matching: ['Practice (May)'],
  missing: [],
  pending: [
    { ...call, toolUseId: 'a', tool: 'read_file', line: 'read q3.csv', fate: 'answered' },
    { ...call, toolUseId: 'b', tool: 'list_files', line: 'list .', fate: 'run' },
    {
      toolUseId: 'c',
      tool: 'write_file',
      input: '{}',
      line: 'write summary.md (1.2 KB, new file)',
      hash,
      fate: 'ask',
      changes: true,
    },
  ],
  unknown: [
    {
      toolUseId: 'd',
      tool: 'append_file',
      input: '{}',
      line: 'append to report-q3.md: Total 4,121',
      hash,
      fate: 'unknown',
      changes: true,
      startedAt: ago(40),
    },
  ],
  next: 'tools',
  resume: { calls: [], then: 'call' },
  records: 13,
  paidCalls: 5,
  pausedTurn: false,
  nextCallChars: 18_204,
  counters: used,
  lost: { text: 'The report is', characters: 13, at: ago(40) },
  writer: 'none',
};

/** Of the tools that every model can be given. */
const providers: ProviderId[] = ['anthropic', 'openai', 'practice'];

export function makeScene(): Scene {
  const rows = [
    row('waiting', 'Clean up downloads', 'waiting', 'write_file', 2),
    row('running', 'Rename photos by date', 'running', 'search_text · step 3 of 50', 9),
    row('interrupted', 'Quarterly report from /finance', 'interrupted', 'in append_file · step 6 of 50', 42),
    row('yours', 'Summarise meeting notes', 'your_turn', '9 steps · 41k tokens', 96),
    row('paused', 'Trip planning', 'paused', 'step 2 of 50', 60 * 25),
    row('damaged', 'Old import', 'damaged', 'at line 41 · 40 records readable', 60 * 26),
    row('finished', 'Compare two contracts', 'finished', '3 steps · 12k tokens', 60 * 27),
    row('failed', 'Translate the manual', 'failed', 'the service does not know the key', 60 * 50),
    row(
      'budget',
      'Read every mail of 2019 and count who wrote most often and when',
      'budget',
      '2.0M tokens',
      60 * 75,
    ),
    row('steps', 'Sort the archive', 'steps', 'step 50 of 50', 60 * 24 * 12),
    row('new', 'Untitled', 'new', 'nothing was written', 60 * 24 * 30),
  ];
  const by = (id: string) => rows.find((one) => one.id === id) as RunRow;
  const runs = new Map<string, FakeRun>();
  const put = (id: string, items: TranscriptItem[], more: Partial<RunHead>, rest: Partial<FakeRun> = {}) =>
    runs.set(id, { head: head(by(id), { items: items.length, ...more }), items, ...rest });
  put('waiting', [...chatItems, asking], {
    mode: 'live',
    phase: 'waiting',
    approval: {
      hash: 'h',
      toolUseId: 'call_3',
      tool: asking.kind === 'call' ? asking.tool : '',
      input: '{}',
      line: asking.kind === 'call' ? asking.line : '',
    },
  });
  put(
    'running',
    chatItems.slice(0, 5),
    {
      mode: 'live',
      phase: 'calling',
      queued: [{ id: 'm1', text: 'And when you are done, list what is left.', held: false }],
    },
    {
      stream: {
        iteration: 2,
        text: 'Here is what I found so far:\n\n1. Photos without a date\n2. Photos with the date in their',
        thinking: 'They want names by date.',
      },
    },
  );
  put('interrupted', everyItem.slice(0, 10), {}, { preflight: drift });
  put('yours', chatItems, {});
  put(
    'paused',
    chatItems,
    {},
    {
      preflight: {
        ...drift,
        id: 'paused',
        ok: true,
        gates: drift.gates.map((gate) => ({
          ...gate,
          outcome: 'pass',
          text: gate.gate === 'drift' ? 'Nothing changed since it was saved' : gate.text,
        })),
        diff: drift.diff.map((field) => ({ ...field, current: field.recorded, changed: false })),
        matching: ['Practice'],
        pending: [],
        unknown: [],
        next: 'call',
        resume: { calls: [], then: 'call' },
      },
    },
  );
  put('damaged', chatItems.slice(0, 3), {
    lastSeq: 40,
    failure: {
      code: 'corrupt',
      message: 'Line 41 cannot be read as a record.',
      kept: '40 records before it are whole and can be read.',
      todo: 'Read them here. If you have a backup, put the file back.',
      data: { line: 41, byte: 18_233, records: 40 },
    },
  });
  put('finished', everyItem, {});
  put(
    'failed',
    everyItem,
    {
      failure: {
        code: 'model_auth',
        message: 'The service does not know the key in ANTHROPIC_API_KEY.',
        kept: 'Everything up to your last message is kept.',
        todo: 'Set the right key, then resume.',
      },
    },
    { preflight: { ...drift, id: 'failed' } },
  );
  put(
    'budget',
    chatItems,
    { budget: { used: 2_000_310, cap: 2_000_000 } },
    { preflight: { ...drift, id: 'budget' } },
  );
  put('steps', chatItems, {}, { preflight: { ...drift, id: 'steps' } });
  put('new', [], { lastSeq: 0, counters: zero, bytes: 0 });
  return {
    hello: {
      version: '0.1.0',
      door: 'browser',
      platform: 'linux',
      store: {
        url: 'file:/home/ada/.local/state/holdfast/runs',
        label: 'This computer',
        durability: 'Synced to disk before anything goes on',
      },
      nativeDialogs: false,
      home: '/home/ada',
    },
    rows,
    runs,
    profiles: {
      profiles: [
        { profile: profile('Practice', 'practice', 'practice-1'), builtIn: true, problem: '' },
        {
          profile: profile('Work', 'anthropic', 'claude-sonnet-4-6'),
          builtIn: false,
          problem: 'ANTHROPIC_API_KEY is not set',
        },
      ],
      tools: [
        { name: 'list_files', description: 'Lists files and folders. More.', changes: false, providers },
        { name: 'read_file', description: 'Reads a text file. More words.', changes: false, providers },
        { name: 'search_text', description: 'Finds lines that hold a text.', changes: false, providers },
        { name: 'file_stats', description: 'Counts and measures files.', changes: false, providers },
        { name: 'write_file', description: 'Writes a text file.', changes: true, providers },
        { name: 'append_file', description: 'Adds text to the end of a file.', changes: true, providers },
      ],
      usual: 'Practice',
      file: '/home/ada/.config/holdfast/profiles.yaml',
    },
    servers: [{ name: 'Ollama', endpoint: 'http://127.0.0.1:11434/v1', models: ['llama3.2:3b', 'qwen3:8b'] }],
    keys: { keys: [], protection: 'encrypted', file: '/home/ada/.config/holdfast/keys.sealed.json' },
    prefs: { theme: 'light', zoom: 1 },
    folders: [],
    stores: [],
    checks: [],
    slow: 0,
    calls: [],
  };
}
