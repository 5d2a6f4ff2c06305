/**
 * `npm run nats`: a NATS server on this machine with the stream for runs ready, to try the second store with one
 * command. It listens on 127.0.0.1 only, keeps its files under .cache/nats/try, and ends with Ctrl-C; what was kept is
 * there the next time.
 *
 *   npm run nats                    the newest server that is here, on port 4222 or the next free one
 *   npm run nats -- --port 4333     on that port
 *   npm run nats -- --server 2.9    a certain server
 *   npm run nats -- --fresh         forget what an earlier try kept
 */
import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { connect } from 'nats';
import { natsServers, project } from './prerequisites.mjs';

const STREAM = 'RUNS';
const PREFIX = 'runs';
const FIRST_PORT = 4222;

const { values: options } = parseArgs({
  options: { port: { type: 'string' }, server: { type: 'string' }, fresh: { type: 'boolean' } },
});

/** The server of that version, else the newest. Ends the program when there is none. */
function pickServer() {
  const { servers, missing } = natsServers((line) => console.error(line));
  const newest = [...servers.keys()].sort((a, b) => b.localeCompare(a, 'en', { numeric: true }));
  const version = options.server ?? newest[0];
  const path = servers.get(version);
  if (path) return { version, path };
  console.error(
    newest.length > 0
      ? `There is no NATS server ${version} here (there are: ${newest.join(', ')}).`
      : 'There is no NATS server here: put nats-server on the search path, then try again.',
  );
  for (const { what, why } of missing) console.error(`${what}: ${why}`);
  process.exit(1);
}

const isFree = (port) =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });

async function pickPort() {
  if (options.port) return Number(options.port);
  for (let port = FIRST_PORT; port < FIRST_PORT + 50; port++) if (await isFree(port)) return port;
  throw new Error('no free port');
}

/** The child, once it says that it is ready. */
function startServer(path, config) {
  const child = spawn(path, ['-c', config], { stdio: ['ignore', 'ignore', 'pipe'] });
  return new Promise((resolve, reject) => {
    let said = '';
    child.once('exit', (code) => reject(new Error(`nats-server ended with code ${code}:\n${said}`)));
    child.once('error', reject);
    child.stderr.on('data', (chunk) => {
      said = (said + chunk).slice(-4_000);
      if (said.includes('Server is ready')) resolve(child);
    });
  });
}

async function makeStream(port) {
  const connection = await connect({ servers: [`127.0.0.1:${port}`] });
  try {
    const manager = await connection.jetstreamManager();
    for await (const name of manager.streams.names()) if (name === STREAM) return;
    await manager.streams.add({
      name: STREAM,
      subjects: [`${PREFIX}.>`],
      storage: 'file',
      retention: 'limits',
      discard: 'new',
      discard_new_per_subject: true,
      max_msgs_per_subject: 1,
      max_age: 0,
      max_msgs: -1,
      max_bytes: -1,
      max_msg_size: -1,
      num_replicas: 1,
      allow_direct: true,
    });
  } finally {
    await connection.close();
  }
}

const { version, path } = pickServer();
const home = join(project, '.cache', 'nats', 'try', version);
if (options.fresh) rmSync(home, { recursive: true, force: true });
mkdirSync(home, { recursive: true });
const port = await pickPort();
const config = join(home, 'server.conf');
// Every message is synced before it is acknowledged: on one machine that costs little, and power loss takes nothing.
const sync = version === '2.9' ? '' : ', sync_interval: always';
writeFileSync(
  config,
  `listen: "127.0.0.1:${port}"\njetstream { store_dir: ${JSON.stringify(join(home, 'store'))}${sync} }\n`,
);
let child;
try {
  child = await startServer(path, config);
  await makeStream(port);
} catch (error) {
  console.error(error.message);
  child?.kill();
  process.exit(1);
}
child.removeAllListeners('exit');
child.once('exit', (code) => process.exit(code ?? 0));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => child.kill('SIGTERM'));
process.once('exit', () => child.kill());
console.log(`nats-server ${version} keeps runs at:\n\n  nats://127.0.0.1:${port}/${STREAM}\n`);
console.log(
  'Add that address as a store in the window, or name it on the command line. Ctrl-C ends the server.',
);
