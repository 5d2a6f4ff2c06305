import { profile as profileSchema } from '../../src/main/settings/profile';
import type { Profile } from '../../src/main/settings/profile';
import { resumeRun, startRun } from '../../src/main/agent';
import type {
  AgentParts,
  Outcome,
  ResumeOptions,
  Session,
  SessionEvent,
  StartOptions,
} from '../../src/main/agent';
import { memoryStore } from '../../src/main/journal/memory';
import { Seal } from '../../src/main/agent/origin';
import type { Journal, RunStore } from '../../src/main/journal/journal';
import type { SidecarEntry } from '../../src/shared/run/sidecar';
import type { Model } from '../../src/main/model/model';
import { witnessOf } from '../../src/main/settings/witness';
import type { Tool, ToolContext, ToolOutcome } from '../../src/main/tool/tool';

export type Run = (input: unknown, context: ToolContext) => ToolOutcome | Promise<ToolOutcome>;

/** A tool of a test. Counts its runs in `runs`, with the input of each. */
export interface TestTool extends Tool {
  readonly runs: unknown[];
}
export function testTool(
  name: string,
  run: Run = () => ({ content: `${name} ran` }),
  options: { changes?: boolean; timeoutMs?: number; description?: string } = {},
): TestTool {
  const runs: unknown[] = [];
  return {
    def: {
      name,
      description: options.description ?? `${name} of a test`,
      input_schema: { type: 'object' },
    },
    changes: options.changes ?? false,
    timeoutMs: options.timeoutMs ?? 60_000,
    describe: (input) => `${name} ${JSON.stringify(input)}`,
    runs,
    async run(input, context) {
      runs.push(input);
      return run(input, context);
    },
  };
}

export const testProfile = (patch: Record<string, unknown> = {}): Profile =>
  profileSchema.parse({
    name: 'test',
    provider: 'practice',
    model: 'scripted',
    system_prompt: 'You are a test.',
    ...patch,
  });

/** One machine, the same for every agent of a test. */
export const testWitness = witnessOf(Buffer.alloc(32, 7));

/** A note as this machine writes it. */
export async function noteOwn(journal: Journal, entry: SidecarEntry, witness = testWitness): Promise<void> {
  const [meta] = (await journal.load()).records;
  await journal.note(new Seal(witness, meta).sign(entry));
}

/** The parts of an agent around a scripted model and test tools; ids count up. */
export function testParts(model: Model, tools: Tool[] = [], patch: Partial<AgentParts> = {}): AgentParts {
  let count = 0;
  return {
    model: () => model,
    tools: () => tools,
    secrets: () => [],
    witness: testWitness,
    now: () => new Date(Date.UTC(2026, 0, 1) + count * 1000),
    newId: () => `run-${++count}`,
    ...patch,
  };
}

/** A session with everything it told, and ways to wait for what it will tell. */
export class Watched {
  readonly events: SessionEvent[] = [];
  readonly #waiting = new Set<() => void>();

  constructor(readonly session: Session) {
    session.on((event) => {
      this.events.push(event);
      for (const check of [...this.#waiting]) check();
    });
  }

  /** Resolves with the first event, told or yet to be told, that fits; `from` skips events before that index. */
  event<T extends SessionEvent['type']>(
    type: T,
    fits: (event: Extract<SessionEvent, { type: T }>) => boolean = () => true,
    from = 0,
  ): Promise<Extract<SessionEvent, { type: T }>> {
    const find = () =>
      this.events
        .slice(from)
        .find(
          (event): event is Extract<SessionEvent, { type: T }> => event.type === type && fits(event as never),
        );
    return new Promise((resolve) => {
      const check = (): void => {
        const found = find();
        if (!found) return;
        this.#waiting.delete(check);
        resolve(found);
      };
      this.#waiting.add(check);
      check();
    });
  }

  get warnings(): string[] {
    return this.events.flatMap((event) => (event.type === 'warning' ? [event.code] : []));
  }

  /** Kinds of the records that were told, in order. */
  get kinds(): string[] {
    return this.events.flatMap((event) =>
      event.type === 'record' ? [event.record.protocol.split('.').at(-1) ?? ''] : [],
    );
  }
}

export interface Scene {
  store: RunStore;
  parts: AgentParts;
  profile: Profile;
}

export const scene = (
  model: Model,
  tools: Tool[] = [],
  patch: Partial<AgentParts> & { profile?: Record<string, unknown>; store?: RunStore } = {},
): Scene => {
  const { profile, store, ...parts } = patch;
  return {
    store: store ?? memoryStore(),
    parts: testParts(model, tools, parts),
    profile: testProfile(profile),
  };
};

export async function start(
  { store, parts, profile }: Scene,
  options: Partial<StartOptions> = {},
): Promise<Watched> {
  return new Watched(
    await startRun(parts, {
      store,
      prompt: 'go',
      chat: false,
      profile,
      approvals: 'ask',
      id: 'r',
      ...options,
    }),
  );
}

export async function resume(
  { store, parts, profile }: Scene,
  options: Partial<ResumeOptions> = {},
): Promise<Watched> {
  return new Watched(await resumeRun(parts, { store, id: 'r', profile, approvals: 'ask', ...options }));
}

/** Runs to the end (or to rest) and gives the outcome. */
export async function run(
  scenery: Scene,
  options: Partial<StartOptions> = {},
): Promise<Watched & { outcome: Outcome }> {
  const watched = await start(scenery, options);
  return Object.assign(watched, { outcome: await watched.session.settled() });
}

/** What a run's journal holds: one short line a record. */
export async function records(store: RunStore, id = 'r'): Promise<string[]> {
  return (await store.load(id)).records.map((record) => {
    const { meta, assistant, user, tool_result: result, terminal } = record;
    if (meta) return `meta ${meta.prompt}`;
    if (assistant) {
      const blocks = (assistant.message.content ?? []).map((block) =>
        block.tool_use
          ? `${block.tool_use.name}#${block.tool_use.id}`
          : (block.text?.text ?? Object.keys(block)[0]),
      );
      return `assistant ${assistant.iteration} ${blocks.join(' ')} [${assistant.stop_reason ?? ''}]`;
    }
    if (user) return `user ${(user.message.content ?? []).map((block) => block.text?.text).join('')}`;
    if (result)
      return `result ${result.tool_use_id} ${result.result.is_error ? '! ' : ''}${result.result.content}`;
    return `terminal ${terminal?.reason ?? ''}`;
  });
}
