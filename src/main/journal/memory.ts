import { decodeRecord, encodeLine } from '../../shared/run/codec';
import type { RunRecord } from '../../shared/run/record';
import type { CatalogueEntry, SidecarEntry } from '../../shared/run/sidecar';
import { checkPatch, patched } from './catalogue';
import {
  checkAppend,
  checkFirst,
  checkId,
  checkNewId,
  closed,
  conflict,
  locked,
  notFound,
  runExists,
} from './check';
import type { Journal, LoadedRun, RecordPlace, RunStore, RunSummary, StoreChange } from './journal';
import { broughtNotes } from './parcel';
import { loadedRun, readRun, summaryOf } from './read';
import type { Surroundings } from './read';
import { bindEntry, metaSha256, withPartial } from './sidecar';
import { encodeSlip } from './slip';
import type { SlipName } from './slip';
import { Turns } from './turns';

/** All that a store keeps of one run. */
interface Kept {
  lines: Uint8Array[];
  places: RecordPlace[];
  sidecar: SidecarEntry[];
  texts: Map<string, string>;
  slips: Map<SlipName, string>;
  catalogue: CatalogueEntry;
  updated: Date;
  trashed?: Date;
}

const newRun = (): Kept => ({
  lines: [],
  places: [],
  sidecar: [],
  texts: new Map(),
  slips: new Map(),
  catalogue: {},
  updated: new Date(),
});
const NEWLINE = new Uint8Array([0x0a]);

/**
 * A store that lasts as long as its process: for tests, and as the shortest complete reading of what a store does.
 * Everything that the interface promises is here, without a disk in the way.
 */
