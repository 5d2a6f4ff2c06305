import fc from 'fast-check';
import { waysOf } from '../../src/shared/contract/ways';
import type { Client } from '../../src/shared/contract/connect';
import { Failure } from '../../src/shared/run/failure';
import { memoryStore } from '../../src/main/journal/memory';
import type { RunStore } from '../../src/main/journal/journal';
import { testWitness } from './agent';
import { makeDesk, Shown, startChat, type Desk } from './app';
import { crashed } from './crash';
import { scriptedModel, type ScriptedReply } from './scripted-model';
import { until } from './wait';

/** What a person does with a chat, and what its model does then. */
const reply = fc.constantFrom('answers', 'hangs', 'hangs', 'is cut', 'fails', 'asks');
type Reply = 'answers' | 'hangs' | 'is cut' | 'fails' | 'asks';
export const act = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('say' as const), model: reply }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'stop',
        'pause',
        'finish',
        'allow',
        'deny',
        'again',
        'send',
        'drop',
        'kill',
        'reload' as const,
      ),
      pick: fc.nat(),
      model: reply,
    }),
  },
);
export type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

export interface Verdict {
  /** What a window shows live, after a reload and after a restart, where they differ. */
  differ: string[];
  lost: string[];
  doubled: string[];
  unasked: string[];
}

/** One chat, one sequence; `spoil` makes a broken build of the store. */
export async function play(
  first: Reply,
  acts: readonly Act[],
  spoil: (store: RunStore) => RunStore,
): Promise<Verdict> {
  const trial = new Trial(spoil);
  try {
    await trial.begin(first);
    for (const one of acts) await trial.act(one);
    await trial.rest();
    await trial.compare();
    await trial.count();
    return trial.verdict;
  } finally {
    await trial.close();
  }
}

class Trial {
  readonly verdict: Verdict = { differ: [], lost: [], doubled: [], unasked: [] };
  readonly #desks: Desk[] = [];
  #store: RunStore = memoryStore();
  #desk!: Desk;
  #client!: Client;
  #shown!: Shown;
  #id = '';
  #said = 0;
  readonly #accepted = new Set<string>();
  readonly #dropped = new Set<string>();
  /** Seen as held, and not sent by the person since. */
  readonly #held = new Set<string>();
  #next: Reply = 'answers';
  #hanging = 0;
  #finish: (() => void) | undefined;

  constructor(private readonly spoil: (store: RunStore) => RunStore) {}

