/**
 * `npm run bench`: runs every test/bench/*.bench.ts in a process of its own and prints what it measured. A bench
 * exports `bench()`, which resolves to `{ name, figures: [{ label, value, unit, aim? }] }`. Aims are shown beside the
 * figures; nothing here ever fails because a machine was slow.
 *
 *   npm run bench               all
 *   npm run bench -- append     those with "append" in their file name
 */
import { fork } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { project } from './prerequisites.mjs';

const number = (value) =>
  Number.isInteger(value) || Math.abs(value) >= 100
    ? Math.round(value).toLocaleString('en')
    : String(Number(value.toPrecision(3)));

async function one(file) {
  const module = await import(pathToFileURL(file).href);
  process.send(await module.bench());
  process.disconnect();
}

/** The result of one bench file, or an Error. */
function measure(file) {
  return new Promise((resolve) => {
    const child = fork(import.meta.filename, ['--one', file], {
      execArgv: ['--import', 'tsx', '--expose-gc'],
    });
    let result;
    child.once('message', (message) => (result = message));
    child.once('error', (error) => resolve(error));
    child.once('close', (code) => resolve(result ?? new Error(`ended with code ${code} and no figures`)));
  });
}

function print({ name, figures }) {
  console.log(`\n${name}`);
  const rows = figures.map(({ label, value, unit, aim }) => [
    label,
    `${number(value)} ${unit}`,
    aim === undefined ? '' : `aim ${aim}`,
  ]);
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column].length)));
  for (const [label, value, aim] of rows)
    console.log(`  ${label.padEnd(widths[0])}  ${value.padStart(widths[1])}  ${aim}`.trimEnd());
}

async function main() {
  const folder = join(project, 'test', 'bench');
  const words = process.argv.slice(2);
  const files = (existsSync(folder) ? readdirSync(folder) : [])
    .filter((name) => name.endsWith('.bench.ts'))
    .filter((name) => words.length === 0 || words.some((word) => name.includes(word)))
    .sort();
  if (files.length === 0) console.log('no bench matches');
  else console.log(`Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model ?? 'unknown processor'}`);
  for (const file of files) {
    const result = await measure(join(folder, file));
    if (result instanceof Error) {
      console.log(`\n${file}: ${result.message}`);
      process.exitCode = 1;
    } else print(result);
  }
}

if (process.argv[2] === '--one') await one(process.argv[3]);
else await main();
