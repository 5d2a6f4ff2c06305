import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface SocksCall {
  kind: 'ipv4' | 'ipv6' | 'name';
  host: string;
  port: number;
}

export interface SocksOptions {
  /** Who may come in; absent: everybody, and who shows a login all the same is refused. */
  login?: { user: string; password: string };
  /** Reply code instead of a connection: 2 not allowed, 4 host unreachable, 5 refused … */
  reply?: number;
  /** How its own address is told, which is of no use to anybody. */
  bound?: SocksCall['kind'];
  /** It sends each byte by itself. */
  slowly?: boolean;
  /** Speaks no SOCKS at all. */
  foreign?: boolean;
}

export interface SocksProxy {
  readonly port: number;
  /** Where calls were to go, in order. */
  readonly seen: SocksCall[];
  /** What clients did that RFC 1928 and RFC 1929 do not allow. */
  readonly complaints: string[];
  stop(): Promise<void>;
}

/** A real SOCKS 5 proxy on loopback that holds its clients to the letter of the RFCs, and sends every call to `target`. */
export async function socksProxy(target: number, options: SocksOptions = {}): Promise<SocksProxy> {
  const sockets = new Set<Socket>();
  const seen: SocksCall[] = [];
  const complaints: string[] = [];
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    return socket;
  };
  const server = createServer((socket) => {
    keep(socket).setNoDelay(true);
    if (options.foreign) return void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    serve(socket).catch((error: unknown) => {
      complaints.push(error instanceof Error ? error.message : String(error));
      socket.destroy();
    });
  });

  async function serve(client: Socket): Promise<void> {
    const bytes = new Incoming(client);
    const send = async (reply: readonly number[]) => {
      if (!options.slowly) return void client.write(Buffer.from(reply));
      for (const byte of reply) {
        client.write(Buffer.from([byte]));
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const [version, count = 0] = await bytes.take(2);
    if (version !== 5 || count === 0)
      throw new Error(`a greeting of version ${version} with ${count} methods`);
    const methods = [...(await bytes.take(count))];
    const wanted = options.login ? 2 : 0;
    if (!methods.includes(wanted)) return void client.end(Buffer.from([5, 0xff]));
    await bytes.nothingMore('before the method is chosen');
    await send([5, wanted]);
    if (options.login) {
      const [own, userLength = 0] = await bytes.take(2);
      const user = (await bytes.take(userLength)).toString('utf8');
      const [passwordLength = 0] = await bytes.take(1);
      const password = (await bytes.take(passwordLength)).toString('utf8');
      if (own !== 1 || userLength === 0)
        throw new Error(`a login of version ${own}, user of ${userLength} bytes`);
      await bytes.nothingMore('before the login is answered');
      const may = user === options.login.user && password === options.login.password;
      await send([1, may ? 0 : 1]);
      if (!may) return void client.end();
    }
    const [again, command, reserved, type] = await bytes.take(4);
    if (again !== 5 || command !== 1 || reserved !== 0)
      throw new Error(`a request ${[again, command, reserved]}`);
    const call = await destination(bytes, type ?? 0);
    seen.push(call);
    await bytes.nothingMore('before the request is answered');
    const reply = options.reply ?? 0;
    if (reply !== 0) {
      await send([5, reply, 0, 1, 0, 0, 0, 0, 0, 0]);
      return void client.end();
    }
    const onward = keep(connect(target, '127.0.0.1'));
    await new Promise((resolve, reject) => onward.once('connect', resolve).once('error', reject));
    await send([5, 0, 0, ...BOUND[options.bound ?? 'ipv4'], 0x1f, 0x90]);
    bytes.release();
    client.pipe(onward);
    onward.pipe(client);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    complaints,
    stop: () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

const BOUND: Record<SocksCall['kind'], number[]> = {
  ipv4: [1, 10, 0, 0, 1],
  ipv6: [4, ...Array.from({ length: 16 }, (_, at) => at)],
  name: [3, 5, ...Buffer.from('proxy')],
};

async function destination(bytes: Incoming, type: number): Promise<SocksCall> {
  const port = async () => (await bytes.take(2)).readUInt16BE();
  if (type === 1) return { kind: 'ipv4', host: [...(await bytes.take(4))].join('.'), port: await port() };
  if (type === 4) {
    const parts = (await bytes.take(16)).toString('hex').match(/.{4}/g) ?? [];
    // As addresses are written in URLs.
    const host = new URL(`http://[${parts.join(':')}]`).hostname.slice(1, -1);
    return { kind: 'ipv6', host, port: await port() };
  }
  if (type !== 3) throw new Error(`an address of type ${type}`);
  const [length = 0] = await bytes.take(1);
  const host = (await bytes.take(length)).toString('latin1');
  if (!/^[a-z0-9.-]+$/i.test(host) || /^[\d.]+$/.test(host)) throw new Error(`"${host}" is no name`);
  return { kind: 'name', host, port: await port() };
}

/** Bytes of a client, as many as are asked for. */
class Incoming {
  #held = Buffer.alloc(0);
  #wake: () => void = () => undefined;
  readonly #take = (data: Buffer) => {
    this.#held = Buffer.concat([this.#held, data]);
    this.#wake();
  };

  constructor(private readonly socket: Socket) {
    socket.on('data', this.#take);
  }

  async take(count: number): Promise<Buffer> {
    while (this.#held.length < count) await new Promise<void>((resolve) => (this.#wake = resolve));
    const taken = this.#held.subarray(0, count);
    this.#held = this.#held.subarray(count);
    return taken;
  }

  /** A client that goes on before it is answered takes the answer for granted. */
  async nothingMore(when: string): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    if (this.#held.length > 0) throw new Error(`${this.#held.length} bytes ${when}`);
  }

  release(): void {
    this.socket.off('data', this.#take);
  }
}
