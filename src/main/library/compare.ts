import type { RunSide } from '../../shared/contract/moving';
import { FINGERPRINT_FIELDS } from '../../shared/run/fingerprint';
import { Boundaries } from '../../shared/run/boundaries';
import { asFailure } from '../../shared/run/failure';
import type { RunRecord } from '../../shared/run/record';
import { startOf } from '../../shared/run/slices';
import type { RunStore } from '../journal/journal';
import { statusOf, titleOf } from './export/head';
import { readSource } from './export/source';
import type { ExportSource } from './export/source';

/** Characters of one text of a comparison. */
const LONGEST = 20_000;
const MOST_PROMPTS = 50;
const PROMPT = 4_000;

export type Side = Omit<RunSide, 'id' | 'store'>;

/** A run as it is laid beside another; of a damaged one, what stands before the damage. Never throws for what it reads. */
export async function sideOf(store: RunStore, id: string): Promise<Side> {
  try {
    return shown(await readSource(store, id));
  } catch (error) {
    return {
      title: id,
      failure: asFailure(error).toJSON(),
      status: 'damaged',
      steps: 0,
      records: 0,
      bytes: 0,
      prompts: [],
      promptCount: 0,
      tools: [],
    };
  }
}

function shown(source: ExportSource): Side {
  const { state, records, sidecar, damage } = source;
  const config = sidecar.findLast((entry) => entry.kind === 'config');
  const accepted = sidecar.findLast((entry) => entry.kind === 'resume')?.accepted ?? state.fingerprint;
  const lineage = sidecar.findLast((entry) => entry.kind === 'lineage');
  const updated = sidecar.findLast((entry) => entry.kind === 'time')?.at;
  const created = records[0]?.meta?.created;
  const prompts = promptsOf(records);
  const answer = answerOf(records);
  return {
    title: titleOf(source),
    ...(damage && { failure: damage }),
    status: statusOf(source),
    chat: state.interactive,
    ...(created !== undefined && created !== '' && { created }),
    ...(updated !== undefined && { updated }),
    ...(config?.profile !== undefined && { profile: config.profile }),
    ...(config?.folder !== undefined && { folder: config.folder }),
    ...(config?.endpoint !== undefined && { endpoint: config.endpoint }),
    fingerprint: Object.fromEntries(FINGERPRINT_FIELDS.map((field) => [field, String(accepted[field])])),
    counters: { ...state.counters },
    steps: state.next_iteration,
    records: records.length,
    bytes: source.bytes.length,
    prompts: prompts.slice(0, MOST_PROMPTS).map(({ seq, text }) => ({ seq, ...cut(text, PROMPT) })),
    promptCount: prompts.length,
    tools: toolsOf(records),
    ...(answer && { answer: { seq: answer.seq, ...cut(answer.text, LONGEST) } }),
    ...(state.terminal && {
      outcome: {
        reason: state.terminal.reason,
        ...(state.terminal.message && { message: state.terminal.message.slice(0, LONGEST) }),
      },
    }),
    ...(lineage && {
      origin: {
        from: lineage.from,
        ...(lineage.store !== undefined && { store: lineage.store }),
        why: lineage.why,
      },
    }),
  };
}

function promptsOf(records: readonly RunRecord[]): { seq: number; text: string }[] {
  return records.flatMap(({ seq, meta, user }) => {
    const said = user?.message.content?.flatMap(({ text }) => text?.text ?? []).join('\n') ?? '';
    const text = meta?.prompt ?? said;
    return text === '' ? [] : [{ seq, text }];
  });
}

/** The last thing that the model said to the person. */
function answerOf(records: readonly RunRecord[]): { seq: number; text: string } | undefined {
  for (let n = records.length - 1; n >= 0; n--) {
    const record = records[n];
    const text = record?.assistant?.message.content?.flatMap((block) => block.text?.text ?? []).join('\n\n');
    if (record && text) return { seq: record.seq, text };
  }
  return undefined;
}

function toolsOf(records: readonly RunRecord[]): Side['tools'] {
  const names = new Map<string, string>();
  const tools = new Map<string, { calls: number; errors: number }>();
  for (const { assistant, tool_result: result } of records) {
    for (const { tool_use: call } of assistant?.message.content ?? []) {
      if (!call) continue;
      names.set(call.id, call.name);
      const tool = tools.get(call.name) ?? { calls: 0, errors: 0 };
      tools.set(call.name, { ...tool, calls: tool.calls + 1 });
    }
    const tool = result?.result.is_error ? tools.get(names.get(result.tool_use_id) ?? '') : undefined;
    if (tool) tool.errors++;
  }
  return [...tools].map(([name, tool]) => ({ name, ...tool })).sort((a, b) => b.calls - a.calls);
}

/** A text, cut between characters. */
function cut(text: string, limit: number): { text: string; more: number } {
  if (text.length <= limit) return { text, more: 0 };
  const end = (text.charCodeAt(limit) & 0xfc00) === 0xdc00 ? limit - 1 : limit;
  return { text: text.slice(0, end), more: text.length - end };
}

/** Where a run can be forked, with what stands there. */
export function pointsOf(
  records: readonly RunRecord[],
): { seq: number; kind: 'prompt' | 'answer' | 'results'; text: string }[] {
  const boundaries = new Boundaries();
  const points: ReturnType<typeof pointsOf> = [];
  for (const record of records) {
    if (!boundaries.push(record)) continue;
    const { seq, meta, user, tool_result: result, assistant } = record;
    const said = startOf(meta?.prompt ?? textOf(user ?? assistant), 2_000)
      .replace(/\s+/g, ' ')
      .trim();
    points.push({
      seq,
      kind: result ? 'results' : assistant ? 'answer' : 'prompt',
      text: (result ? result.result.content : said).slice(0, 200),
    });
  }
  return points;
}

const textOf = (turn: RunRecord['user'] | RunRecord['assistant']): string =>
  turn?.message.content?.flatMap(({ text }) => text?.text ?? []).join(' ') ?? '';
