import type { TranscriptItem } from '../../src/shared/contract/items';
import type { SearchHit } from '../../src/shared/contract/search';
import type { StoreView } from '../../src/shared/contract/stores';
import type { RunSide } from '../../src/shared/contract/moving';
import type { RunRow } from '../../src/shared/contract/views';
import type { Scene } from './fake-app';
import { chatItems, drift, everyItem, head, makeScene, row } from './scenes';

/** The usual scene with texts that no layout likes: endless words, right to left, wide letters, many of everything. */

export const UNBROKEN = 'Quarterlyreportconsolidated'.repeat(8);
export const RTL =
  'تقرير الربع الأخير عن المبيعات والمصاريف في جميع الفروع وما يجب فعله قبل نهاية السنة المالية';
const WIDE = '四半期報告書の要約と今後の計画について話し合うための資料'.repeat(3);
export const ODD = [UNBROKEN, RTL, WIDE, `report-${'0123456789abcdef'.repeat(9)}.final.v2.pdf`];
const odd = (n: number) => ODD[n % ODD.length] ?? UNBROKEN;
const PATH = `/home/ada/${'a-folder-with-a-long-name/'.repeat(5)}${UNBROKEN.slice(0, 80)}/${RTL.slice(0, 40)}`;

export const TABLE = [
  `| File | Size | ${Array.from({ length: 9 }, (_, n) => `Column number ${n + 1}`).join(' | ')} |`,
  `|---|---:|${'---|'.repeat(9)}`,
  ...Array.from(
    { length: 3 },
    (_, n) =>
      `| a-file-with-a-long-name-${n}.tar.gz | 1,234,567,890.12 | ${Array.from({ length: 9 }, (_, m) => `unmistakable ${n * m}000000`).join(' | ')} |`,
  ),
].join('\n');

const answer: TranscriptItem = {
  kind: 'text',
  key: '20.0',
  seq: 12,
  iteration: 4,
  text: `${TABLE}\n\n${UNBROKEN} and \`${UNBROKEN}\` and https://example.org/${UNBROKEN}\n\n- ${RTL}\n- ${UNBROKEN}\n\n> ${UNBROKEN}\n\n# ${UNBROKEN}\n\n\`\`\`\n${UNBROKEN}${UNBROKEN}\n\`\`\`\n\n$$\n${Array.from({ length: 60 }, (_, n) => `x_{${n}}`).join(' + ')}\n$$`,
};
const oddCall = (n: number): TranscriptItem => ({
  kind: 'call',
  key: `21.${n}`,
  seq: 12,
  iteration: 4,
  toolUseId: `call_odd_${n}`,
  tool: n === 0 ? 'read_file' : UNBROKEN.slice(0, 64),
  input: JSON.stringify({ path: PATH, words: odd(n) }),
  line: `read ${PATH}`,
  changes: n > 0,
  state: n === 1 ? 'error' : 'ok',
  tookMs: 1_234_567,
  result: { seq: 13, text: `${odd(n)}${odd(n)}\n${RTL}`, lines: 2, isError: n === 1 },
});

const store = (name: string, more: Partial<StoreView>): StoreView => ({
  name,
  label: name,
  url: `file:${PATH}`,
  kind: 'file',
  usual: false,
  state: 'ok',
  durability: 'disk',
  promise: 'Each record is synced to disk before anything goes on.',
  writable: true,
  entry: { name, url: `file:${PATH}` },
  ...more,
});

const side = (of: RunRow): RunSide => ({
  id: of.id,
  title: of.title,
  store: of.store,
  status: of.status,
  profile: UNBROKEN.slice(0, 60),
  folder: PATH,
  endpoint: `https://${UNBROKEN.slice(0, 60).toLowerCase()}.example.org/v1`,
  fingerprint: {
    model: of.id === 'odd0' ? UNBROKEN : 'practice-1',
    provider: 'practice',
    system_hash: 'c'.repeat(64),
  },
  steps: 3,
  records: 12,
  bytes: 123_456,
  prompts: [
    { seq: 1, text: odd(of.title.length), more: 0 },
    { seq: 4, text: UNBROKEN, more: 12_000 },
  ],
  promptCount: 2,
  tools: [{ name: UNBROKEN.slice(0, 64), calls: 1_234, errors: 3 }],
  answer: { seq: 9, text: `${UNBROKEN}\n${RTL}`, more: 90_000 },
  outcome: { reason: 'error', message: UNBROKEN },
});

