import { openBrowserDoor } from '../../src/main/shell/browser/server';
import { serve, type Handlers, type Peer, type Served } from '../../src/shared/contract/serve';
import type { CommandOutput, EventName, EventPayload } from '../../src/shared/contract/contract';
import type { SecretEntry } from '../../src/shared/contract/keys';
import type { TranscriptItem } from '../../src/shared/contract/items';
import type { RunSide } from '../../src/shared/contract/moving';
import type { PreflightView, RunChange, RunHead, RunRow } from '../../src/shared/contract/views';
import { Failure } from '../../src/shared/run/failure';
import { fakeLibrary } from './fake-library';
import { fakeReading } from './fake-reading';
import { fakeMoving } from './fake-moving';
import { fakeSearch, type FakeFinds } from './fake-search';

type Hello = CommandOutput<'app.hello'>;
type ProfileList = CommandOutput<'profiles.list'>;

/** A run that a scene shows. */
export interface FakeRun {
  head: RunHead;
  items: TranscriptItem[];
  stream?: { iteration: number; text: string; thinking: string };
  preflight?: PreflightView;
}

/** Everything that the stand-in answers with; tests change it and emit what they changed. */
export interface Scene {
  hello: Hello;
  rows: RunRow[];
  runs: Map<string, FakeRun>;
  profiles: ProfileList;
  servers: CommandOutput<'profiles.discover'>['servers'];
  keys: CommandOutput<'keys.list'>;
  prefs: CommandOutput<'prefs.get'>;
  folders: string[];
  stores: CommandOutput<'stores.list'>['stores'];
  /** What every test of a store finds. */
  checks: CommandOutput<'stores.test'>['checks'];
  /** Milliseconds before a page of items or a folder is answered. */
  slow: number;
  /** What every search finds; absent: nothing. */
  finds?: FakeFinds;
  /** Absent: nothing was allowed yet. */
  permissions?: CommandOutput<'permissions.list'>;
  /** Folders in each folder; absent: a few usual ones. */
  inside?: string[];
  /** Sides of comparisons by run; absent: none can be made. */
  compare?: Record<string, RunSide>;
  calls: { name: string; input: unknown }[];
}

export interface FakeApp {
  scene: Scene;
  link(): string;
  emit<N extends EventName>(name: N, payload: EventPayload<N>): void;
  change(id: string, after: number, change: RunChange): void;
  close(): Promise<void>;
}

const heldKey = (kind: SecretEntry['kind'], service: string): SecretEntry => ({
  id: '0123456789abcdef01234567',
  kind,
  service,
  uses: [],
  hint: 'wxyz',
  at: new Date().toISOString(),
  where: 'session',
});

const missing = () =>
  new Failure({ code: 'not_found', message: 'There is no such run.', todo: 'It may be in the trash.' });

/**
 * The contract with nothing behind it, through the real browser door: for states of the window that are hard to reach,
 * for pictures, and for measuring the window alone. Whatever can be shown with the real application is tested with that.
 */
export async function fakeApp(root: string, scene: Scene): Promise<FakeApp> {
  const windows = new Set<Served>();
  const door = await openBrowserDoor({
    root,
    port: 0,
    onConnect: (port) => {
      const served = serve(handlers(scene), port);
      windows.add(served);
      served.onClose(() => windows.delete(served));
    },
  });
  const emit: FakeApp['emit'] = (name, payload) => windows.forEach((peer: Peer) => peer.emit(name, payload));
  return {
    scene,
    link: () => door.link(),
    emit,
    change: (id, after, change) => emit('run.change', { id, after, change }),
    close: () => door.close(),
  };
}

