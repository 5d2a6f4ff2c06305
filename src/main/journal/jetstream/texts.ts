import { createHash } from 'node:crypto';
import { notFound } from '../check';
import { mostBody, putFenced } from './ground';
import type { Ground } from './ground';
import { Refused } from './put';
import { scan } from './read';
import { startOf } from '../../../shared/run/slices';

const NAME = /^[A-Za-z0-9_-]{1,80}\.txt$/;
const PIECE = 512 * 1024;

/** Name of a kept text: harmless characters of the call's id, and a hash that keeps different ids apart. */
function nameFor(toolUseId: string, nth: number): string {
  const safe = startOf(toolUseId, 400)
    .replace(/[^A-Za-z0-9_-]/g, '')
    .slice(0, 40);
  const hash = createHash('sha256').update(toolUseId).digest('hex').slice(0, 12);
  return `${safe}-${hash}${nth === 1 ? '' : `-${nth}`}.txt`;
}

/** Stores a text in pieces and gives its name. */
export async function keepText(
  ground: Ground,
  id: string,
  nonce: string,
  toolUseId: string,
  text: string,
): Promise<string> {
  for (let nth = 1; ; nth++) {
    const name = nameFor(toolUseId, nth);
    if (await writeText(ground, id, nonce, name, text)) return name;
  }
}

/** false: that name is taken. Each piece says how many there are, so a text that was cut off is known as such. */
export async function writeText(
  ground: Ground,
  id: string,
  nonce: string,
  name: string,
  text: string,
): Promise<boolean> {
  // Notes that come with a run name whatever they like.
  if (!NAME.test(name)) return true;
  const bytes = Buffer.from(text);
  const size = Math.min(PIECE, mostBody(ground) - 64);
  const count = Math.max(1, Math.ceil(bytes.length / size));
  for (let n = 1; n <= count; n++) {
    const subject = ground.subjects.blob(id, `${stem(name)}.${n}`);
    try {
      await putFenced(ground, {
        subject,
        // Never empty: an empty message would look like the server's own.
        body: Buffer.concat([Buffer.from(`${n}/${count}\n`), bytes.subarray((n - 1) * size, n * size)]),
        id: `${nonce}-blob-${stem(name)}-${n}`,
        last: 0,
        filter: subject,
      });
    } catch (error) {
      if (error instanceof Refused && n === 1) return false;
      throw error;
    }
  }
  return true;
}

/** @throws Failure `not_found` for a name that was never given, or a text that was never finished */
export async function readText(ground: Ground, id: string, name: string): Promise<string> {
  const missing = (): Error => notFound('That text is not kept beside this run.');
  if (!NAME.test(name)) throw missing();
  const pieces = (await scan(ground, ground.subjects.blob(id, `${stem(name)}.>`))).map((one) =>
    Buffer.from(one.data),
  );
  const count = Number(/^1\/(\d+)\n/.exec(pieces[0]?.subarray(0, 24).toString('latin1') ?? '')?.[1]);
  if (pieces.length === 0 || pieces.length !== count) throw missing();
  return Buffer.concat(pieces.map((piece) => piece.subarray(piece.indexOf(0x0a) + 1))).toString('utf8');
}

const stem = (name: string): string => name.slice(0, -'.txt'.length);
