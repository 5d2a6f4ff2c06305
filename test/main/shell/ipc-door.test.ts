import { describe, expect, it } from 'vitest';
import { connect } from '../../../src/shared/contract/connect';
import { commands, type CommandName } from '../../../src/shared/contract/contract';
import { FRAME_LIMIT, type Port } from '../../../src/shared/contract/frame';
import { serve } from '../../../src/shared/contract/serve';
import { bridgePort } from '../../../src/shared/contract/text-port';
import {
  FRAME_CHANNEL,
  OPEN_CHANNEL,
  openIpcDoor,
  type IpcEvent,
  type SenderFrame,
} from '../../../src/main/shell/electron/ipc-door';
import { portSuite } from '../../conformance/port-suite';
import { goodInputs, hostileInputs, notingHandlers } from '../../support/handlers';
import { FakeContents, FakeIpc, ourFrame } from '../../support/preload';
import { until } from '../../support/wait';

const tick = () => new Promise((resolve) => setImmediate(resolve));

function door(onConnect: (port: Port) => void) {
  const ipc = new FakeIpc();
  const contents = new FakeContents(ipc);
  const refused: string[] = [];
  openIpcDoor({
    ipc: ipc.ours,
    origin: 'app://bundle',
    isOurs: (each) => each === contents,
    onConnect,
    onRefused: (why) => refused.push(why),
  });
  return { ipc, contents, refused };
}

portSuite('Electron IPC, through the preload', async () => {
  const ports: Port[] = [];
  const { contents } = door((port) => ports.push(port));
  const page = contents.load();
  await until(() => ports.length === 1);
  return {
    main: ports[0] as Port,
    window: bridgePort(page.bridge),
    leave: () => contents.destroy(),
    dispose: async () => contents.destroy(),
  };
});

describe('the preload', () => {
  it('exposes one closed channel: two functions, nothing of Electron', () => {
    const { contents } = door(() => undefined);
    const page = contents.load();
    expect(Object.keys(page.exposed)).toEqual(['holdfast']);
    expect(Object.entries(page.bridge).map(([name, value]) => [name, typeof value])).toEqual([
      ['send', 'function'],
      ['onFrame', 'function'],
    ]);
    expect(Object.isFrozen(page.bridge)).toBe(true);
  });

  it('hands the page text and only text: neither the event nor anything that is no text passes', async () => {
    let port: Port | undefined;
    const { contents, ipc } = door((each) => (port = each));
    const page = contents.load();
    await until(() => port !== undefined);
    const got: unknown[][] = [];
    page.bridge.onFrame((...args: unknown[]) => got.push(args));
    page.renderer.emit(FRAME_CHANNEL, { sender: {} }, page.name, { not: 'text' });
    page.renderer.emit(FRAME_CHANNEL, { sender: {} }, 'another page', 'text');
    port?.send({ kind: 'event', n: 1, name: 'app.focus', payload: { id: 'a' } });
    await until(() => got.length === 1);
    expect(got).toEqual([[JSON.stringify({ kind: 'event', n: 1, name: 'app.focus', payload: { id: 'a' } })]]);
    const sent: unknown[] = [];
    ipc.on(FRAME_CHANNEL, (_event, _page, ...args) => sent.push(args));
    for (const odd of [null, 1, {}, [], () => 1, undefined]) page.bridge.send(odd as never);
    page.bridge.onFrame('not a function' as never);
    await tick();
    expect(sent).toEqual([]);
  });
});

