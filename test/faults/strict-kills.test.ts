import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { anthropicStandIn } from '../support/anthropic-standin';
import { openaiStandIn } from '../support/openai-standin';
import { Seeded } from '../support/seeded';
import type { StandIn } from '../support/standin';
import type { ChildOrders } from '../support/strict-child';

const soak = process.env['HOLDFAST_SOAK'] !== undefined;
const RUNS = soak ? 20 : 2;
const LIVES = 5;
const KEY = 'test-key-0123456789';
const child = fileURLToPath(new URL('../support/strict-child.ts', import.meta.url));

/** Lets one process live until its k-th request and a little longer, then kills it. true: it ended by itself before. */
async function live(orders: ChildOrders, service: StandIn, random: Seeded): Promise<boolean> {
  const process_ = spawn(process.execPath, ['--import', 'tsx', child, JSON.stringify(orders)], {
    stdio: 'pipe',
  });
  let complaint = '';
  process_.stderr.on('data', (chunk: Buffer) => (complaint += chunk.toString()));
  const gone = once(process_, 'exit') as Promise<[number | null, string | null]>;
  const doomed = service.counts.requests + 1 + random.below(4);
  const extra = random.below(60);
  const look = setInterval(() => {
    if (service.counts.requests < doomed) return;
    clearInterval(look);
    setTimeout(() => process_.kill('SIGKILL'), extra);
  }, 2);
  const [code] = await gone;
  clearInterval(look);
  // A chat that has ended is refused by the gates; anything else that a child dies of is a fault.
  if (code !== null && code !== 0) expect(complaint).toContain('already');
  return code !== null;
}

describe.each(['anthropic', 'openai'] as const)(
  'processes that are really killed, with the %s API',
  (api) => {
    it(
      `leave runs that a strict service accepts: ${RUNS} runs of ${LIVES} lives`,
      { timeout: 1_800_000 },
      async (context) => {
        let killed = 0;
        let requests = 0;
        for (let seed = 1; seed <= RUNS; seed++) {
          const random = new Seeded(seed);
          const root = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-lives-')));
          mkdirSync(join(root, 'work'));
          writeFileSync(join(root, 'work', 'notes.txt'), 'one\nhay\nthree\n');
          const service = await (api === 'anthropic' ? anthropicStandIn : openaiStandIn)({
            seed: seed + 400,
            key: KEY,
          });
          for (let n = 0; n < LIVES; n++) {
            const orders: ChildOrders = {
              ...{
                api,
                origin: service.origin,
                key: KEY,
                work: join(root, 'work'),
                runs: join(root, 'runs'),
              },
              resume: existsSync(join(root, 'runs', 'run.json')),
              ...(random.chance(0.7) && { say: `Go on, ${n}.` }),
            };
            if (!(await live(orders, service, random))) killed++;
          }
          requests += service.counts.requests;
          expect(service.rejected, `seed ${seed}`).toEqual([]);
          await service.stop();
          rmSync(root, { recursive: true, force: true });
        }
        expect(killed).toBeGreaterThan(0);
        await context.annotate(
          `strict ${api}, real kills: ${killed} of ${RUNS * LIVES} processes, ${requests} requests, rejected 0`,
          'figures',
        );
      },
    );
  },
);
