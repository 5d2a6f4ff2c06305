import { resumeRun, startRun } from '../../src/main/agent/index';
import type { AgentParts, Session } from '../../src/main/agent/session';
import { fileStore } from '../../src/main/journal/file/index';
import { anthropicModel } from '../../src/main/model/anthropic/index';
import { openaiModel } from '../../src/main/model/openai/index';
import { witnessOf } from '../../src/main/settings/witness';
import { toolsFor } from '../../src/main/tool/registry';
import { testProfile } from './model-calls';

/** What a process of its own is told to do; a parent kills it somewhere in the middle. */
export interface ChildOrders {
  api: 'anthropic' | 'openai';
  origin: string;
  key: string;
  runs: string;
  work: string;
  resume: boolean;
  say?: string;
}

/** One session until it rests: started or resumed, with everything allowed and unknown calls run again. */
async function obey(orders: ChildOrders): Promise<void> {
  const profile = testProfile({
    provider: orders.api,
    model: 'strict-1',
    endpoint: orders.origin,
    key_env: 'K',
    tools: ['list_files', 'read_file', 'search_text', 'file_stats', 'write_file', 'append_file'],
  });
  const options = { env: { K: orders.key }, backoffMs: 1 };
  const parts: AgentParts = {
    model: () =>
      orders.api === 'anthropic' ? anthropicModel(profile, options) : openaiModel(profile, options),
    tools: toolsFor,
    witness: witnessOf(Buffer.alloc(32, 7)),
    secrets: () => [],
    now: () => new Date(),
    newId: () => 'other',
  };
  const common = {
    store: fileStore(orders.runs),
    id: 'run',
    profile,
    folder: orders.work,
    allow: ['append_file', 'write_file'],
    approvals: 'auto-deny' as const,
  };
  const session: Session = orders.resume
    ? await resumeRun(parts, {
        ...common,
        unknownDefault: 'run',
        ...(orders.say !== undefined && { say: orders.say }),
      })
    : await startRun(parts, { ...common, prompt: 'Look around.', chat: true });
  await session.settled();
  await session.close();
}

await obey(JSON.parse(process.argv[2] ?? '') as ChildOrders);