export function longScene(): Scene {
  const scene = makeScene();
  const rows = Array.from({ length: 48 }, (_, n) => ({
    ...row(`odd${n}`, `${odd(n)} ${n}`, n % 5 === 0 ? 'failed' : 'finished', odd(n + 1), 9 + n * 397),
    model: odd(n + 2).slice(0, 90),
    tags: n % 3 === 0 ? [UNBROKEN.slice(0, 40), RTL.slice(0, 30), 'short'] : [],
    pinned: n < 2,
    store: n % 4 === 0 ? UNBROKEN.slice(0, 40) : 'This computer',
    ...(n % 6 === 0 && { warnings: 2 }),
  })) satisfies RunRow[];
  scene.rows = [...scene.rows, ...rows];
  for (const [n, one] of rows.entries())
    scene.runs.set(one.id, {
      items: [
        { kind: 'prompt', key: '19.0', seq: 11, text: odd(n) },
        ...(n === 0 ? everyItem : chatItems),
        oddCall(0),
        oddCall(1),
        answer,
      ],
      head: head(one, {
        items: 0,
        folder: PATH,
        profile: UNBROKEN.slice(0, 80),
        endpoint: `https://${UNBROKEN.slice(0, 50)}.example.org`,
        warnings: [{ code: 'x', detail: UNBROKEN }],
        ...(n === 1 && {
          mode: 'live' as const,
          phase: 'waiting' as const,
          queued: [{ id: 'm1', text: UNBROKEN, held: false }],
          approval: {
            hash: 'h',
            toolUseId: 'call_odd_1',
            tool: UNBROKEN.slice(0, 64),
            input: '{}',
            line: `write ${PATH}`,
          },
        }),
        ...(n === 5 && {
          failure: { code: 'model_gone', message: UNBROKEN, kept: RTL, todo: `Open ${PATH}` },
        }),
      }),
      preflight: {
        ...drift,
        id: one.id,
        profile: UNBROKEN.slice(0, 80),
        folder: PATH,
        gates: drift.gates.map((gate) => ({ ...gate, text: `${gate.text} ${UNBROKEN}` })),
        diff: drift.diff.map((field) => ({ ...field, recorded: UNBROKEN, current: PATH })),
        pending: drift.pending.map((tool) => ({
          ...tool,
          tool: UNBROKEN.slice(0, 64),
          line: `write ${PATH}`,
        })),
        unknown: drift.unknown.map((tool) => ({
          ...tool,
          tool: UNBROKEN.slice(0, 64),
          line: `write ${PATH}`,
        })),
        endpoint: { recorded: UNBROKEN, current: PATH, changed: true },
        lost: { text: `${UNBROKEN} ${RTL}`, characters: 1_000, at: new Date(0).toISOString() },
      },
    });
  for (const run of scene.runs.values()) run.head.items = run.items.length;
  scene.profiles.profiles.push(
    ...ODD.map((text, n) => ({
      profile: {
        ...(scene.profiles.profiles[1] ?? { profile: undefined }).profile!,
        name: text.slice(0, 80),
        model: odd(n + 1).slice(0, 90),
        endpoint: `https://${UNBROKEN.slice(0, 50).toLowerCase()}.example.org/v1`,
      },
      builtIn: false,
      problem: n % 2 === 0 ? `${UNBROKEN} is not set` : '',
    })),
  );
  scene.folders = [PATH, `/home/ada/${RTL}`, `/home/ada/${UNBROKEN}`];
  scene.inside = [UNBROKEN, RTL, ...Array.from({ length: 30 }, (_, n) => `${odd(n)}-${n}`)];
  scene.stores = [
    store('default', { usual: true, label: 'This computer' }),
    store(UNBROKEN.slice(0, 40), {
      state: 'unreachable',
      reason: { code: 'store_unavailable', message: UNBROKEN, kept: RTL, todo: `Open ${PATH}` },
      caution: UNBROKEN,
    }),
    store('nearly-full', { space: { level: 'critical', free: 1_234_567 }, keeps: UNBROKEN }),
  ];
  scene.checks = ODD.map((text, n) => ({
    name: n === 0 ? 'Address' : text.slice(0, 60),
    outcome: (['ok', 'caution', 'failed'] as const)[n % 3] ?? 'ok',
    text,
    command: `nats stream edit ${UNBROKEN}`,
  }));
  scene.permissions = {
    asking: [],
    addresses: ODD.map((text, n) => ({
      id: `a${n}`,
      origin: `https://${UNBROKEN.slice(0, 60 + n).toLowerCase()}.example.org`,
      key: `${UNBROKEN.slice(0, 60).toUpperCase()}_API_KEY`,
      profiles: [text.slice(0, 80), 'Practice'],
    })),
    folders: [PATH, `/home/ada/${RTL}`, `/home/ada/${UNBROKEN}`].map((path, n) => ({
      path,
      sample: n === 1,
    })),
  };
  scene.finds = { hits: rows.flatMap(hitsOf), building: [], failed: [], empty: false };
  scene.compare = Object.fromEntries(rows.map((one) => [one.id, side(one)]));
  return scene;
}

const hitsOf = (of: RunRow, n: number): SearchHit[] =>
  Array.from({ length: 3 }, (_, m) => ({
    run: of.id,
    title: of.title,
    status: of.status,
    store: of.store,
    updated: of.updated,
    seq: m + 1,
    part: m === 1 ? 'input' : 'answer',
    ...(m === 1 && { tool: UNBROKEN.slice(0, 64) }),
    snippet: [
      { text: odd(n), marked: false },
      { text: odd(m), marked: true },
      { text: ` ${odd(n + m)}`, marked: false },
    ],
    before: true,
    after: true,
  }));
