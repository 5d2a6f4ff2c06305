import { encodeLine } from '../../src/shared/run/codec';
import type { RunRecord } from '../../src/shared/run/record';
import type { CatalogueEntry, SidecarEntry } from '../../src/shared/run/sidecar';
import type { RunStore } from '../../src/main/journal/journal';
import {
  answerRecord,
  callRecord,
  fingerprint,
  metaRecord,
  resultRecord,
  terminalRecord,
  userRecord,
} from './journal-records';

export const HOSTILE =
  '</pre></details><script>alert(1)</script><img src=x onerror=alert(1)> \u001b[2J \u202e "\'&';
export const SECRET = 'tok-9f8e7d6c5b4a';
export const KEY_SHAPE = `sk-ant-${'a1B2'.repeat(8)}`;

/** A run in which everything occurs that an export has to show. 16 records, 5 calls, 6 results. */
export function richRecords(id: string): RunRecord[] {
  const thinking = answerRecord(2, 'First I look.\n\n```ts\nconst a = `x`;\n', 0);
  thinking.assistant?.message.content?.unshift({ thinking: { text: `Let me think\nabout ${SECRET}` } });
  thinking.assistant?.message.content?.push(
    ...(callRecord(2, ['c1', 'c2']).assistant?.message.content ?? []),
  );
  const failing = resultRecord(4, 'c2', 'no such file');
  if (failing.tool_result) failing.tool_result.result.is_error = true;
  return [
    metaRecord(id, `Find ${HOSTILE}\n# not a heading`),
    thinking,
    resultRecord(3, 'c1', `out ${HOSTILE}\n\`\`\`\`\nfour ticks\n\`\`\`\`\n${KEY_SHAPE}`),
    failing,
    answerRecord(
      5,
      `<div>\n\n<script>x()</script>\n\n![pixel](https://example.org/p.png) [bad](javascript:alert(1))\n\n- [x] done\n\n| a | b |\n| - | - |\n| 1 | 2 |`,
      1,
    ),
    terminalRecord(6, 'suspended'),
    userRecord(7, 'go on'),
    callRecord(8, ['c3'], 2),
    resultRecord(9, 'c3', 'first answer'),
    resultRecord(10, 'c3', 'second answer'),
    answerRecord(11, '', 3),
    userRecord(12, 'and more'),
    answerRecord(13, 'More.', 4),
    userRecord(14, 'again'),
    callRecord(15, ['c4', 'c5'], 5, 'append_file'),
    resultRecord(16, 'c4', 'appended'),
  ];
}

export const richNotes: SidecarEntry[] = [
  { kind: 'config', at: '2026-07-20T07:08:07Z', profile: 'Practice', folder: '/tmp/x' },
  { kind: 'time', seq: 2, at: '2026-07-20T07:08:09Z' },
  { kind: 'clip', at: '2026-07-20T07:08:10Z', tool_use_id: 'c1', file: 'whole-1.txt', bytes: 12 },
  {
    kind: 'resume',
    at: '2026-07-21T07:08:09Z',
    after_seq: 6,
    forced: true,
    accepted: { ...fingerprint, model: 'practice-2' },
    changed: [{ field: 'model', recorded: 'practice-1', current: 'practice-2' }],
    unknown: [],
  },
  {
    kind: 'intent',
    at: '2026-07-21T07:08:10Z',
    tool_use_id: 'c5',
    tool: 'append_file',
    input_sha256: 'c'.repeat(64),
    changes: true,
  },
  { kind: 'partial', at: '2026-07-21T07:08:11Z', after_seq: 16, iteration: 6, text: 'Lost <b>words</b>' },
];

/** Puts a run into a store as if it had always been there. */
export async function bring(
  store: RunStore,
  id: string,
  records: RunRecord[],
  beside: {
    sidecar?: SidecarEntry[];
    catalogue?: CatalogueEntry;
    texts?: { name: string; text: string }[];
  } = {},
): Promise<Buffer> {
  const lines = records.map((record) => Buffer.from(encodeLine(record)).subarray(0, -1));
  const { sidecar, catalogue = {}, texts = [] } = beside;
  await store.import?.(id, { lines, ...(sidecar && { sidecar }), catalogue, texts });
  return Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')]));
}

export const bringRich = (store: RunStore, id = 'rich'): Promise<Buffer> =>
  bring(store, id, richRecords(id), {
    sidecar: richNotes,
    catalogue: { title: 'A <rich> run', tags: ['one'], pinned: true },
    texts: [{ name: 'whole-1.txt', text: `the whole text ${SECRET}\n` }],
  });
