/**
 * A process of its own that opens a run on a stream and does what it is told, one JSON line each: for tests in which a
 * writer is killed or frozen. Arguments: address, id. Prints `{"open":true}` or the failure, then an answer a line.
 */
import { createInterface } from 'node:readline';
import { natsStore } from '../../src/main/journal/jetstream';
import { isFailure } from '../../src/shared/run/failure';
import { answerRecord } from './journal-records';

const [address, id] = process.argv.slice(2) as [string, string];
const say = (answer: unknown): void => void process.stdout.write(`${JSON.stringify(answer)}\n`);
const failed = (error: unknown): void =>
  say(isFailure(error) ? { failed: error.code, reason: error.data?.reason } : { failed: String(error) });

const store = await natsStore(address);
try {
  const journal = await store.open(id);
  journal.onDead((failure) => say({ dead: failure.code }));
  say({ open: true });
  for await (const line of createInterface({ input: process.stdin })) {
    try {
      const { what, tool } = JSON.parse(line) as { what: string; tool?: string };
      if (what === 'note')
        await journal.note({
          kind: 'intent',
          at: new Date().toISOString(),
          tool_use_id: tool ?? 'call',
          tool: 'append_file',
          input_sha256: 'f'.repeat(64),
          changes: true,
        });
      else if (what === 'append')
        await journal.append(answerRecord(journal.lastSeq + 1, 'from the holder', 7));
      else if (what === 'close') break;
      say({ done: what });
    } catch (error) {
      failed(error);
    }
  }
} catch (error) {
  failed(error);
}
await store.close();
process.stdin.destroy();
