import { connect, reconnecting, type Client } from '../../shared/contract/connect';
import { bridgePort, socketPort, type Bridge } from '../../shared/contract/text-port';
import type { Port } from '../../shared/contract/frame';
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
    const socket = new WebSocket(`${protocol === 'https:' ? 'wss' : 'ws'}://${host}/ws`);
    const timer = window.setTimeout(() => socket.close(), OPEN_TIMEOUT);
    const settle = (run: () => void) => {
      window.clearTimeout(timer);
      run();
    };
    socket.addEventListener('open', () => settle(() => resolve(socketPort(socket))), { once: true });
    socket.addEventListener(
      'close',
      () => settle(() => reject(new Failure({ code: 'disconnected', message: 'Holdfast does not answer.' }))),
      { once: true },
    );
  });
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

/** The window's one client: over the preload's channel where there is one, else over the WebSocket of this page's origin. */
export function openClient(): Client {
  if (window.holdfast) return connect(bridgePort(window.holdfast));
  return reconnecting(openSocket, { schedule });
}
