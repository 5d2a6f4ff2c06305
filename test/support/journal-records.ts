import { PROTOCOL, RECORD_VERSION } from '../../src/shared/run/record';
import type { Fingerprint, RawJson, RunRecord, TerminalReason } from '../../src/shared/run/record';

/** Small lawful records for journal tests. Builders give fresh objects, so a test may change what it gets. */

export const fingerprint: Fingerprint = {
  provider: 'practice',
  model: 'practice-1',
  system_hash: 'a'.repeat(64),
  tools_hash: 'b'.repeat(64),
  thinking_mode: 'off',
  max_tokens: 2_000_000,
  max_iterations: 50,
};

export const metaRecord = (runId: string, prompt = 'Say what is here', interactive = true): RunRecord => ({
  seq: 1,
  protocol: PROTOCOL.meta,
  meta: {
    version: RECORD_VERSION,
    run_id: runId,
    created: '2026-07-20T09:08:07.12+02:00',
    fingerprint: { ...fingerprint },
    prompt,
    ...(interactive && { interactive }),
  },
});

export const answerRecord = (seq: number, text: string, iteration = 0): RunRecord => ({
  seq,
  protocol: PROTOCOL.assistant,
  assistant: {
    iteration,
    message: { role: 'assistant', content: [{ text: { text } }] },
    stop_reason: 'end_turn',
    in_tokens: 10,
    out_tokens: 3,
  },
});

/** An answer that asks for tools, one call for each id. */
export const callRecord = (seq: number, ids: string[], iteration = 0, tool = 'read_file'): RunRecord => ({
  seq,
  protocol: PROTOCOL.assistant,
  assistant: {
    iteration,
    message: {
      role: 'assistant',
      content: ids.map((id) => ({
        tool_use: { id, name: tool, input: '{"path":"a.txt","size":1.0}' as RawJson },
      })),
    },
    stop_reason: 'tool_use',
    in_tokens: 10,
    out_tokens: 3,
  },
});

export const resultRecord = (seq: number, id: string, content: string): RunRecord => ({
  seq,
  protocol: PROTOCOL.tool_result,
  tool_result: { tool_use_id: id, result: { tool_use_id: id, content } },
});

export const userRecord = (seq: number, text: string): RunRecord => ({
  seq,
  protocol: PROTOCOL.user,
  user: { message: { role: 'user', content: [{ text: { text } }] } },
});

export const terminalRecord = (seq: number, reason: TerminalReason, message?: string): RunRecord => ({
  seq,
  protocol: PROTOCOL.terminal,
  terminal: { reason, ...(message !== undefined && { message }) },
});

/** A whole chat of `length` records: prompt, answer with a call, its result, answer, follow-up, and so on. */
export function chatRecords(
  runId: string,
  length: number,
  text = 'words with <angle> & “quotes” \u2028 🙂',
): RunRecord[] {
  const records = [metaRecord(runId)];
  for (let seq = 2, iteration = 0; seq <= length; seq++) {
    const step = (seq - 2) % 4;
    if (step === 0) records.push(callRecord(seq, [`call_${seq}`], iteration++));
    else if (step === 1) records.push(resultRecord(seq, `call_${seq - 1}`, `${text} ${seq}`));
    else if (step === 2) records.push(answerRecord(seq, `${text} ${seq}`, iteration++));
    else records.push(userRecord(seq, `${text} ${seq}`));
  }
  return records.slice(0, length);
}