export function memoryStore(): RunStore {
  const runs = new Map<string, Kept>();
  const trash = new Map<string, Kept>();
  const writers = new Map<string, Journal>();
  const listeners = new Set<(change: StoreChange) => void>();

  function tell(id: string, what: StoreChange['what']): void {
    for (const listener of [...listeners])
      queueMicrotask(() => {
        try {
          if (listeners.has(listener)) listener({ id, what });
        } catch {
          // A listener's trouble is its own.
        }
      });
  }

  function find(id: string): Kept {
    checkId(id);
    const run = runs.get(id);
    if (run === undefined) throw notFound();
    return run;
  }

  const free = (id: string): void => {
    if (writers.has(id)) throw locked();
  };

  const around = (id: string, run: Kept): Surroundings => ({
    id,
    updated: run.updated,
    catalogue: run.catalogue,
    writer: writers.has(id) && runs.get(id) === run ? 'here' : 'none',
    durability: 'memory',
  });
  const row = (id: string, run: Kept): RunSummary =>
    summaryOf(readRun(Buffer.concat(run.lines)), around(id, run));

  function place(run: Kept, seq: number, line: Uint8Array): RecordPlace {
    const last = run.places.at(-1);
    const offset = last ? last.offset + last.bytes + 1 : 0;
    const found = { seq, line: run.lines.length + 1, offset, bytes: line.length - 1 };
    run.lines.push(line);
    run.places.push(found);
    run.updated = new Date();
    return found;
  }
  const write = (run: Kept, record: RunRecord): RecordPlace => place(run, record.seq, encodeLine(record));

  function putSlip(run: Kept, name: SlipName, text: string | undefined): void {
    if (text === undefined) return void run.slips.delete(name);
    // For its limit.
    encodeSlip('', name, text);
    run.slips.set(name, text);
  }

  function note(run: Kept, entry: SidecarEntry): void {
    if (run.sidecar.length === 0) run.sidecar.push(bindEntry(metaSha256(run.lines[0]!.subarray(0, -1))));
    run.sidecar.push(structuredClone(entry));
  }

  /** Takes the writer's place; the caller made sure that it is free. */
  function hold(id: string, run: Kept): Journal {
    const turns = new Turns();
    let over = false;
    const open = (): void => {
      if (over) throw closed();
    };
    const journal: Journal = {
      id,
      store,
      durability: 'memory',
      get lastSeq() {
        return run.places.at(-1)?.seq ?? 0;
      },
      get dead() {
        return over ? closed().toJSON() : undefined;
      },
      append: (record, own) =>
        turns.run(() => {
          open();
          if (checkAppend(journal.lastSeq, record.seq) === 'seen') {
            const n = run.places.findIndex((place) => place.seq === record.seq);
            if (n < 0 || Buffer.compare(run.lines[n]!, encodeLine(record)) !== 0) throw conflict(record.seq);
            return run.places[n]!;
          }
          if (own !== undefined) note(run, { kind: 'own', seq: record.seq, mac: own });
          const place = write(run, record);
          tell(id, 'grown');
          return place;
        }),
      load: () => turns.run(() => store.load(id)),
      note: (entry) =>
        turns.run(() => {
          open();
          note(run, entry);
        }),
      keep: (_toolUseId, text) =>
        turns.run(() => {
          open();
          const name = `${run.texts.size + 1}.txt`;
          run.texts.set(name, text);
          return name;
        }),
      putSlip(name, text, how) {
        const put = turns.run(() => {
          open();
          putSlip(run, name, text);
        });
        return how === 'lazily' ? put.catch(() => undefined) : put;
      },
      onDead: () => undefined,
      async close() {
        await turns.idle();
        if (over) return;
        over = true;
        writers.delete(id);
        tell(id, 'writer');
      },
    };
    writers.set(id, journal);
    return journal;
  }

  const store: RunStore = {
    url: 'memory:',
    durability: 'memory',
    supports: { lock: true, fence: false, tornTail: false, delete: true, write: true },

    async create(id, meta, own) {
      checkNewId(id);
      checkFirst(meta);
      if (runs.has(id)) throw runExists();
      const run = newRun();
      write(run, meta);
      if (own !== undefined) note(run, { kind: 'own', seq: meta.seq, mac: own });
      runs.set(id, run);
      tell(id, 'added');
      return hold(id, run);
    },
    async open(id) {
      const run = find(id);
      free(id);
      return hold(id, run);
    },
    async load(id): Promise<LoadedRun> {
      const run = find(id);
      const began = await store.slip(id, 'began');
      const noted = { entries: structuredClone(run.sidecar), bound: run.sidecar.length > 0, sum: '' };
      const sidecar = withPartial(noted, await store.slip(id, 'partial'));
      return loadedRun(readRun(Buffer.concat(run.lines)), { ...sidecar, began }, around(id, run));
    },
    bytes: async (id) => Buffer.concat(find(id).lines),
    list: async () => [...runs].map(([id, run]) => row(id, run)),
    summary: async (id) => row(id, find(id)),
    async trash(id) {
      const run = find(id);
      free(id);
      if (trash.has(id)) throw runExists();
      run.trashed = new Date();
      trash.set(id, run);
      runs.delete(id);
      tell(id, 'removed');
    },
    async restore(id) {
      checkId(id);
      const run = trash.get(id);
      if (run === undefined) throw notFound('There is no run of that name in the trash.');
      if (runs.has(id)) throw runExists();
      delete run.trashed;
      runs.set(id, run);
      trash.delete(id);
      tell(id, 'added');
    },
    trashed: async () =>
      [...trash].map(([id, run]) => ({ ...row(id, run), ...(run.trashed && { trashed: run.trashed }) })),
    async purge(id) {
      checkId(id);
      if (trash.delete(id)) return;
      find(id);
      free(id);
      runs.delete(id);
      tell(id, 'removed');
    },
    async label(id, patch) {
      checkPatch(patch);
      const run = find(id);
      run.catalogue = patched(run.catalogue, patch);
      tell(id, 'catalogue');
    },
    async writer(id) {
      checkId(id);
      return writers.has(id) ? 'here' : 'none';
    },
    watch(onChange) {
      // One entry for each call, also when the same function watches twice.
      const listener = (change: StoreChange): void => onChange(change);
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async kept(id, name) {
      const text = find(id).texts.get(name);
      if (text === undefined) throw notFound('That text is not kept beside this run.');
      return text;
    },
    async slip(id, name) {
      const text = find(id).slips.get(name);
      return text === undefined ? undefined : { text, damaged: false };
    },
    async putSlip(id, name, text) {
      putSlip(find(id), name, text);
    },
    async import(id, { lines, sidecar, catalogue, texts }) {
      checkNewId(id);
      if (runs.has(id)) throw runExists();
      const run = newRun();
      for (const line of lines)
        place(run, decodeRecord(Buffer.from(line).toString('utf8')).seq, Buffer.concat([line, NEWLINE]));
      if (sidecar)
        run.sidecar.push(bindEntry(metaSha256(lines[0]!)), ...structuredClone(broughtNotes(sidecar)));
      for (const { name, text } of texts) run.texts.set(name, text);
      run.catalogue = { ...catalogue };
      runs.set(id, run);
      tell(id, 'added');
    },
    async close() {
      await Promise.all([...writers.values()].map((journal) => journal.close()));
      listeners.clear();
    },
  };
  return store;
}