describe('the IPC door', () => {
  const foreign: [string, (contents: FakeContents) => Partial<IpcEvent>][] = [
    ['a null frame', () => ({ senderFrame: null })],
    ['no frame at all', () => ({ senderFrame: undefined as unknown as null })],
    ['a detached frame', () => ({ senderFrame: { ...ourFrame, detached: true } })],
    ['a child frame', () => ({ senderFrame: { ...ourFrame, parent: {} } })],
    ...[
      'https://evil.example/',
      'app://evil/index.html',
      'app://bundle.evil/',
      'app://bundle@evil/',
      'app://bundle:1/',
      'app:bundle/index.html',
      'file:///app://bundle/index.html',
      'http://bundle/index.html',
      'about:blank',
      'data:text/html,app://bundle/',
      'blob:app://bundle/1',
      'devtools://bundle/',
      '',
    ].map((url): [string, () => { senderFrame: SenderFrame }] => [
      `a page at ${url || 'no address'}`,
      () => ({ senderFrame: { ...ourFrame, url } }),
    ]),
    ['a window that is not ours', (contents) => ({ sender: new FakeContents(contents.ipc) })],
  ];

  /** Sends every command from every foreign sender. `alter`: what a weaker door would make of the event. */
  async function besiege(alter: (event: IpcEvent) => IpcEvent = (event) => event) {
    const { handlers, calls } = notingHandlers();
    const { ipc, contents, refused } = door((port) => void serve(handlers, port));
    const page = contents.load();
    await tick();
    const names = Object.keys(commands) as CommandName[];
    let tried = 0;
    for (const name of names) {
      for (const [, make] of foreign) {
        const event = alter({ sender: contents, senderFrame: ourFrame, ...make(contents) } as IpcEvent);
        const text = JSON.stringify({ kind: 'call', call: ++tried, name, input: goodInputs[name] });
        ipc.receive(FRAME_CHANNEL, event, page.name, text);
        ipc.receive(OPEN_CHANNEL, event, page.name);
      }
    }
    await tick();
    return { ipc, contents, page, refused, calls, tried: tried * 2, commands: names.length };
  }

  it('hears nobody but the main frame of our page in our window: every command × every foreign sender', async ({
    annotate,
  }) => {
    const siege = await besiege();
    expect(siege.calls).toEqual([]);
    expect(siege.refused.length).toBe(siege.tried);
    await annotate(
      `foreign senders: ${siege.tried} messages over ${siege.commands} commands, ${siege.calls.length} accepted`,
      'figures',
    );
    // The page that was there all the time is still heard.
    siege.ipc.receive(
      FRAME_CHANNEL,
      { sender: siege.contents, senderFrame: ourFrame },
      siege.page.name,
      JSON.stringify({ kind: 'call', call: 1, name: 'app.hello', input: {} }),
    );
    await until(() => siege.calls.length === 1);
  });

  it.each([
    ['takes every frame for ours', (event: IpcEvent) => ({ ...event, senderFrame: ourFrame })],
    [
      'looks at the beginning of the address',
      (event: IpcEvent) =>
        event.senderFrame?.url.startsWith('app://bundle') ? { ...event, senderFrame: ourFrame } : event,
    ],
    [
      'forgets that frames have parents',
      (event: IpcEvent) => ({
        ...event,
        senderFrame: event.senderFrame && { ...event.senderFrame, parent: null },
      }),
    ],
  ])('would be caught if it were one that %s', async (_, alter) => {
    expect((await besiege(alter)).calls.length).toBeGreaterThan(0);
  });

  it('accepts no hostile payload of any command, on any registered channel', async () => {
    const { handlers, calls } = notingHandlers();
    const { ipc, contents } = door((port) => void serve(handlers, port));
    const page = contents.load();
    await tick();
    const ours = { sender: contents, senderFrame: ourFrame };
    const channels = ipc.eventNames();
    expect(channels).toEqual([OPEN_CHANNEL, FRAME_CHANNEL]);
    let call = 0;
    for (const name of Object.keys(commands) as CommandName[]) {
      for (const [, input] of hostileInputs(goodInputs[name])) {
        ipc.receive(
          FRAME_CHANNEL,
          ours,
          page.name,
          JSON.stringify({ kind: 'call', call: ++call, name, input }),
        );
      }
      const big = {
        kind: 'call',
        call: ++call,
        name,
        input: { ...(goodInputs[name] as object), x: 'x'.repeat(1e6) },
      };
      ipc.receive(FRAME_CHANNEL, ours, page.name, JSON.stringify(big));
    }
    for (const odd of [
      null,
      undefined,
      1,
      {},
      [],
      Buffer.from('{}'),
      'x'.repeat(FRAME_LIMIT + 1),
      '{',
      'null',
    ]) {
      ipc.receive(FRAME_CHANNEL, ours, page.name, odd);
      ipc.receive(FRAME_CHANNEL, ours, odd, '{}');
      ipc.receive(OPEN_CHANNEL, ours, odd, 'one argument more');
    }
    for (const odd of [null, undefined, 1, {}, 'x'.repeat(101)]) ipc.receive(OPEN_CHANNEL, ours, odd);
    ipc.receive(FRAME_CHANNEL, ours, page.name, '{}', 'one argument more');
    await tick();
    expect(calls).toEqual([]);
  });

  it('reads the sender while the message is delivered, not later', () => {
    const { ipc, contents } = door(() => undefined);
    contents.load();
    let reads = 0;
    const event = {
      sender: contents,
      get senderFrame() {
        reads++;
        return ourFrame;
      },
    };
    ipc.receive(FRAME_CHANNEL, event, 'page', 'x');
    expect(reads).toBe(1);
  });

  it('gives a page nothing that was on its way for the page before it, nor the other way', async () => {
    const ports: Port[] = [];
    const calls: string[] = [];
    const { ipc, contents } = door((port) => {
      ports.push(port);
      port.onFrame((frame) => calls.push((frame as { name: string }).name));
    });
    const first = contents.load();
    await until(() => ports.length === 1);
    // The new document is there, but its word has not come yet: main still speaks to the old one.
    ports[0]?.send({ kind: 'event', n: 57, name: 'app.focus', payload: { id: 'old' } });
    const second = contents.load();
    const got: unknown[] = [];
    second.bridge.onFrame((text) => got.push(JSON.parse(text)));
    await until(() => ports.length === 2);
    ports[1]?.send({ kind: 'event', n: 1, name: 'app.focus', payload: { id: 'new' } });
    await until(() => got.length > 0);
    await tick();
    expect(got).toEqual([{ kind: 'event', n: 1, name: 'app.focus', payload: { id: 'new' } }]);
    const late = JSON.stringify({ kind: 'call', call: 1, name: 'run.cancel', input: { id: 'a' } });
    ipc.receive(FRAME_CHANNEL, { sender: contents, senderFrame: ourFrame }, first.name, late);
    expect(calls).toEqual([]);
  });

  it('begins anew when the page is loaded again: the old connection ends, the new one is heard', async () => {
    const ports: Port[] = [];
    const closed: number[] = [];
    const { contents } = door((port) => {
      const n = ports.push(port);
      port.onClose(() => closed.push(n));
      serve(notingHandlers({ 'prefs.get': () => ({ theme: 'dark', zoom: n }) }).handlers, port);
    });
    const first = connect(bridgePort(contents.load().bridge));
    expect(await first.call('prefs.get', {})).toMatchObject({ zoom: 1 });
    const second = connect(bridgePort(contents.load().bridge));
    expect(await second.call('prefs.get', {})).toMatchObject({ zoom: 2 });
    expect(closed).toEqual([1]);
    expect(ports[0]?.send({ kind: 'event', n: 1, name: 'app.focus', payload: {} })).toBe(false);
    contents.emit('render-process-gone');
    expect(closed).toEqual([1, 2]);
  });
});
