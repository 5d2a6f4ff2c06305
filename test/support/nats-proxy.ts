import { createServer, connect } from 'node:net';
import type { Server, Socket } from 'node:net';

/** What a proxy does to the traffic from the server to a client. */
export interface ProxyOptions {
  /** Called for each acknowledgement of a stored message; true swallows it. */
  drop?: (ack: { seq: number }) => boolean;
  /** What the client is told instead of an acknowledgement; undefined: the acknowledgement. */
  instead?: (ack: { seq: number }) => string | undefined;
  /** Subjects of messages that never arrive. */
  deaf?: (subject: string) => boolean;
  /** The version that clients are told the server has. */
  version?: string;
}

/**
 * A loopback proxy in front of a nats-server that reads the protocol and loses acknowledgements on their way back: the
 * message is stored, and whoever published it never hears so.
 */
export class NatsProxy {
  readonly #sockets = new Set<Socket>();
  dropped = 0;

  private constructor(
    readonly server: Server,
    readonly port: number,
  ) {}

  static async start(target: number, options: ProxyOptions): Promise<NatsProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const proxy = new NatsProxy(server, typeof address === 'object' && address ? address.port : 0);
    server.on('connection', (client) => proxy.#join(client, connect(target, '127.0.0.1'), options));
    return proxy;
  }

  url(stream: string): string {
    return `nats://127.0.0.1:${this.port}/${stream}`;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  #join(client: Socket, upstream: Socket, options: ProxyOptions): void {
    const frames = new Frames((frame) => {
      const out = this.#filtered(frame, options);
      if (out !== undefined) client.write(out);
    });
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
    client.on('data', (chunk) => upstream.write(chunk));
    upstream.on('data', (chunk) => frames.push(chunk));
  }

  #filtered({ line, payload }: Frame, { drop, instead, deaf, version }: ProxyOptions): Buffer | undefined {
    if (version !== undefined && line.startsWith('INFO '))
      return Buffer.from(`${line.replace(/"version":"[^"]*"/, `"version":"${version}"`)}\r\n`);
    const subject = /^H?MSG (\S+) /.exec(line)?.[1];
    if (subject !== undefined && deaf?.(subject)) return undefined;
    const ack = payload && /^\{"stream":"[^"]*",.*"seq":\s*(\d+)/.exec(payload.toString('latin1'));
    if (ack && drop?.({ seq: Number(ack[1]) })) {
      this.dropped += 1;
      return undefined;
    }
    const other = ack ? instead?.({ seq: Number(ack[1]) }) : undefined;
    if (other !== undefined) return Buffer.from(`${line.replace(/\d+$/, `${other.length}`)}\r\n${other}\r\n`);
    const head = Buffer.from(`${line}\r\n`);
    return payload ? Buffer.concat([head, payload, CRLF]) : head;
  }
}

interface Frame {
  line: string;
  payload: Buffer | undefined;
}

const CRLF = Buffer.from('\r\n');

/** Cuts the server's stream of bytes into control lines and messages. */
class Frames {
  #bytes: Buffer = Buffer.alloc(0);

  constructor(readonly onFrame: (frame: Frame) => void) {}

  push(chunk: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    for (;;) {
      const end = this.#bytes.indexOf(CRLF);
      if (end < 0) return;
      const line = this.#bytes.subarray(0, end).toString('latin1');
      const size = /^H?MSG .* (\d+)$/.exec(line)?.[1];
      if (size === undefined) {
        this.#bytes = this.#bytes.subarray(end + 2);
        this.onFrame({ line, payload: undefined });
        continue;
      }
      const from = end + 2;
      const to = from + Number(size);
      if (this.#bytes.length < to + 2) return;
      const payload = Buffer.from(this.#bytes.subarray(from, to));
      this.#bytes = this.#bytes.subarray(to + 2);
      this.onFrame({ line, payload });
    }
  }
}
