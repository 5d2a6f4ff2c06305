import { natsStore } from '../../src/main/journal/jetstream';
import { journalSuite } from '../conformance/journal-suite';
import { everyNatsServer, NatsServer } from '../support/nats-server';

for (const kind of everyNatsServer())
  for (const [how, options] of [
    ['', {}],
    [' without asking holders', { askMs: 0 }],
  ] as const)
    journalSuite(`nats-server ${kind.version}${how}`, async () => {
      const server = await NatsServer.start(kind);
      const url = await server.addStream('RUNS');
      const store = await natsStore(url, options);
      return {
        store,
        reopen: () => natsStore(url, options),
        corrupt: (id) => server.publish(`runs.${id}.99`, '{"seq":99,'),
        async teardown() {
          await store.close();
          await server.stop();
        },
      };
    });
