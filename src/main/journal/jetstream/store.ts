import type { RunRecord } from '../../../shared/run/record';
import { checkPatch, patched } from '../catalogue';
import { checkFirst, checkId, checkNewId, locked, notFound } from '../check';
import type {
  Journal,
  LoadedRun,
  RunStore,
  RunSummary,
  StoreConnection,
  StoreSupports,
  Writer,
} from '../journal';
import type { RunParcel } from '../parcel';
import { metaSha256, withPartial } from '../sidecar';
import type { Slip, SlipName } from '../slip';
import type { SidecarRead } from '../sidecar';
import { readAux, scanAux } from './aux';
import { checkSeen, createRun, loadRun, openRun } from './begin';
import type { Begun } from './begin';
import { changeRow, readRow } from './catalogue';
import type { RowChange } from './catalogue';
import { Claim, isHolderAlive, readClaim } from './claim';
import type { ClaimState } from './claim';
import { unsupported } from './failures';
import { newNonce } from './ground';
import type { Ground } from './ground';
import { Holders } from './holders';
import { importRun } from './import';
import { listRuns, summaryOfRun } from './list';
import type { ListParts } from './list';
import { lastOf } from './read';
import { bytesOf, readStored } from './records';
import { removeAll, removeRun } from './remove';
import { readSlip, SlipWriter } from './slips';
import { readText } from './texts';
import { watchStream } from './watch';
import { NatsJournal } from './writer';

/** A holder that did not answer is not asked again for so long. ms. */
const SILENT_MS = 30_000;

/** Runs in a JetStream stream. See subjects.ts for where things are, claim.ts for who may write. */
export class NatsStore implements RunStore {
  readonly durability = 'acknowledged';
  readonly supports: StoreSupports;
  readonly caution: string;
  readonly keeps?: string;
  readonly connection: StoreConnection;
  readonly #journals = new Set<NatsJournal>();
  readonly #watches = new Set<() => void>();
  readonly #holders: Holders;
  readonly #silent = new Map<string, number>();
  readonly #list: ListParts;

  constructor(
    readonly url: string,
    readonly ground: Ground,
    readonly release: () => Promise<void>,
  ) {
    const { judgement, askMs } = ground;
    this.#holders = Holders.of(ground.link, ground.stream);
    this.connection = ground.link;
    if (judgement.keepsAll !== undefined) this.keeps = judgement.keepsAll;
    this.caution = [...judgement.cautions, ...(judgement.keepsAll ? [judgement.keepsAll] : [])].join(' ');
    this.supports = {
      lock: askMs > 0,
      fence: true,
      tornTail: false,
      delete: judgement.keepsAll === undefined,
      write: true,
      trashKeepsId: true,
    };
    this.#list = { ground, writer: (id, claim) => this.#writerOf(id, claim) };
  }

  async create(id: string, meta: RunRecord, own?: string): Promise<Journal> {
    checkNewId(id);
    checkFirst(meta);
    return this.#hold(await createRun(this.ground, id, meta, own));
  }

