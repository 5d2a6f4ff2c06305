import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { LIVE_PATH } from '../../../src/shared/contract/paths';
import { serve } from '../../../src/shared/contract/serve';
import { openBrowserDoor } from '../../../src/main/shell/browser/server';
import { enter } from '../../support/door';
import { tempFolder } from '../../support/folder';
import { notingHandlers } from '../../support/handlers';

/** Milliseconds that a window's call may take longer than it does in quiet. */
const DELAY = 50;

/** A program that asks 1,000 times a second and is refused: without a cookie, with a false token, with a false cookie. */
const FLOODER = `
const { request } = require('node:http');
const [port, cookie] = process.argv.slice(2);
let refused = 0, open = 0;
setInterval(() => {
  for (let n = 0; n < 10 && open < 500; n++) {
    open++;
    const kind = (refused + n) % 3;
    request({ port, host: '127.0.0.1', path: kind === 1 ? '/?token=' + 'a'.repeat(43) : '/',
      headers: { host: '127.0.0.1:' + port, ...(kind === 2 && { cookie }) } }, (answer) => {
      answer.resume(); open--; if (answer.statusCode === 403) refused++;
      if (refused === 100) process.send('on');
    }).on('error', () => open--).end();
  }
}, 10);
`;

/** What delayed a window while the flood went on; undefined: nothing did. `weakened`: each refusal looks at once. */
export async function flood(weakened: boolean): Promise<string | undefined> {
  const root = tempFolder({ 'index.html': '', 'flooder.cjs': FLOODER });
  const { handlers } = notingHandlers({ 'prefs.get': () => ({ theme: 'dark', zoom: 1 }) });
  const door = await openBrowserDoor({ root, port: 0, onConnect: (port) => serve(handlers, port) });
  const { host, cookie } = await enter(door.link());
  const live = new WebSocket(`ws://${host}${LIVE_PATH}`, { headers: { origin: `http://${host}`, cookie } });
  await once(live, 'open');
  let call = 0;
  /** Milliseconds of the slowest of some calls, but for the last percent, which is whatever else this machine does. */
  const slowest = async (calls = 150): Promise<number> => {
    const took: number[] = [];
    for (let n = 0; n < calls; n++) {
      const begun = performance.now();
      const answer = once(live, 'message');
      live.send(JSON.stringify({ kind: 'call', call: ++call, name: 'prefs.get', input: {} }));
      await answer;
      took.push(performance.now() - begun);
      await new Promise((resolve) => setTimeout(resolve, 3));
    }
    return took.sort((a, b) => a - b)[Math.floor(calls * 0.97)] ?? Infinity;
  };
  const quiet = await slowest();
  const flooder = fork(
    join(root, 'flooder.cjs'),
    [`${door.port}`, `holdfast-${door.port}=${'a'.repeat(43)}`],
    {
      execArgv: [],
    },
  );
  try {
    await once(flooder, 'message');
    // The mutant: a look at a long table, on the thread that answers the window.
    const busy = weakened
      ? setInterval(() => {
          for (const end = performance.now() + 120; performance.now() < end;);
        }, 1)
      : undefined;
    let least = Infinity;
    for (let round = 0; round < (weakened ? 1 : 3) && least - quiet > DELAY; round++)
      least = Math.min(least, await slowest(weakened ? 3 : 150));
    clearInterval(busy);
    return least - quiet > DELAY
      ? `a call took ${Math.round(least)} ms, in quiet ${Math.round(quiet)}`
      : undefined;
  } finally {
    flooder.kill('SIGKILL');
    live.terminate();
    await door.close();
  }
}
