import { rawJson } from '../../../shared/run/codec';
import { goJson } from '../../../shared/run/json';
import { stateText } from '../../../shared/run/fold';
import type { Block, Message, RawJson, RunRecord, ToolResultBlock } from '../../../shared/run/record';
import type { RunState } from '../../../shared/run/state';
import { titleOf } from './head';
import type { Page } from './page';
import { countsOf } from './source';
import type { Counts } from './types';

export const RUN_EXPORT_FORMAT = 'holdfast.run-export';
export const RUN_EXPORT_VERSION = 1;

/**
 * The folded state with what is known beside it, as JSON that resources/schemas/run-export.json describes. Raw numbers
 * of tool inputs stand as they were recorded. Gives the text and what of the journal is in it.
 */
export function jsonOf(page: Page, exported: Date): { json: string; written: Counts } {
  const { source, clean, items, tools, thinking, texts } = page;
  const { id, records, places, sidecar, facts } = source;
  const state = tidied(source.state, page);
  const left = leftOver(source.records, source.state);
  const times = new Map(
    sidecar.flatMap((entry) => (entry.kind === 'time' ? [[entry.seq, entry.at] as const] : [])),
  );
  const index = records.map((record, n) => ({
    seq: record.seq,
    kind: kindOf(record),
    offset: places[n]?.offset ?? 0,
    bytes: places[n]?.bytes ?? 0,
    ...(times.has(record.seq) && { at: times.get(record.seq) }),
  }));
  const lost = items.find((item) => item.kind === 'lost');
  const fields: [string, string][] = [
    ['format', JSON.stringify(RUN_EXPORT_FORMAT)],
    ['version', String(RUN_EXPORT_VERSION)],
    ['exported', JSON.stringify(exported.toISOString())],
    ['id', JSON.stringify(id)],
    ['title', JSON.stringify(clean(titleOf(source)))],
    ['tags', JSON.stringify((source.catalogue.tags ?? []).map(clean))],
    ['counts', JSON.stringify(countsOf(records))],
    ['state', stateText(state)],
    [
      'facts',
      JSON.stringify({
        terminal_is_last: facts.terminalIsLast,
        last_seq: facts.lastSeq,
        last_kind: facts.lastKind,
      }),
    ],
    ['warnings', JSON.stringify(source.warnings)],
    ['damage', source.damage ? JSON.stringify(source.damage) : 'null'],
    ['records', JSON.stringify(index)],
    ['calls_beside', `[${left.calls.map((call) => callText(call, page)).join(',')}]`],
    ['results_beside', `[${left.results.map((result) => resultText(tidyResult(result, page))).join(',')}]`],
    [
      'seams',
      JSON.stringify(items.filter((item) => item.kind === 'seam').map((item) => withoutKey(item, page))),
    ],
    [
      'lost',
      lost
        ? JSON.stringify({
            after_seq: lost.seq,
            at: lost.at,
            text: clean(lost.text),
            ...(thinking && lost.thinking && { thinking: clean(lost.thinking) }),
          })
        : 'null',
    ],
    ['lineage', JSON.stringify(sidecar.filter(({ kind }) => kind === 'lineage'))],
    [
      'attachments',
      JSON.stringify(
        tools
          ? texts.map(({ name, toolUseId, text, href }) => ({
              name,
              tool_use_id: toolUseId,
              bytes: Buffer.byteLength(text),
              ...(href === undefined ? { text: clean(text) } : { file: href }),
            }))
          : [],
      ),
    ],
    ['left_out', JSON.stringify([...(tools ? [] : ['tool_output']), ...(thinking ? [] : ['thinking'])])],
    // Last, when all is cleaned.
    ['redacted', ''],
  ];
  const body = fields.map(([key, json]) => `"${key}":${key === 'redacted' ? clean.count : json}`).join(',\n');
  const held = countBlocks(stateBlocks(source.state));
  return {
    json: `{${body}}\n`,
    written: {
      records: index.length,
      calls: held.calls + left.calls.length,
      results: held.results + left.results.length,
    },
  };
}

const kindOf = ({ protocol }: RunRecord): string => protocol.slice(protocol.lastIndexOf('.') + 1);

function withoutKey(item: object, { clean }: Page): unknown {
  return Object.fromEntries(
    Object.entries(item)
      .filter(([key, value]) => key !== 'kind' && value !== undefined)
      .map(([key, value]) =>
        key === 'seq'
          ? ['after_seq', value]
          : key === 'endpoint' || key === 'changed'
            ? [key, JSON.parse(clean(JSON.stringify(value))) as unknown]
            : [key, value],
      ),
  );
}

