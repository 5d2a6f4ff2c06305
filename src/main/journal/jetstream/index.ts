import type { NatsAddress } from './address';
import { addressOf, readStream, serverOf } from './bind';
import type { NatsOptions } from './bind';
import { judgeStream, wrongStream } from './config';
import { groundOf } from './ground';
import { KnownRows } from './known';
import { takeLink } from './dial';
import type { Link } from './link';
import { isFragile } from './server';
import { NatsStore } from './store';
import { Subjects } from './subjects';
import type { RunStore } from '../journal';

export { checkNats } from './check';
export type { NatsCheck } from './check';
export type { NatsOptions } from './bind';
export type { NatsAuth } from './address';
export type { LinkState } from './link';

/**
 * Binds the stream at `nats://host:port/STREAM` (see address.ts for logins and options). The stream is the operator's:
 * it is checked, and never made or changed.
 *
 * @throws Failure `store_config` (address, credentials, a stream that is missing or would not keep runs safely: `todo` and
 *   data.command give the `nats` line that mends it), `store_unavailable`
 */
export async function natsStore(url: string, options: NatsOptions = {}): Promise<RunStore> {
  const address = addressOf(url, options);
  const { link, release } = await takeLink(address);
  const stop = options.onState && link.onState(options.onState);
  const leave = async (): Promise<void> => {
    stop?.();
    await release();
  };
  try {
    return await bind(link, address, options, leave);
  } catch (error) {
    await leave();
    throw error;
  }
}

async function bind(
  link: Link,
  address: NatsAddress,
  options: NatsOptions,
  release: () => Promise<void>,
): Promise<NatsStore> {
  const { stream } = address;
  const { config, last } = await readStream(link, address);
  const judgement = judgeStream(config, link.version);
  if (judgement.problems.length > 0 && options.judge !== false)
    throw wrongStream(serverOf(address), stream, judgement.problems);
  if (isFragile(link.version))
    judgement.cautions.push(
      `nats-server ${link.version} can lose whole streams when it is killed; update it to 2.10.23 or later.`,
    );
  const most = config.max_msg_size ?? -1;
  const ground = groundOf({
    link,
    stream,
    direct: config.allow_direct === true,
    readPatienceMs: options.readPatienceMs ?? 10_000,
    seen: { seq: last },
    subjects: new Subjects(judgement.prefix ?? ''),
    judgement,
    known: new KnownRows(),
    put: {
      patienceMs: options.patienceMs ?? 60_000,
      ackMs: options.ackMs ?? 5_000,
      readBack: options.readBack ?? true,
    },
    askMs: options.askMs ?? 1_000,
    fence: options.fence ?? true,
    maxMessageBytes: most < 0 ? Number.POSITIVE_INFINITY : most,
  });
  return new NatsStore(address.shown, ground, release);
}
