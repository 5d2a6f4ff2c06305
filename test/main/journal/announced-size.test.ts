import { describe, expect, it } from 'vitest';
import { absurdServer } from '../../../src/main/journal/jetstream/failures';
import { Link } from '../../../src/main/journal/jetstream/link';
import { announcingServer } from '../../support/announcing-server';
import { until } from '../../support/wait';

describe('the message size that a NATS server announces', () => {
  it.each([1, 1024 * 1024, 2 ** 31 - 1, undefined])('may be %s', (size) => {
    expect(absurdServer(size)).toBeUndefined();
  });

  it.each([0, -1, 1.5, 2 ** 31, 99e9, NaN, Infinity, '1048576', null, {}])('is absurd: %s', (size) => {
    expect(absurdServer(size)).toMatchObject({ code: 'store_protocol' });
  });

  it.each([
    ['by the client', {}],
    ['anew', { reconnect: false }],
  ])('is looked at each time a connection is made again %s', async (_, more) => {
    const server = await announcingServer(1024 * 1024);
    const options = { servers: server.address, reconnectTimeWait: 5, reconnectJitter: 0, ...more };
    const link = await Link.open(() => ({ ...options, maxReconnectAttempts: -1 }), {});
    try {
      server.seen.maxPayload = 99e9;
      server.drop();
      await until(() => server.seen.left >= 2);
      expect(link.state).toBe('reconnecting');
      server.seen.maxPayload = 2_000_000;
      await until(() => link.state === 'connected');
      expect(link.maxPayload).toBe(2_000_000);
    } finally {
      await link.close();
      server.stop();
    }
  });
});