function handlers(scene: Scene): Handlers {
  const drafts = new Map<string, string>();
  const run = (id: string) => {
    const found = scene.runs.get(id);
    if (!found) throw missing();
    return found;
  };
  const done = () => ({ done: true });
  const all: Handlers = {
    'app.hello': () => scene.hello,
    ...fakeLibrary(scene),
    ...fakeSearch(scene),
    'run.watch': ({ id }) => {
      const { head, stream } = run(id);
      return { head, ...(stream && { stream }) };
    },
    'run.unwatch': done,
    'run.items': async ({ id, from, limit }) => {
      if (scene.slow > 0) await new Promise((resolve) => setTimeout(resolve, scene.slow));
      const { items, head } = run(id);
      return { items: items.slice(from, from + limit), from, total: items.length, lastSeq: head.lastSeq };
    },
    'run.text': ({ from, limit }) => {
      const text = 'more of it\n'.repeat(50_000).slice(from, from + limit);
      return { text, total: 550_000 };
    },
    'run.kept': ({ from, limit }) => {
      const text = 'the whole result\n'.repeat(20_000).slice(from, from + limit);
      return { text, total: 340_000 };
    },
    'run.find': ({ id, words }) => {
      const hits = run(id).items.flatMap((item, index) => {
        const text = JSON.stringify(item).toLowerCase();
        const count = text.split(words.toLowerCase()).length - 1;
        return count > 0 ? [{ index, key: item.key, count }] : [];
      });
      return { hits, total: hits.reduce((sum, hit) => sum + hit.count, 0) };
    },
    'run.record': ({ seq }) => {
      const json = `{"seq":${seq},"protocol":"io.choria.fisk-ai.v1.session.tool_result","tool_result":{"tool_use_id":"call_1","result":{"tool_use_id":"call_1","content":"12 files"}}}`;
      return {
        seq,
        kind: 'tool_result',
        offset: 4_211,
        bytes: json.length,
        at: new Date().toISOString(),
        durability: 'disk',
        fork: true,
        json,
        total: json.length,
      };
    },
    ...fakeReading(run),
    'run.copy': ({ id, to }) => ({
      id: `${to}.${id}`,
      store: to,
      records: 12,
      bytes: 4_096,
      sha256: '0'.repeat(64),
      dropped: 0,
      missingTexts: 0,
    }),
    'stores.list': () => ({
      stores: scene.stores,
      file: '/home/ada/.config/holdfast/stores.yaml',
    }),
    'stores.test': () => ({ checks: scene.checks }),
    'stores.save': done,
    'stores.remove': done,
    'run.start': () => ({ id: scene.rows[0]?.id ?? 'none' }),
    'run.continue': () => ({ id: scene.rows[0]?.id ?? 'none' }),
    'run.say': done,
    'run.unqueue': done,
    'run.send': done,
    'run.again': done,
    'run.approve': done,
    'run.pause': done,
    'run.cancel': done,
    'run.reset': done,
    ...fakeMoving(scene),
    'run.preflight': ({ id }) => {
      const { preflight } = run(id);
      if (!preflight) throw missing();
      return preflight;
    },
    'run.resume': done,
    'draft.get': ({ key }) => ({ text: drafts.get(key) ?? '' }),
    'draft.set': ({ key, text }) => {
      drafts.set(key, text);
      return { done: true };
    },
    'profiles.list': () => scene.profiles,
    'profiles.save': done,
    'profiles.remove': done,
    'profiles.usual': done,
    'profiles.export': () => ({ text: 'version: 1\n' }),
    'profiles.import': () => ({ imported: [], notes: [] }),
    'profiles.versions': () => ({ versions: 3, bytes: 2400, folder: '/home/ada/.config/holdfast/versions' }),
    'profiles.forget': done,
    'profiles.models': () => ({ models: ['practice-1'] }),
    'profiles.try': () => ({ ms: 240, words: 'OK' }),
    'keys.list': () => scene.keys,
    'keys.hold': ({ kind, service }) => heldKey(kind, service),
    'keys.replace': () => heldKey('key', 'https://api.anthropic.com'),
    'keys.remove': done,
    'profiles.discover': () => ({ servers: scene.servers }),
    'folder.pick': () => ({ folder: '' }),
    'folder.use': ({ path }) => ({ folder: path }),
    'permissions.list': () => scene.permissions ?? { asking: [], addresses: [], folders: [] },
    'permissions.decline': done,
    'permissions.revoke': done,
    'folder.list': async ({ path }) => {
      if (scene.slow > 0) await new Promise((resolve) => setTimeout(resolve, scene.slow));
      return {
        path,
        parent: '/home',
        folders: scene.inside ?? ['Documents', 'Downloads', 'Finance', 'Music', 'Pictures'],
        files: 14,
      };
    },
    'folder.sample': () => ({ folder: '/home/ada/Holdfast sample' }),
    'folder.recent': () => ({ folders: scene.folders }),
    'link.open': ({ url }) => {
      throw new Failure({
        code: 'forbidden',
        message: 'Links are opened by your browser here.',
        data: { href: url },
      });
    },
    'prefs.get': () => scene.prefs,
    'prefs.set': (change) => {
      Object.assign(scene.prefs, change);
      return { done: true };
    },
  };
  for (const name of Object.keys(all) as (keyof Handlers)[]) {
    const handler = all[name] as (input: unknown, peer: Peer) => unknown;
    Object.assign(all, {
      [name]: (input: unknown, peer: Peer) => {
        scene.calls.push({ name, input });
        return handler(input, peer);
      },
    });
  }
  return all;
}
