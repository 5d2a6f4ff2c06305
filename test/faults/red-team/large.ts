import {
  createReadStream,
  openSync,
  closeSync,
  ftruncateSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createGzip } from 'node:zlib';
import { Readable } from 'node:stream';
import yazl from 'yazl';
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { loadAll } from '../../../src/main/app/read/load';
import { toolWords } from '../../../src/main/app/read/tool-words';
import { builtInTools } from '../../../src/main/tool/registry';
import { openStore } from '../../../src/main/journal/registry';
import { exportRuns } from '../../../src/main/library/export';
import { importRuns } from '../../../src/main/library/import';
import type * as Budget from '../../../src/main/library/import/budget';
import { memoryStore } from '../../../src/main/journal/memory';
import { modelCall } from '../../../src/main/model/call';
import { ChatReader } from '../../../src/main/model/openai/stream';
import { modelFor } from '../../../src/main/model/registry';
import { profile } from '../../../src/main/settings/profile';
import { isFailure } from '../../../src/shared/run/failure';
import type * as Weight from '../../../src/shared/run/weight';
import { tempFolder } from '../../support/folder';
import { announcingServer } from '../../support/announcing-server';
import { pauseOf } from '../../support/pauses';
import { sampled } from '../../support/prerequisites';
import { until } from '../../support/wait';
import { weakenedModules, type Attempt } from './attempt';

const GOLDEN = readFileSync(join(import.meta.dirname, '../../fixtures/golden-v3.jsonl'), 'utf8');
const [META = ''] = GOLDEN.split('\n');
const MB = 1_000_000;
/** Just beyond what a record may have; in the soak as the attempt was made first. */
const LARGE = sampled(65, 80) * MB;

/** A record of an answer with this text as JSON has it, in pieces that never stand in memory as one string. */
const answer = (seq: number, inner: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(
      `{"seq":${seq},"protocol":"io.choria.fisk-ai.v1.session.assistant","assistant":{"iteration":0,"message":{"role":"assistant","content":`,
    ),
    inner,
    Buffer.from('},"stop_reason":"end_turn","usage":{"in_tokens":1,"out_tokens":1}}}\n'),
  ]);
const text = (bytes: number, fill = '<'): Buffer =>
  Buffer.concat([Buffer.from('[{"text":{"text":"'), Buffer.alloc(bytes, fill), Buffer.from('"}}]')]);

async function zipOf(journal: Buffer): Promise<string> {
  const path = join(tempFolder(), 'runs.zip');
  const zip = new yazl.ZipFile();
  zip.addReadStream(Readable.from([journal]), 'orders-report.json');
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(path));
  return path;
}

const newId = () => `new-${Math.random().toString(36).slice(2)}`;

/** What an import of such a journal in a zip did wrong; right is to refuse it as too large. */
async function importZip(journal: Buffer, take = importRuns): Promise<string | undefined> {
  const report = await take(memoryStore(), [await zipOf(journal)], { newId });
  const [file] = report.files;
  return file?.outcome === 'failed' && file.failure.code === 'too_large'
    ? undefined
    : JSON.stringify(file)?.slice(0, 300);
}

const manyObjects = (bytes: number) =>
  Buffer.concat([
    Buffer.from(`${META}\n`),
    answer(2, Buffer.concat([Buffer.from('['), Buffer.alloc(bytes, '{},'), Buffer.from('{}]')])),
    answer(3, text(10)),
  ]);

/** A store with a good run and one whose second record is that large. */
async function storeWith(second: (path: string) => void) {
  const folder = tempFolder({ 'good.json': GOLDEN });
  const path = join(folder, 'large.json');
  writeFileSync(path, `${META}\n`);
  second(path);
  return { store: await openStore(`file:${folder}`), path };
}

const large = (bytes: number) => (path: string) => writeFileSync(path, answer(2, text(bytes)), { flag: 'a' });

