import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'nats';
import type { ConnectionOptions, JetStreamManager, NatsConnection, StreamConfig } from 'nats';
import { natsServers } from './prerequisites';
import type { NatsServerKind } from './prerequisites';

/** Settings of a stream that keeps runs safely. */
export const goodStream = {
  retention: 'limits',
  storage: 'file',
  discard: 'new',
  discard_new_per_subject: true,
  max_msgs_per_subject: 1,
  max_msgs: -1,
  max_bytes: -1,
  max_age: 0,
  max_msg_size: -1,
  num_replicas: 1,
  allow_direct: true,
} as Partial<StreamConfig>;

/** Every prepared server; a run without any would prove nothing, so it fails. */
export function everyNatsServer(): NatsServerKind[] {
  const servers = natsServers();
  if (servers.length < 2)
    throw new Error('NATS servers of two kinds are needed: run node scripts/prerequisites.mjs first');
  return servers;
}

/** Below the ports that outgoing connections get on any system. */
const PORTS = { first: 15_000, last: 30_000 };

/**
 * A port of this machine's loopback that is free now and that no outgoing connection is given: whoever looks for a killed
 * server again and again would else be connected to itself one day, and the server could not come back.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = PORTS.first + Math.floor(Math.random() * (PORTS.last - PORTS.first));
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** A nats-server of its own: loopback port, store folder, and a process that ends with the test. */
export class NatsServer {
  #child: ChildProcess | undefined;

  private constructor(
    readonly kind: NatsServerKind,
    readonly port: number,
    readonly directory: string,
    readonly extra: string,
    readonly jetstream: string,
  ) {}

  /** How `client` proves itself, on servers that ask. */
  login: ConnectionOptions = {};

  /** `extra`: more lines of the server's configuration file; `jetstream`: more of its JetStream part. */
  static async start(kind: NatsServerKind, extra = '', jetstream = ''): Promise<NatsServer> {
    const directory = mkdtempSync(join(tmpdir(), 'holdfast-nats-'));
    const server = new NatsServer(kind, await freePort(), directory, extra, jetstream);
    await server.run();
    return server;
  }

  get address(): string {
    return `nats://127.0.0.1:${this.port}`;
  }

  url(stream: string): string {
    return `${this.address}/${stream}`;
  }

  /** Starts the process (again), with other lines where they are given, and resolves once it says that it is ready. */
  async run(extra = this.extra): Promise<void> {
    const config = join(this.directory, 'server.conf');
    const store = JSON.stringify(join(this.directory, 'store'));
    writeFileSync(
      config,
      `listen: "127.0.0.1:${this.port}"\njetstream { store_dir: ${store}, ${this.jetstream} }\n${extra}\n`,
    );
    const child = spawn(this.kind.path, ['-c', config], { stdio: ['ignore', 'ignore', 'pipe'] });
    this.#child = child;
    process.once('exit', this.#atExit);
    let said = '';
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`nats-server is not ready:\n${said}`)), 20_000);
      child.once('exit', (code) => reject(new Error(`nats-server ended with ${code}:\n${said}`)));
      child.stderr!.on('data', (chunk: Buffer) => {
        said = (said + chunk.toString('utf8')).slice(-4_000);
        if (!said.includes('Server is ready')) return;
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /** SIGKILL, and waits until the process is gone. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    process.off('exit', this.#atExit);
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
  }

  /** SIGSTOP: the connections stay, nothing answers. */
  freeze(): void {
    this.#child?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child?.kill('SIGCONT');
  }

  async restart(): Promise<void> {
    await this.kill();
    await this.run();
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.directory, { recursive: true, force: true });
  }

  /** A plain client, for what an operator or another program does. */
  async client(): Promise<{ connection: NatsConnection; manager: JetStreamManager }> {
    const connection = await connect({ servers: [`127.0.0.1:${this.port}`], ...this.login });
    return { connection, manager: await connection.jetstreamManager() };
  }

  /** Makes the stream that a store binds, as an operator would. */
  async addStream(name: string, config: Partial<StreamConfig> = {}): Promise<string> {
    const { connection, manager } = await this.client();
    try {
      await manager.streams.add({ ...goodStream, name, subjects: [`${name.toLowerCase()}.>`], ...config });
    } finally {
      await connection.close();
    }
    return this.url(name);
  }

  /** Puts a message into a stream, whatever it is. */
  async publish(subject: string, body: string): Promise<void> {
    const { connection } = await this.client();
    try {
      await connection.jetstream().publish(subject, body);
    } finally {
      await connection.close();
    }
  }

  readonly #atExit = (): void => void this.#child?.kill('SIGKILL');
}