/** The state without what is to be left out. */
function tidied(state: RunState, page: Page): RunState {
  const { clean } = page;
  const message = ({ role, content }: Message): Message => ({
    role,
    content: content === null ? null : content.flatMap((block) => tidyBlock(block, page)),
  });
  const { pending, terminal } = state;
  return {
    ...state,
    prompt: clean(state.prompt),
    messages: state.messages.map(message),
    pending: pending && {
      ...pending,
      assistant: message(pending.assistant),
      results: pending.results.map((result) => tidyResult(result, page)),
    },
    terminal: terminal && {
      ...terminal,
      ...(terminal.message !== undefined && { message: clean(terminal.message) }),
    },
  };
}

function tidyBlock(block: Block, page: Page): Block[] {
  const { clean } = page;
  if (block.thinking && !page.thinking) return [];
  const { text, thinking, tool_use: call, tool_result: result, provider } = block;
  return [
    {
      ...(text && { text: { text: clean(text.text) } }),
      ...(thinking && {
        thinking: { ...thinking, ...(thinking.text !== undefined && { text: clean(thinking.text) }) },
      }),
      ...(call && { tool_use: { ...call, input: cleanRaw(call.input, page) } }),
      ...(result && { tool_result: tidyResult(result, page) }),
      ...(provider && { provider: { ...provider, raw: cleanRaw(provider.raw, page) } }),
    },
  ];
}

const tidyResult = (result: ToolResultBlock, { tools, clean }: Page): ToolResultBlock => ({
  ...result,
  content: tools ? clean(result.content) : '',
});

/** A secret that stood where no text stands (a number, say) makes the whole input a text. */
function cleanRaw(raw: RawJson, { clean }: Page): RawJson {
  const text = clean(raw);
  if (text === raw) return raw;
  try {
    return rawJson(text);
  } catch {
    return rawJson(JSON.stringify(text));
  }
}

const callText = ({ id, name, input }: { id: string; name: string; input: RawJson }, page: Page): string =>
  `{"id":${JSON.stringify(id)},"name":${JSON.stringify(name)},"input":${cleanRaw(input, page)}}`;
const resultText = (result: ToolResultBlock): string => goJson({ ...result });

function* stateBlocks({ messages, pending }: RunState): Generator<Block> {
  for (const { content } of messages) yield* content ?? [];
  yield* pending?.assistant.content ?? [];
  for (const result of pending?.results ?? []) yield { tool_result: result };
}

function countBlocks(blocks: Iterable<Block>): { calls: number; results: number } {
  const counts = { calls: 0, results: 0 };
  for (const { tool_use: call, tool_result: result } of blocks) {
    if (call) counts.calls++;
    if (result) counts.results++;
  }
  return counts;
}

/** Calls and results of the journal that the fold does not hold: replaced ones, and those that belong to nothing. */
function leftOver(
  records: readonly RunRecord[],
  state: RunState,
): { calls: NonNullable<Block['tool_use']>[]; results: ToolResultBlock[] } {
  const held = new Map<string, number>();
  const add = (key: string, n: number): void => void held.set(key, (held.get(key) ?? 0) + n);
  const callKey = ({ id, name, input }: NonNullable<Block['tool_use']>): string =>
    `c\n${id}\n${name}\n${input}`;
  const resultKey = ({ tool_use_id: id, content }: ToolResultBlock): string => `r\n${id}\n${content}`;
  for (const { tool_use: call, tool_result: result } of stateBlocks(state)) {
    if (call) add(callKey(call), 1);
    if (result) add(resultKey(result), 1);
  }
  const left: ReturnType<typeof leftOver> = { calls: [], results: [] };
  for (const { assistant, user, tool_result: record } of records) {
    const blocks: Block[] = [
      ...((assistant ?? user)?.message.content ?? []),
      ...(record ? [{ tool_result: record.result }] : []),
    ];
    for (const { tool_use: call, tool_result: result } of blocks) {
      if (call && take(held, callKey(call))) left.calls.push(call);
      if (result && take(held, resultKey(result))) left.results.push(result);
    }
  }
  return left;
}

/** true: there is none left of it. */
function take(held: Map<string, number>, key: string): boolean {
  const n = held.get(key) ?? 0;
  if (n > 0) held.set(key, n - 1);
  return n <= 0;
}
