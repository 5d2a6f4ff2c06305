import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';

/** `127.0.0.1`, 4711 as /proc/net/tcp writes it: each word of the address in the machine's own byte order. */
function procAddress(address: string, port: number): string | undefined {
  const bytes = address
    .replace(/^::ffff:/, '')
    .split('.')
    .map(Number);
  if (bytes.length !== 4 || bytes.some((byte) => !Number.isInteger(byte))) return undefined;
  const hex = (value: number, width: number) => value.toString(16).toUpperCase().padStart(width, '0');
  return `${bytes
    .reverse()
    .map((byte) => hex(byte, 2))
    .join('')}:${hex(port, 4)}`;
}

/** The user who owns the connection `from` → `to` in the text of /proc/net/tcp; undefined when it is not listed. */
export function ownerOf(table: string, from: string, to: string): number | undefined {
  for (const line of table.split('\n')) {
    const [, local, remote, , , , , uid] = line.trim().split(/\s+/);
    if (local === from && remote === to && uid !== undefined) return Number(uid);
  }
  return undefined;
}

/**
 * Whether the other end of a loopback connection may belong to someone else. Loopback is shared by all users of a
 * machine; Linux tells who owns each end. Elsewhere, and where it cannot be seen, the cookie alone decides.
 */
export function isStranger(socket: Socket, read = () => readFileSync('/proc/net/tcp', 'utf8')): boolean {
  const me = process.getuid?.();
  if (process.platform !== 'linux' || me === undefined) return false;
  const { remoteAddress, remotePort, localAddress, localPort } = socket;
  if (!remoteAddress || !remotePort || !localAddress || !localPort) return false;
  const from = procAddress(remoteAddress, remotePort);
  const to = procAddress(localAddress, localPort);
  if (from === undefined || to === undefined) return false;
  try {
    const owner = ownerOf(read(), from, to);
    return owner !== undefined && owner !== me && owner !== 0;
  } catch {
    return false;
  }
}
