import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { endianness } from 'node:os';

/** The texts of /proc/net/tcp and /proc/net/tcp6. A client's own socket is listed in one of them, whatever ours is. */
export type ReadTables = () => Promise<readonly [tcp: string, tcp6: string]>;

/** The kernel has no such table when the machine has no IPv6. */
const tables: ReadTables = () =>
  Promise.all([
    readFile('/proc/net/tcp', 'latin1'),
    readFile('/proc/net/tcp6', 'latin1').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      throw error;
    }),
  ]);

const MAPPED = '::ffff:';

/** `127.0.0.1`, 4711 as both tables write it: each word of the address in the machine's own byte order. */
function listed(address: string, port: number): [tcp: string, tcp6: string] | undefined {
  const bytes = address.split('.').map(Number);
  if (bytes.length !== 4 || bytes.some((byte) => !Number.isInteger(byte) || byte < 0 || byte > 255))
    return undefined;
  const little = endianness() === 'LE';
  const hex = (value: number, width: number) => value.toString(16).toUpperCase().padStart(width, '0');
  const word = (little ? bytes.reverse() : bytes).map((byte) => hex(byte, 2)).join('');
  const mapped = `0000000000000000${little ? 'FFFF0000' : '0000FFFF'}${word}`;
  return [`${word}:${hex(port, 4)}`, `${mapped}:${hex(port, 4)}`];
}

/**
 * The users who own the connection `from` → `to` in such a table. A row without an inode is what is left of a socket
 * that its owner closed: the kernel then lists root, so it names no owner and counts as `undefined`.
 */
function* owners(table: string, from: string, to: string): Generator<number | undefined> {
  const pair = ` ${from} ${to} `;
  for (let at = table.indexOf(pair); at >= 0; at = table.indexOf(pair, at + 1)) {
    const from = at + pair.length;
    const end = table.indexOf('\n', from);
    const [, , , , uid, , inode] = table
      .slice(from, Math.min(end < 0 ? table.length : end, from + 200))
      .split(/ +/);
    yield uid === undefined || inode === undefined || inode === '0' ? undefined : Number(uid);
  }
}

/** Milliseconds between two looks at the tables, however many connections wait for one. */
const GAP = 25;

/**
 * Whose the other ends of loopback connections are. All users of a machine share its loopback; Linux tells who owns each
 * end. What it does not list is a stranger's, and so is everything when the tables can't be read. Elsewhere the system
 * does not tell, and the cookie alone decides.
 *
 * A connection is judged once. Looks are asynchronous, shared by all who wait, and at most one in GAP milliseconds.
 */
export class Peers {
  readonly #verdicts = new WeakMap<Socket, Promise<boolean>>();
  #planned: ReturnType<ReadTables> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly read: ReadTables = tables,
    /** null: the system does not tell. */
    private readonly me: number | null = process.platform === 'linux' ? (process.getuid?.() ?? null) : null,
  ) {}

  isStranger(socket: Socket): Promise<boolean> {
    if (this.me === null) return Promise.resolve(false);
    let verdict = this.#verdicts.get(socket);
    if (!verdict) {
      verdict = this.#judge(socket).catch(() => true);
      this.#verdicts.set(socket, verdict);
    }
    return verdict;
  }

  async #judge(socket: Socket): Promise<boolean> {
    const { remoteFamily, remoteAddress = '', remotePort = 0, localAddress = '', localPort = 0 } = socket;
    // A socket of ours that takes both families gives IPv4 in this form.
    const plain = (address: string) => (address.startsWith(MAPPED) ? address.slice(MAPPED.length) : address);
    const mapped = remoteFamily === 'IPv6' && remoteAddress.startsWith(MAPPED);
    if (remoteFamily !== 'IPv4' && !mapped) return true;
    const from = listed(plain(remoteAddress), remotePort);
    const to = listed(plain(localAddress), localPort);
    if (!from || !to) return true;
    // A table is read in pieces while connections come and go, so that a row can be missed once.
    for (let look = 0; look < 2; look++) {
      const [tcp, tcp6] = await this.#look();
      const found = [...owners(tcp, from[0], to[0]), ...owners(tcp6, from[1], to[1])];
      if (found.length > 0) return !found.every((owner) => owner === this.me || owner === 0);
    }
    return true;
  }

  /** A look that begins after this call: what was read before can't know the connection. */
  #look(): ReturnType<ReadTables> {
    this.#planned ??= this.#last.then(() => {
      this.#planned = undefined;
      const reading = this.read();
      const rest = new Promise<void>((resolve) => setTimeout(resolve, GAP).unref());
      this.#last = Promise.allSettled([reading, rest]);
      return reading;
    });
    return this.#planned;
  }
}
