import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { encodeRecord, rawJson } from '../../shared/run/codec';
import { SAMPLE_RUN } from '../../shared/run/names';
import { PROTOCOL, RECORD_VERSION, STOP } from '../../shared/run/record';
import type { Block, RunRecord, ToolResultBlock } from '../../shared/run/record';
import type { SidecarEntry } from '../../shared/run/sidecar';
import { currentFingerprint } from '../agent/config';
import type { AgentParts } from '../agent/session';
import type { RunStore } from '../journal/journal';
import type { RunParcel } from '../journal/parcel';
import { PRACTICE } from '../settings/profiles';
import { SAMPLE_FILES } from './sample';
import { replaceFileNow } from './state-file';

/**
 * On the first start a sample run is there, so that transcript, search, compare and export have something to show. It is
 * brought once for a state folder, and only beside no other run: once deleted it stays away. Never rejects.
 */
export async function bringSample(
  store: RunStore,
  state: string,
  parts: Pick<AgentParts, 'model' | 'tools' | 'now' | 'newId'>,
): Promise<void> {
  const mark = join(state, 'sample.json');
  try {
    if (existsSync(mark) || !store.import || !store.supports.write) return;
    const [runs, trashed] = [await store.list(), await store.trashed()];
    // Before it is made: whatever happens in between, it never comes twice.
    replaceFileNow(mark, JSON.stringify({ brought: runs.length + trashed.length === 0 }));
    if (runs.length + trashed.length > 0) return;
    const id = parts.newId();
    await store.import(id, sampleRun(id, parts));
  } catch {
    // It is for a first look only.
  }
}

const PROMPT = `Please look at the files of my garden club. How much money came in and went out this year, and what is still to do?`;

const BUDGET = `Here is the budget so far, from \`budget-2026.csv\`:

| | Amount |
| --- | ---: |
| Money in (fees, plant sale) | 572.75 |
| Money out (water, seeds, tools, compost, insurance) | −448.70 |
| **Left** | **124.05** |

Still to do, from \`plan.txt\` and \`minutes/\`:

1. Ada asks the town about a second compost bin.
2. Femi sets up the list of open plots.
3. Someone asks Esra about the irrigation hose.
4. Someone writes an invitation for the open garden day.`;

const LATER = 'What would be left if we sell 80 worth of plants in April?';

const ANSWER = `You would have **204.05** left: 124.05 now, plus 80.00.

To check this yourself:

\`\`\`python
amounts = [360.00, -84.50, -61.20, -35.00, 212.75, -120.00, -148.00]
print(round(sum(amounts) + 80, 2))  # 204.05
\`\`\``;

/** Two messages, four tool calls and their answers, as the Practice profile would have recorded them. */
export function sampleRun(id: string, parts: Pick<AgentParts, 'model' | 'tools' | 'now'>): RunParcel {
  const now = parts.now().getTime();
  const records: RunRecord[] = [];
  const notes: SidecarEntry[] = [];
  /** `ago`: seconds before now. */
  const add = (ago: number, record: Omit<RunRecord, 'seq'>) => {
    const seq = records.length + 1;
    records.push({ seq, ...record });
    notes.push({ kind: 'time', seq, at: new Date(now - ago * 1000).toISOString() });
  };
  let iteration = 0;
  const turn = (ago: number, content: Block[], tokens: [number, number]) =>
    add(ago, {
      protocol: PROTOCOL.assistant,
      assistant: {
        iteration: iteration++,
        message: { role: 'assistant', content },
        stop_reason: content.some((block) => block.tool_use) ? STOP.toolUse : STOP.endTurn,
        in_tokens: tokens[0],
        out_tokens: tokens[1],
      },
    });
  const use = (use: string, name: string, input: object): Block => ({
    tool_use: { id: use, name, input: rawJson(JSON.stringify(input)) },
  });
  const result = (ago: number, result: ToolResultBlock) =>
    add(ago, { protocol: PROTOCOL.tool_result, tool_result: { tool_use_id: result.tool_use_id, result } });

  add(95, {
    protocol: PROTOCOL.meta,
    meta: {
      version: RECORD_VERSION,
      run_id: id,
      created: new Date(now - 95_000).toISOString(),
      fingerprint: currentFingerprint(parts as AgentParts, PRACTICE),
      prompt: PROMPT,
      interactive: true,
    },
  });
  turn(
    93,
    [
      { thinking: { text: 'First I look at what is in the folder.' } },
      { text: { text: 'I start with the list of files.' } },
      use('sample_1', 'list_files', { depth: 2 }),
    ],
    [640, 48],
  );
  const listed = Object.entries(SAMPLE_FILES).map(([name, text]) => `${name} (${text.length} bytes)`);
  result(92, {
    tool_use_id: 'sample_1',
    content: `1 folder, ${listed.length} files:\nminutes/\n${listed.join('\n')}`,
  });
  turn(
    89,
    [
      { text: { text: 'Now I read the budget and the plan, and search for what is open.' } },
      use('sample_2', 'read_file', { path: 'budget-2026.csv' }),
      use('sample_3', 'read_file', { path: 'plan.txt' }),
      use('sample_4', 'search_text', { text: 'TODO', path: 'minutes' }),
    ],
    [890, 96],
  );
  result(88, { tool_use_id: 'sample_2', content: SAMPLE_FILES['budget-2026.csv'] ?? '' });
  result(87, { tool_use_id: 'sample_3', content: SAMPLE_FILES['plan.txt'] ?? '' });
  result(86, { tool_use_id: 'sample_4', content: openTasks() });
  turn(80, [{ text: { text: BUDGET } }], [1_420, 210]);
  add(40, {
    protocol: PROTOCOL.user,
    user: { message: { role: 'user', content: [{ text: { text: LATER } }] } },
  });
  turn(34, [{ text: { text: ANSWER } }], [1_680, 118]);
  notes.push({ kind: 'lineage', at: new Date(now).toISOString(), from: SAMPLE_RUN, why: 'import' });
  return {
    lines: records.map((record) => Buffer.from(encodeRecord(record))),
    sidecar: notes,
    catalogue: { title: 'Sample: budget of a garden club', tags: ['sample'] },
    texts: [],
  };
}

const openTasks = (): string =>
  Object.entries(SAMPLE_FILES)
    .filter(([name]) => name.startsWith('minutes/'))
    .flatMap(([name, text]) =>
      text.split('\n').flatMap((line, n) => (line.includes('TODO') ? [`${name}:${n + 1}: ${line}`] : [])),
    )
    .join('\n');
