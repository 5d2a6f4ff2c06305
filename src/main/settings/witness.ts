import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder } from './make-folder';

/**
 * What this machine can say about runs that others could have written too: which words are its own. The secret that
 * proves it is kept in local state, never in a store, so a copied or made-up note cannot claim it.
 */
export interface Witness {
  /** A proof that this machine wrote a text. */
  mac(text: string): string;
  isMac(text: string, mac: string): boolean;
  /**
   * The run was in this machine's own folder of runs when it began to prove what it writes, with these many bytes: it is
   * from an earlier version of Holdfast on this machine.
   */
  knew(store: string, id: string, bytes: number): boolean;
}

const KEY = /^[0-9a-f]{64}\n?$/;
const KEY_FILE = 'machine.key';
const BEFORE_FILE = 'machine-before.json';
const MAC_BYTES = 16;

interface Before {
  store: string;
  runs: Record<string, number>;
}

/** For tests, and where nothing can be kept: what it proved is unknown to the next process. */
export function witnessOf(key: Buffer, before: () => Before | undefined = () => undefined): Witness {
  const digest = (text: string): Buffer =>
    createHmac('sha256', key).update(text, 'utf8').digest().subarray(0, MAC_BYTES);
  return {
    mac: (text) => digest(text).toString('base64url'),
    isMac(text, mac) {
      const given = Buffer.from(mac, 'base64url');
      return given.length === MAC_BYTES && timingSafeEqual(given, digest(text));
    },
    knew(store, id, bytes) {
      const known = before();
      if (known?.store !== store || !Object.hasOwn(known.runs, id)) return false;
      // An unfinished last line is cut when the run is opened, and a last newline that is missing is added.
      return bytes <= known.runs[id]! + 1;
    },
  };
}

/**
 * The witness of this person on this machine. Its secret is made at first use, together with a list of the runs that
 * are there already. Where it cannot be kept, runs count as from elsewhere once the process has ended.
 *
 * @param state the folder of local state
 * @param runs the person's own folder of runs
 */
export function machineWitness(state: string, runs: string): Witness {
  let made: Witness | undefined;
  const open = (): Witness => (made ??= openWitness(state, runs));
  return {
    mac: (text) => open().mac(text),
    isMac: (text, mac) => open().isMac(text, mac),
    knew: (store, id, bytes) => open().knew(store, id, bytes),
  };
}

function openWitness(state: string, runs: string): Witness {
  const path = join(state, KEY_FILE);
  let key: Buffer;
  try {
    key = readKey(path) ?? makeKey(path, () => keepBefore(state, runs));
  } catch {
    key = randomBytes(32);
  }
  let before: Before | undefined | null = null;
  return witnessOf(key, () => (before === null ? (before = readBefore(state)) : before));
}

/** undefined: there is none. */
function readKey(path: string): Buffer | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'latin1');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  if (KEY.test(text)) return Buffer.from(text.trim(), 'hex');
  // Kept aside for whoever wants to know; what it proved is proved no longer.
  renameSync(path, `${path}.broken`);
  return undefined;
}

/** The key takes its name when all of it is there, so whoever else makes one at this moment gets the same. */
function makeKey(path: string, first: () => void): Buffer {
  makeFolder(dirname(path));
  first();
  const key = randomBytes(32);
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  writeDurably(temporary, `${key.toString('hex')}\n`);
  try {
    linkSync(temporary, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return readKey(path) ?? key;
    // No hard links on this file system.
    renameSync(temporary, path);
    return key;
  }
  unlinkSync(temporary);
  return key;
}

function keepBefore(state: string, runs: string): void {
  const found: Before = { store: `file:${runs}`, runs: {} };
  let names: string[] = [];
  try {
    names = readdirSync(runs);
  } catch {
    // There are no runs yet.
  }
  for (const name of names) {
    if (name.startsWith('.') || !name.endsWith('.json')) continue;
    const size = statSync(join(runs, name), { throwIfNoEntry: false })?.size;
    if (size !== undefined) found.runs[name.slice(0, -'.json'.length)] = size;
  }
  const path = join(state, BEFORE_FILE);
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  writeDurably(temporary, JSON.stringify(found));
  renameSync(temporary, path);
}

function readBefore(state: string): Before | undefined {
  try {
    const read = JSON.parse(readFileSync(join(state, BEFORE_FILE), 'utf8')) as Before;
    return typeof read.store === 'string' && typeof read.runs === 'object' ? read : undefined;
  } catch {
    return undefined;
  }
}

function writeDurably(path: string, text: string): void {
  const file = openSync(path, 'wx', 0o600);
  try {
    const bytes = Buffer.from(text);
    for (let done = 0; done < bytes.length;) done += writeSync(file, bytes, done);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
