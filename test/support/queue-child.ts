/**
 * A chat in a process of its own, for tests that kill it: says two messages while the agent works, and one more after
 * those were answered. One JSON line on stdout for each message that was accepted.
 */
import { writeSync } from 'node:fs';
import { startRun } from '../../src/main/agent';
import { fileStore } from '../../src/main/journal/file';
import { testParts, testProfile } from './agent';
import { scriptedModel } from './scripted-model';

const { store: folder, forgets } = JSON.parse(process.argv[2] ?? '{}') as { store: string; forgets: boolean };
const store = fileStore(folder);
// Broken on purpose: the queue is in memory only.
if (forgets) store.putSlip = () => Promise.resolve();

let go = (): void => undefined;
const hold = new Promise<void>((resolve) => (go = resolve));
const model = scriptedModel([{ text: 'slow', hold }, { text: 'answer' }], { repeat: true });
const session = await startRun(
  { ...testParts(model), newId: () => `m${Math.random()}`.replace('.', '') },
  { store, id: 'run', prompt: 'go', chat: true, profile: testProfile(), approvals: 'ask' },
);
const say = async (text: string): Promise<void> => {
  if (await session.say(text)) writeSync(1, `${JSON.stringify(text)}\n`);
};
await model.streamed(1);
await say('first');
await say('second');
go();
await session.settled();
await say('third');
await session.settled();
await session.close();