  async begin(model: Reply): Promise<void> {
    this.#next = model;
    await this.#open();
    const { id, shown } = await startChat(this.#client, 'go', { folder: this.#desk.folder });
    [this.#id, this.#shown] = [id, shown];
    await this.#settled();
  }

  async act(one: Act): Promise<void> {
    const { head } = this.#shown;
    if (!head) return;
    const ways = waysOf(head);
    const id = this.#id;
    this.#next = one.model;
    if (one.do === 'say') {
      if (!ways.say) return;
      const text = `words ${++this.#said}.`;
      const { done } = await this.#client.call('run.say', { id, text, queue: ways.say !== 'now' });
      if (done) this.#accepted.add(text);
    } else if (one.do === 'stop') await this.#client.call('run.cancel', { id });
    else if (one.do === 'pause') await this.#client.call('run.pause', { id });
    else if (one.do === 'finish') this.#finish?.();
    else if (one.do === 'allow' || one.do === 'deny') {
      const hash = head.approval?.hash;
      const decision = one.do === 'allow' ? 'once' : 'deny';
      if (hash !== undefined) await this.#client.call('run.approve', { id, hash, decision });
    } else if (one.do === 'again') {
      if (ways.again) await this.#client.call('run.again', { id });
    } else if (one.do === 'kill') await this.#kill();
    else if (one.do === 'reload') this.#show();
    else {
      const message = head.queued[one.pick % Math.max(1, head.queued.length)];
      if (!message) return;
      if (one.do === 'send' && message.held && (ways.say ?? ways.stop)) {
        this.#held.delete(message.text);
        await this.#client.call('run.send', { id, message: message.id });
      } else if (one.do === 'drop') {
        const { done } = await this.#client.call('run.unqueue', { id, message: message.id });
        if (done) this.#dropped.add(message.text);
      }
    }
    await this.#settled();
  }

  /** Whatever is under way is stopped. */
  async rest(): Promise<void> {
    if (!this.#atRest) await this.#client.call('run.cancel', { id: this.#id });
    await until(() => this.#atRest);
    await this.#settled();
  }

  async compare(): Promise<void> {
    const live = await this.#seen(this.#shown);
    const reloaded = new Shown(this.#client, this.#id);
    await until(() => reloaded.head !== undefined);
    this.#tell('a reload', live, await this.#seen(reloaded));
    await this.#desk.close();
    await this.#open();
    const restarted = new Shown(this.#client, this.#id);
    await until(() => restarted.head !== undefined);
    this.#tell('a restart', live, await this.#seen(restarted));
    this.#shown = restarted;
  }

  /** Where all words are that were accepted. */
  async count(): Promise<void> {
    const { records } = await this.#store.load(this.#id);
    const sent = records.flatMap(
      ({ user }) => user?.message.content?.map((block) => block.text?.text ?? '') ?? [],
    );
    const waits = this.#shown.head?.queued.map(({ text }) => text) ?? [];
    for (const text of this.#accepted) {
      const times = [...sent, ...waits].filter((one) => one === text).length;
      if (times === 0 && !this.#dropped.has(text)) this.verdict.lost.push(text);
      if (times > 1) this.verdict.doubled.push(text);
      if (sent.includes(text) && this.#held.has(text)) this.verdict.unasked.push(text);
      if (times > 0 && this.#dropped.has(text)) this.verdict.unasked.push(`${text} (dropped)`);
    }
  }

  async close(): Promise<void> {
    this.#finish?.();
    for (const desk of this.#desks) await desk.close();
  }

  get #atRest(): boolean {
    const { head } = this.#shown;
    // The head may be on its way; what works is known here.
    if (this.#desk.app.live().length > 0) return false;
    return head !== undefined && (head.mode !== 'live' || head.phase === 'idle' || head.phase === 'ended');
  }

  /** Until nothing moves any more without a person: at rest, at a question, or while the model hangs. */
  async #settled(): Promise<void> {
    const asked = () => this.#desk.app.live().length > 0 && this.#shown.head?.approval !== undefined;
    await until(() => this.#atRest || asked() || this.#hanging > 0);
    for (const { text, held } of this.#shown.head?.queued ?? [])
      if (held && this.#atRest) this.#held.add(text);
  }

  async #kill(): Promise<void> {
    const left = this.#store;
    const slip = await left.slip(this.#id, 'queue');
    this.#store = await crashed(left, this.#id);
    if (slip) await this.#store.putSlip(this.#id, 'queue', slip.text);
    this.#hanging = 0;
    this.#finish = undefined;
    await this.#open();
    this.#show();
    await until(() => this.#shown.head !== undefined);
  }

  #show(): void {
    this.#shown = new Shown(this.#client, this.#id);
  }

  async #open(): Promise<void> {
    const model = scriptedModel([() => this.#reply()], { repeat: true });
    this.#desk = makeDesk({ model, store: this.spoil(this.#store), witness: testWitness, leaveMs: 50 });
    this.#desks.push(this.#desk);
    this.#client = this.#desk.window();
  }

  #reply(): ScriptedReply {
    const kind = this.#next;
    this.#next = 'answers';
    switch (kind) {
      case 'answers':
        return { text: 'an answer' };
      case 'hangs': {
        this.#hanging++;
        const hold = new Promise<void>((resolve) => {
          this.#finish = () => {
            this.#hanging = 0;
            this.#finish = undefined;
            resolve();
          };
        });
        return { text: 'half an answer', hold };
      }
      case 'is cut':
        return {
          text: 'half an ans',
          fail: new Failure({ code: 'model_overloaded', message: 'Cut.', todo: 'Try again.' }),
        };
      case 'fails':
        return {
          fail: new Failure({ code: 'model_auth', message: 'The key is wrong.', todo: 'Check the key.' }),
        };
      case 'asks':
        return { text: 'may I', tools: [{ name: 'append_file', input: { path: 'a.txt', text: 'x' } }] };
    }
  }

  #tell(what: string, live: Seen, other: Seen): void {
    for (const key of Object.keys(live) as (keyof Seen)[]) {
      const [one, two] = [JSON.stringify(live[key]), JSON.stringify(other[key])];
      if (one !== two) this.verdict.differ.push(`${key} after ${what}: ${two}, and was ${one}`);
    }
  }

  /** What stands on the screen, once nothing more changes. */
  async #seen(shown: Shown): Promise<Seen> {
    let before = '';
    await until(async () => {
      await shown.loaded();
      const now = JSON.stringify(seen(shown));
      const still = now === before;
      before = now;
      await new Promise((resolve) => setImmediate(resolve));
      return still;
    });
    return seen(shown);
  }
}

type Seen = ReturnType<typeof seen>;
function seen(shown: Shown) {
  const { head } = shown;
  return {
    items: shown.list().map(({ at: _at, ...item }) => item),
    stream: shown.stream,
    waiting: head?.queued.map(({ text, held }) => [text, held]),
    status: head?.row.status,
    failure: head?.failure && [head.failure.message, head.failure.kept, head.failure.todo],
    ways: head && waysOf(head),
    lastSeq: head?.lastSeq,
    steps: head?.steps,
    warnings: head?.warnings,
  };
}
