/**
 * Loaded into the real command with `node --import`, before anything of ours runs: it watches what the process does to
 * the files of its store, and kills it, with SIGKILL and from inside, at one exact point. Nothing of the product knows
 * of it.
 *
 * HOLDFAST_KILL is JSON: { store, log?, at?, point?, mutant? }
 *   store   the runs folder; only files in it are watched
 *   log     append the name of every point to this file
 *   at      kill at this point (0 is the first)
 *   point   { name, nth }: kill at the nth point of this name, whatever happens in the background meanwhile
 *   mutant  break the build on purpose, to show that the matrix notices:
 *             early       a write to the journal is reported as done before it is
 *             no-intent   the intent to run a tool is never written, in neither of its places
 *             forgetful   the last record is lost when a journal is opened again
 *
 * Points: for a write before, half and after; for every other operation before and after. "after" is after the
 * operation and before anybody was told.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename, join } from 'node:path';

const plan = JSON.parse(process.env.HOLDFAST_KILL ?? '{}');
const names = new Map();
const real = {};
for (const name of [
  'open',
  'openSync',
  'close',
  'write',
  'fdatasync',
  'fsync',
  'ftruncate',
  'rename',
  'unlink',
])
  real[name] = fs[name];

const mine = (path) => typeof path === 'string' && path.startsWith(plan.store);
let next = 0;
let met = 0;

function point(name) {
  if (plan.log) fs.appendFileSync(plan.log, `${name}\n`);
  if (name === plan.point?.name && ++met === plan.point.nth) process.kill(process.pid, 'SIGKILL');
  if (next++ === plan.at) process.kill(process.pid, 'SIGKILL');
}

/** What a write is about, for the name of its point. */
function kindOf(file, text) {
  if (file.endsWith('.aux.jsonl')) return `note ${/"kind":"(\w+)"/.exec(text)?.[1] ?? ''}`;
  return /"protocol":"[\w.-]+\.(\w+)"/.exec(text)?.[1] ?? basename(file).replace(/^[^.]*/, '');
}

fs.open = (path, ...rest) => {
  const done = rest.pop();
  if (plan.mutant === 'forgetful' && mine(path) && /[^x]\.json$/.test(path)) forget(path);
  real.open(path, ...rest, (error, fd) => {
    if (!error && mine(path)) names.set(fd, path);
    done(error, fd);
  });
};
fs.close = (fd, done) => {
  names.delete(fd);
  real.close(fd, done);
};

fs.write = (fd, data, offset, length, position, done) => {
  const path = names.get(fd);
  if (!path) return real.write(fd, data, offset, length, position, done);
  const text = Buffer.from(data.buffer, data.byteOffset, data.length).toString();
  const name = kindOf(path, text);
  if (plan.mutant === 'no-intent' && name === 'note intent') return void setImmediate(done, null, length);
  if (plan.mutant === 'early' && path.endsWith('.json')) {
    setTimeout(() => fs.writeSync(fd, data, offset, length, position), 5_000);
    return void setImmediate(done, null, length);
  }
  point(`before write ${name}`);
  if (next === plan.at) fs.writeSync(fd, data, offset, Math.floor(length / 2), position);
  point(`half write ${name}`);
  real.write(fd, data, offset, length, position, (error, written) => {
    point(`after write ${name}`);
    done(error, written);
  });
};

for (const name of ['fdatasync', 'fsync', 'ftruncate'])
  fs[name] = (fd, ...rest) => {
    const path = names.get(fd);
    if (!path) return real[name](fd, ...rest);
    const done = rest.pop();
    const file = basename(path).replace(/^[^.]*/, '') || 'folder';
    point(`before ${name} ${file}`);
    real[name](fd, ...rest, (error) => {
      point(`after ${name} ${file}`);
      done(error);
    });
  };
for (const name of ['rename', 'unlink'])
  fs[name] = (path, ...rest) => {
    if (!mine(path)) return real[name](path, ...rest);
    const done = rest.pop();
    if (plan.mutant === 'no-intent' && name === 'rename' && path.includes('.began.'))
      return void setImmediate(done, null);
    point(`before ${name} ${basename(path).replace(/^[^.]*/, '')}`);
    real[name](path, ...rest, (error) => {
      point(`after ${name}`);
      done(error);
    });
  };

/** Once for each process: cuts the last whole record off. */
let forgotten = false;
function forget(path) {
  if (forgotten || !fs.existsSync(path)) return;
  forgotten = true;
  const lines = fs.readFileSync(path, 'utf8').split('\n').filter(Boolean);
  if (lines.length > 2)
    fs.writeFileSync(
      path,
      lines
        .slice(0, -1)
        .map((line) => `${line}\n`)
        .join(''),
    );
}

plan.store = plan.store ?? join(process.cwd(), 'nowhere');
syncBuiltinESMExports();