  async open(id: string): Promise<Journal> {
    checkId(id);
    await checkSeen(this.ground, id);
    if (this.ground.askMs > 0 && this.#holders.has(id)) throw locked();
    return this.#hold(await openRun(this.ground, id));
  }

  async load(id: string): Promise<LoadedRun> {
    checkId(id);
    const [{ loaded }, claim] = await Promise.all([
      loadRun(this.ground, id, 'none'),
      readClaim(this.ground, id),
    ]);
    return { ...loaded, writer: await this.#writerOf(id, claim) };
  }

  async bytes(id: string): Promise<Uint8Array> {
    checkId(id);
    await checkSeen(this.ground, id);
    const stored = await readStored(this.ground, id);
    if (stored === undefined) throw notFound();
    return bytesOf(stored);
  }

  list(): Promise<RunSummary[]> {
    return listRuns(this.#list, 'seen');
  }

  async summary(id: string): Promise<RunSummary> {
    checkId(id);
    const row = await summaryOfRun(this.#list, id);
    if (row === undefined) throw notFound();
    return row;
  }

  async trash(id: string): Promise<void> {
    checkId(id);
    this.#checkDelete();
    await checkSeen(this.ground, id);
    const hidden = { why: 'trash' as const, at: new Date().toISOString() };
    await this.#alone(id, () => this.#mark(id, 'removed', (row) => ({ labels: row.labels, hidden })));
  }

  async restore(id: string): Promise<void> {
    checkId(id);
    const { hidden } = await readRow(this.ground, id);
    if (hidden?.why !== 'trash') throw notFound('There is no run of that name in the trash.');
    await this.#mark(id, 'added', (row) => ({ labels: row.labels }));
  }

  trashed(): Promise<RunSummary[]> {
    return listRuns(this.#list, 'trash');
  }

  async purge(id: string): Promise<void> {
    checkId(id);
    this.#checkDelete();
    const { ground } = this;
    const { subjects } = ground;
    if ((await lastOf(ground, subjects.run(id))) === undefined) throw notFound();
    const hidden = { why: 'deleting' as const, at: new Date().toISOString() };
    await this.#alone(id, async () => {
      // Hidden first: should this be cut short, nobody meets half a run. The mark outlives the run for a while, so
      // that whoever watches sees it go.
      await this.#mark(id, 'removed', () => ({ labels: {}, hidden }));
      await removeRun(ground, id);
    });
    await removeAll(ground, subjects.claim(id, '>'));
  }

  async label(id: string, patch: Parameters<RunStore['label']>[1]): Promise<void> {
    checkId(id);
    checkPatch(patch);
    await checkSeen(this.ground, id);
    await changeRow(this.ground, id, 'catalogue', ({ labels, hidden }) => ({
      labels: patched(labels, patch),
      ...(hidden !== undefined && { hidden }),
    }));
  }

  async writer(id: string): Promise<Writer> {
    checkId(id);
    return this.#writerOf(id, await readClaim(this.ground, id));
  }

  watch(onChange: Parameters<RunStore['watch']>[0]): () => void {
    const stop = watchStream(this.ground, onChange);
    this.#watches.add(stop);
    return () => {
      this.#watches.delete(stop);
      stop();
    };
  }

  async kept(id: string, name: string): Promise<string> {
    checkId(id);
    return readText(this.ground, id, name);
  }

  async notes(id: string): Promise<SidecarRead> {
    checkId(id);
    const { ground } = this;
    const [meta, notes, partial] = await Promise.all([
      lastOf(ground, ground.subjects.meta(id)),
      scanAux(ground, id),
      readSlip(ground, id, 'partial'),
      checkSeen(ground, id),
    ]);
    const sha256 = metaSha256(meta?.data ?? '');
    const { end: _, ...read } = readAux(ground, notes, sha256);
    return withPartial(read, partial(sha256));
  }

  async slip(id: string, name: SlipName): Promise<Slip | undefined> {
    checkId(id);
    const { ground } = this;
    const [meta] = await Promise.all([lastOf(ground, ground.subjects.meta(id)), checkSeen(ground, id)]);
    return (await readSlip(ground, id, name))(meta && metaSha256(meta.data));
  }

  async putSlip(id: string, name: 'queue', text: string | undefined): Promise<void> {
    checkId(id);
    const { ground } = this;
    const open = this.#holders.get(id);
    if (open !== undefined) return open.putSlip(name, text, 'durably');
    await checkSeen(ground, id);
    await this.#alone(id, async () => {
      const meta = await lastOf(ground, ground.subjects.meta(id));
      if (meta === undefined) throw notFound();
      const sha256 = metaSha256(meta.data);
      const check = async (): Promise<void> => undefined;
      const slips = new SlipWriter({ ground, id, nonce: newNonce(), metaSha256: sha256, check });
      await slips.put(name, text, true);
    });
  }

  async import(id: string, parcel: RunParcel): Promise<void> {
    checkNewId(id);
    await importRun(this.ground, id, parcel);
  }

  async close(): Promise<void> {
    for (const stop of this.#watches) stop();
    this.#watches.clear();
    await Promise.all([...this.#journals].map((journal) => journal.close()));
    await this.release();
  }

  #hold(begun: Begun): Journal {
    const { id } = begun;
    const journal = new NatsJournal({
      ...begun,
      ground: this.ground,
      store: this,
      onClose: () => {
        this.#journals.delete(journal);
        this.#holders.remove(id, journal);
      },
    });
    this.#journals.add(journal);
    this.#holders.add(id, journal);
    return journal;
  }

  async #writerOf(id: string, claim: ClaimState | undefined): Promise<Writer> {
    if (this.#holders.has(id)) return 'here';
    if (claim?.held !== true) return 'none';
    const { ground } = this;
    if (ground.askMs === 0) return 'unknown';
    const key = `${id} ${claim.n} ${claim.nonce}`;
    if ((this.#silent.get(key) ?? 0) > Date.now()) return 'none';
    if (await isHolderAlive(ground, id, claim, ground.askMs)) return 'elsewhere';
    if (this.#silent.size > 10_000) this.#silent.clear();
    this.#silent.set(key, Date.now() + SILENT_MS);
    return 'none';
  }

  /** Runs a task while nobody else may write the run. */
  async #alone(id: string, task: () => Promise<void>): Promise<void> {
    if (this.ground.askMs > 0 && this.#holders.has(id)) throw locked();
    const claim = await Claim.take(this.ground, id, newNonce());
    try {
      await task();
    } finally {
      await claim.release();
    }
  }

  #mark(id: string, what: RowChange, change: Parameters<typeof changeRow>[3]): Promise<void> {
    return changeRow(this.ground, id, what, change);
  }

  #checkDelete(): void {
    const why = this.ground.judgement.keepsAll;
    if (why !== undefined) throw unsupported(why);
  }
}
