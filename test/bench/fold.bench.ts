import { encodeLine, readJournal } from '../../src/shared/run/codec';
import { foldRecords } from '../../src/shared/run/fold';
import { PROTOCOL } from '../../src/shared/run/record';
import type { RawJson, RunRecord } from '../../src/shared/run/record';
import { callRecord, metaRecord, resultRecord, userRecord } from '../support/journal-records';

/** Reading and folding 100 MB of journal against JSON.parse of the same lines, turn by turn in one process. */

const SIZE = 100 * 1024 * 1024;
const ROUNDS = 5;

const PROSE =
  'The folder holds a report, two drafts and the tables that they were made from. I would keep the second draft: it says the same in half the words, and its figures match the tables.\n\n';
const CODE =
  'export function total(rows: readonly Row[]): number {\n  return rows.reduce((sum, row) => sum + row.amount, 0); // "amount" is in cents\n}\n';
const OUTPUT =
  '{"path":"notes/2026/report.md","bytes":18231,"lines":412,"modified":"2026-07-20T09:08:07Z"}\n';

/** A chat as chats are: short questions, calls with small inputs, results of some kilobytes, answers with code. */
function journal(size: number): Uint8Array {
  const lines: Uint8Array[] = [];
  let bytes = 0;
  const add = (record: RunRecord): void => {
    const line = encodeLine(record);
    lines.push(line);
    bytes += line.length;
  };
  add(metaRecord('bench', 'Summarise this folder, please.'));
  let seq = 1;
  for (let round = 0; bytes < size; round++) {
    const ids = Array.from({ length: 1 + (round % 3) }, (_, i) => `toolu_${round}_${i}`);
    const turn = callRecord(++seq, ids, round * 2);
    turn.assistant?.message.content?.unshift({ text: { text: PROSE.slice(0, 60) } });
    for (const block of turn.assistant?.message.content ?? [])
      if (block.tool_use)
        block.tool_use.input = '{"path":"notes/2026","limit":1.50,"words":"total < 10"}' as RawJson;
    add(turn);
    ids.forEach((id, i) => {
      const text = [CODE, OUTPUT, PROSE][(round + i) % 3] ?? '';
      add(resultRecord(++seq, id, text.repeat(1 + ((round * 7 + i) % 40))));
    });
    const answer = `${PROSE.repeat(1 + (round % 5))}${round % 2 ? `\`\`\`ts\n${CODE}\`\`\`` : ''}${round % 7 ? '' : ' „Grüße“ 🙂'}`;
    add({
      seq: ++seq,
      protocol: PROTOCOL.assistant,
      assistant: {
        iteration: round * 2 + 1,
        message: { role: 'assistant', content: [{ text: { text: answer } }] },
        stop_reason: 'end_turn',
        in_tokens: 5_000 + round,
        out_tokens: 300,
        cache_read_tokens: 4_000,
      },
    });
    add(userRecord(++seq, 'And what changed since last week?'));
  }
  return new Uint8Array(Buffer.concat(lines));
}

/** The yardstick: lines cut at 0x0A, decoded, parsed, kept. */
function bareParse(bytes: Uint8Array): unknown[] {
  const decoder = new TextDecoder();
  const values: unknown[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(0x0a, at);
    values.push(JSON.parse(decoder.decode(bytes.subarray(at, end))));
    at = end + 1;
  }
  return values;
}

const collect = (globalThis as { gc?: () => void }).gc;
const seconds = (act: () => unknown): number => {
  collect?.();
  const start = performance.now();
  act();
  return (performance.now() - start) / 1000;
};
const median = (values: number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

interface Figure {
  label: string;
  value: number;
  unit: string;
  aim?: string;
}

export async function bench(): Promise<{ name: string; figures: Figure[] }> {
  const bytes = journal(SIZE);
  const parse: number[] = [];
  const decode: number[] = [];
  const both: number[] = [];
  let records = 0;
  for (let round = 0; round < ROUNDS; round++) {
    parse.push(seconds(() => bareParse(bytes)));
    decode.push(seconds(() => readJournal(bytes)));
    both.push(
      seconds(() => {
        const read = readJournal(bytes);
        records = read.records.length;
        foldRecords(read.records, read.places);
      }),
    );
  }
  return {
    name: 'Reading a journal of 100 MB',
    figures: [
      { label: 'records', value: records, unit: '' },
      { label: 'bare JSON.parse of the same lines', value: median(parse), unit: 's' },
      { label: 'decode', value: median(decode), unit: 's' },
      { label: 'decode and fold', value: median(both), unit: 's' },
      {
        label: 'decode and fold / JSON.parse',
        value: median(both) / median(parse),
        unit: 'x',
        aim: '<= 1.6 x',
      },
    ],
  };
}