export const largeThings: readonly Attempt[] = [
  {
    name: 'a zip of 80 KB has a record of 80 MB of one sign',
    by: 'an import',
    try: () => importZip(Buffer.concat([Buffer.from(`${META}\n`), answer(2, text(LARGE))])),
  },
  {
    name: 'a small zip unpacks to millions of objects',
    by: 'an import',
    mutant: 'weighing before decoding',
    long: 'mutant',
    async try(weakened) {
      if (!weakened) return importZip(manyObjects(sampled(9, 60) * MB));
      const load = () => import('../../../src/main/library/import');
      const light = await weakenedModules<typeof Weight, Awaited<ReturnType<typeof load>>>(
        'src/shared/run/weight.ts',
        () => ({
          weightOf: () => 0,
          Weight: class {
            bytes = 0;
            add() {}
            endLine() {}
          } as unknown as typeof Weight.Weight,
        }),
        load,
      );
      return importZip(manyObjects(9 * MB), light.importRuns);
    },
  },
  {
    name: 'a zip has millions of small records with many parts',
    by: 'an import',
    mutant: 'weighing all of a file',
    long: 'mutant',
    async try(weakened) {
      const inner = Buffer.concat([Buffer.from('['), Buffer.alloc(30_000, '{},'), Buffer.from('{}]')]);
      const lines = Array.from({ length: weakened ? 600 : sampled(600, 2_000) }, (_, n) =>
        answer(n + 2, inner),
      );
      const journal = Buffer.concat([Buffer.from(`${META}\n`), ...lines]);
      if (!weakened) return importZip(journal);
      const load = () => import('../../../src/main/library/import');
      const light = await weakenedModules<typeof Budget, Awaited<ReturnType<typeof load>>>(
        'src/main/library/import/budget.ts',
        () => ({ checkWeight: () => Promise.resolve() }),
        load,
      );
      return importZip(journal, light.importRuns);
    },
  },
  {
    name: 'a run with a record of 80 MB is listed, opened, read and exported',
    by: 'a shared store',
    async try() {
      const { store, path } = await storeWith(large(LARGE));
      try {
        const rows = await store.list();
        const row = rows.find(({ id }) => id === 'large');
        if (row?.failure?.code !== 'too_large') return `listed as ${JSON.stringify(row?.failure)}`;
        if (rows.find(({ id }) => id === 'good')?.health !== 'ok') return 'the other run is gone';
        const { overview } = await loadAll({
          store,
          id: 'large',
          tools: toolWords(builtInTools('practice')),
          here: false,
        });
        if (overview.failure?.code !== 'too_large' || overview.prompt === undefined)
          return 'not shown up to there';
        const opened = await store.open('large').then(
          () => undefined,
          (error: unknown) => error,
        );
        if (!isFailure(opened)) return 'opened to be written on';
        const out = join(tempFolder(), 'copy.json');
        await exportRuns(store, ['large'], { format: 'journal', out });
        return readFileSync(out).equals(readFileSync(path)) ? undefined : 'other bytes';
      } finally {
        await store.close();
      }
    },
  },
  {
    name: 'a line of 2 GB in the folder holds up the process',
    by: 'a shared store',
    async try() {
      const { store } = await storeWith((path) => {
        const file = openSync(path, 'a');
        writeSync(file, '{"seq":2,');
        ftruncateSync(file, 2_200 * MB);
        closeSync(file);
      });
      try {
        let rows: Awaited<ReturnType<typeof store.list>> = [];
        const pause = await pauseOf(async () => (rows = await store.list()), 50);
        if (rows.find(({ id }) => id === 'large')?.failure?.code !== 'too_large') return JSON.stringify(rows);
        const { overview } = await loadAll({
          store,
          id: 'large',
          tools: toolWords(builtInTools('practice')),
          here: false,
        });
        if (overview.failure?.code !== 'too_large') return 'not shown up to there';
        return pause > 50 ? `a pause of ${Math.round(pause)} ms` : undefined;
      } finally {
        await store.close();
      }
    },
  },
  {
    name: 'a model streams 78 MB of one sign',
    by: 'a model',
    async try() {
      let sent = 0;
      const event = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: '<'.repeat(MB) } }] })}\n\n`;
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          if (sent++ < 78) controller.enqueue(Buffer.from(event));
          else controller.close();
        },
      });
      const where = {
        host: 'x',
        model: 'm',
        local: true,
        keyVariable: undefined,
        key: { saved: false },
        secrets: [],
      };
      let shown = 0;
      try {
        const events = modelCall(
          {
            where,
            timeoutMs: 60_000,
            reader: () => new ChatReader(where, []),
            send: () =>
              Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } })),
          },
          new AbortController().signal,
          { tries: 1 },
        );
        for await (const one of events) if (one.type === 'text') shown += one.text.length;
      } catch (error) {
        if (!isFailure(error, 'too_large')) return String(error);
        return shown > 0 && shown <= 33 * MB ? undefined : `${shown} signs were taken`;
      }
      return 'the whole answer was taken';
    },
  },
  {
    name: 'a list of models of 5 MB of gzip',
    by: 'the network',
    async try() {
      const folder = tempFolder();
      const file = join(folder, 'list.gz');
      const piece = Buffer.alloc(1 << 20, '{"id":"m"},');
      const pieces = function* () {
        yield '{"data":[';
        for (let n = 0; n < sampled(60, 400); n++) yield piece;
        yield '{}]}';
      };
      await pipeline(Readable.from(pieces()), createGzip({ level: 1 }), createWriteStream(file));
      const server = createServer((_, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
        createReadStream(file).pipe(response);
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
      try {
        const model = modelFor(
          profile.parse({ name: 'x', provider: 'openai', model: 'm', endpoint, tools: [] }),
        );
        const names = await model.models(AbortSignal.timeout(20_000));
        return `${names.length} names`;
      } catch (error) {
        return isFailure(error, 'model_protocol') ? undefined : String(error);
      } finally {
        server.closeAllConnections();
        server.close();
      }
    },
  },
  {
    name: 'a NATS server announces that it takes messages of 99 GB',
    by: 'the network',
    async try() {
      const server = await announcingServer(99e9);
      try {
        const failure = await openStore(`nats://${server.address}/RUNS`).catch(
          (error: unknown) => error as Error,
        );
        if (!isFailure(failure, 'store_protocol')) return String(failure);
        await until(() => server.seen.left === 1);
        return /(^|\n)(PUB|HPUB|SUB)/.test(server.seen.asked) ? 'it was talked to' : undefined;
      } finally {
        server.stop();
      }
    },
  },
];
