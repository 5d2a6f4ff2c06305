import { connect, reconnecting, type Client } from '../../shared/contract/connect';
import { bridgePort, socketPort, type Bridge } from '../../shared/contract/text-port';
import type { Port } from '../../shared/contract/frame';
import { ADMITTED_PATH, AGAIN_PATH, LIVE_PATH } from '../../shared/contract/paths';
import { Failure } from '../../shared/run/failure';

declare global {
  interface Window {
    /** Put there by the preload in Electron; absent in the browser door. */
    holdfast?: Bridge;
  }
}

/** Milliseconds that a WebSocket may take to open before it counts as a failed try. */
const OPEN_TIMEOUT = 5_000;

function openSocket(): Promise<Port> {
  return new Promise((resolve, reject) => {
    const { protocol, host } = window.location;
    const socket = new WebSocket(`${protocol === 'https:' ? 'wss' : 'ws'}://${host}${LIVE_PATH}`);
    const timer = window.setTimeout(() => socket.close(), OPEN_TIMEOUT);
    const settle = (run: () => void) => {
      window.clearTimeout(timer);
      run();
    };
    socket.addEventListener('open', () => settle(() => resolve(socketPort(socket))), { once: true });
    socket.addEventListener('close', () => settle(() => void whyNot().then(reject)), { once: true });
  });
}

/** A browser does not tell why a WebSocket was refused; a plain request does. */
async function whyNot(): Promise<Failure> {
  try {
    const answer = await fetch(ADMITTED_PATH, { cache: 'no-store' });
    if (answer.status === 403)
      return new Failure({ code: 'forbidden', message: 'This page may not come in.' });
  } catch {
    // Nobody is there: that is no refusal.
  }
  return new Failure({ code: 'disconnected', message: 'Holdfast does not answer.' });
}

/** A timer that also fires as soon as the window is looked at again or the network is back. */
function schedule(ms: number, run: () => void): () => void {
  const timer = window.setTimeout(fire, ms);
  const soon = () => document.visibilityState === 'visible' && fire();
  function cancel() {
    window.clearTimeout(timer);
    document.removeEventListener('visibilitychange', soon);
    window.removeEventListener('online', fire);
  }
  function fire() {
    cancel();
    run();
  }
  document.addEventListener('visibilitychange', soon);
  window.addEventListener('online', fire);
  return cancel;
}

/** Opening Holdfast again in another tab lets this page in, too: the browser is asked when the page is looked at. */
function readmitted(again: () => void): void {
  const look = async () => {
    if (document.visibilityState !== 'visible') return;
    const answer = await fetch(ADMITTED_PATH, { cache: 'no-store' }).catch(() => undefined);
    if (answer?.status !== 204) return;
    document.removeEventListener('visibilitychange', listen);
    window.removeEventListener('focus', listen);
    again();
  };
  const listen = () => void look();
  document.addEventListener('visibilitychange', listen);
  window.addEventListener('focus', listen);
}

/** Asks Holdfast to open itself again in the browser of the person; whether it could. */
export async function openAgain(): Promise<boolean> {
  const answer = await fetch(AGAIN_PATH, { method: 'POST' }).catch(() => undefined);
  return answer?.ok ?? false;
}

/** The window's one client: over the preload's channel where there is one, else over the WebSocket of this page's origin. */
export function openClient(): Client {
  if (window.holdfast) return connect(bridgePort(window.holdfast));
  return reconnecting(openSocket, { schedule, readmitted });
}
