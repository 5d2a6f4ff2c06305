import type { Stand } from '../../../shared/contract/reading';
import { toolUseIds } from '../../../shared/run/conversation';
import { Failure } from '../../../shared/run/failure';
import { Folder } from '../../../shared/run/fold';
import type { Block, Message } from '../../../shared/run/record';
import { cut } from './call-item';
import type { Source } from './source';

/** Messages that are told of a conversation, their parts, and characters of one. */
const MESSAGES = 6;
const PARTS = 40;
const TEXT = 2_000;

const noRecord = (seq: number) =>
  new Failure({ code: 'not_found', message: `This run has no record ${seq}.` });

/** What the records up to and with `seq` fold to. `not_found` when the run has no such record. */
export async function standAt(source: Source, seq: number): Promise<Stand> {
  const folder = new Folder({ keep: MESSAGES });
  let found = false;
  let ended = false;
  await source.each((record) => {
    if (record.seq > seq) return false;
    folder.push(record);
    found = record.seq === seq;
    ended = record.terminal !== undefined;
    return !found;
  });
  if (!found) throw noRecord(seq);
  const { state } = folder;
  const { pending, terminal } = state;
  return {
    seq,
    messages: folder.forgotten + state.messages.length,
    last: state.messages.slice(-MESSAGES).map(told),
    ...(pending && {
      pending: {
        iteration: pending.iteration,
        answered: pending.answered.length,
        tools: callsOf(pending.assistant, new Set(pending.answered)),
      },
    }),
    counters: { ...state.counters },
    nextIteration: state.next_iteration,
    lastStopReason: state.last_stop_reason,
    ...(terminal && { terminal }),
    ended,
    fork: !ended && pending === null,
  };
}

function callsOf(message: Message, answered: ReadonlySet<string>) {
  const wanted = new Set(toolUseIds(message));
  return (message.content ?? []).flatMap(({ tool_use: call }) => {
    if (!call || !wanted.delete(call.id)) return [];
    return [{ id: call.id, tool: call.name, answered: answered.has(call.id) }];
  });
}

type Part = Stand['last'][number]['parts'][number];

const told = ({ role, content }: Message): Stand['last'][number] => ({
  role,
  parts: (content ?? []).slice(0, PARTS).flatMap(partsOf),
});

function partsOf(block: Block): Part[] {
  const { text, thinking, tool_use: call, tool_result: result, provider } = block;
  return [
    ...(thinking ? [{ kind: 'thinking' as const, ...cut(thinking.text ?? '', TEXT) }] : []),
    ...(text ? [{ kind: 'text' as const, ...cut(text.text, TEXT) }] : []),
    ...(provider ? [{ kind: 'provider' as const, name: provider.kind, ...cut(provider.raw, TEXT) }] : []),
    ...(result
      ? [
          {
            kind: 'result' as const,
            name: result.tool_use_id,
            isError: result.is_error === true,
            ...cut(result.content, TEXT),
          },
        ]
      : []),
    ...(call ? [{ kind: 'call' as const, name: call.name, ...cut(call.input, TEXT) }] : []),
  ];
}
