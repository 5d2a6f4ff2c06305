import { once } from 'node:events';
import { WebSocket } from 'ws';
import { socketPort, type SocketLike } from '../../../src/shared/contract/text-port';
import type { Port } from '../../../src/shared/contract/frame';
import { LIVE_PATH } from '../../../src/shared/contract/paths';
import { openBrowserDoor } from '../../../src/main/shell/browser/server';
import { portSuite } from '../../conformance/port-suite';
import { enter } from '../../support/door';

portSuite('WebSocket of the browser door', async () => {
  const arrived: Port[] = [];
  const door = await openBrowserDoor({
    root: import.meta.dirname,
    port: 0,
    onConnect: (port) => arrived.push(port),
  });
  const { host, cookie } = await enter(door.link());
  const socket = new WebSocket(`ws://${host}${LIVE_PATH}`, { headers: { cookie, origin: `http://${host}` } });
  const window = socketPort(socket as SocketLike);
  await once(socket, 'open');
  return {
    main: arrived[0] as Port,
    window,
    leave: () => socket.terminate(),
    dispose: async () => {
      socket.terminate();
      await door.close();
    },
  };
});
