import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** What talks as a NATS server does until the first request, and announces what it is told to. */
export async function announcingServer(maxPayload: number) {
  const seen = { maxPayload, asked: '', connections: 0, left: 0 };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    seen.connections += 1;
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      seen.left += 1;
    });
    socket.on('data', (bytes) => {
      const text = bytes.toString('latin1');
      seen.asked += text;
      if (text.includes('PING')) socket.write('PONG\r\n');
    });
    const { maxPayload } = seen;
    const info = { server_id: 'X', version: '2.11.0', proto: 1, headers: true, max_payload: maxPayload };
    socket.write(`INFO ${JSON.stringify(info)}\r\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    seen,
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Ends every connection; whoever comes again hears what is announced by then. */
    drop: () => sockets.forEach((socket) => socket.destroy()),
    stop() {
      server.close();
      sockets.forEach((socket) => socket.destroy());
    },
  };
}
