import { appendFileSync } from 'node:fs';
import { Failure } from '../../../shared/run/failure';
import type { DescribeCall } from '../../../shared/run/transcript';
import type { RunStore } from '../../journal/journal';
import { builtInTools } from '../../tool/registry';
import { toolWords } from '../read/tool-words';
import type { ExportTask, Hooks, ImportTask, Points, Result, Task, TaskKind } from './tasks';

/** What a task needs from where it runs. */
export interface Ground {
  /** The store of this name, opened when it is first asked for. */
  open(name: string): Promise<RunStore>;
  newId(): string;
  now(): Date;
}

/** Points that one answer carries, the newest. */
const MOST_POINTS = 500;

/** Does one task, in the process that it is called in. What a task needs is loaded when one comes that needs it. */
export async function runTask(task: Task, ground: Ground, hooks: Hooks): Promise<Result<TaskKind>> {
  const { open, newId, now } = ground;
  switch (task.kind) {
    case 'export':
      return exportTask(task, ground, hooks);
    case 'import':
      return importTask(task, ground, hooks);
    case 'compare': {
      const { sideOf } = await import('../../library/compare');
      const [a, b] = [await open(task.a.store), await open(task.b.store)];
      return { a: await sideOf(a, task.a.id), b: await sideOf(b, task.b.id) };
    }
    case 'points':
      return points(await open(task.run.store), task.run.id);
    case 'fork': {
      const { forkRun } = await import('../../library/fork');
      const [from, to] = [await open(task.run.store), await open(task.to)];
      return forkRun(from, task.run.id, { ...(task.at !== undefined && { at: task.at }), to, newId, now });
    }
    case 'plan': {
      const { planRepair } = await import('../../library/repair');
      return planRepair(await open(task.run.store), task.run.id);
    }
    case 'repair': {
      const { planRepair, repairRun } = await import('../../library/repair');
      const store = await open(task.run.store);
      const plan = await planRepair(store, task.run.id);
      if (plan.sha256 !== task.sha256) throw movedOn();
      return repairRun(store, plan, { inside: task.inside });
    }
  }
}

async function exportTask(
  { runs, secrets, ledger, ...view }: ExportTask,
  { open, now }: Ground,
  { signal, onProgress }: Hooks,
): Promise<Result<'export'>> {
  const { exportAll } = await import('../../library/export');
  const wanted = [];
  for (const { store, id, key, unread } of runs)
    wanted.push({ store: await open(store), id, key, ...(unread && { unread }) });
  return exportAll(wanted, {
    ...view,
    ...(secrets && { secrets }),
    byTitle: view.format !== 'journal',
    describe: describer(),
    signal,
    now,
    onPart: (path) => appendFileSync(ledger, `${path}\n`, { mode: 0o600 }),
    onProgress: ({ id, done, total, bytes }) => onProgress({ now: id, done, total, bytes }),
  });
}

async function importTask(
  { store, files }: ImportTask,
  { open, newId, now }: Ground,
  { signal, onProgress }: Hooks,
): Promise<Result<'import'>> {
  const { importFrom, isZip, stagedTree, zipTree } = await import('../../library/import');
  const zips: typeof files = [];
  const plain: typeof files = [];
  for (const file of files) ((await isZip(file.path)) ? zips : plain).push(file);
  const sources = zips.map(({ name, path }) => ({ label: name, open: () => zipTree(path) }));
  if (plain.length > 0) sources.push({ label: '', open: async () => stagedTree(plain) });
  let before = 0;
  let last: { source: string; done: number; total: number } | undefined;
  return importFrom(await open(store), sources, {
    newId,
    now,
    signal,
    onProgress: (progress) => {
      if (last && progress.done === 0) before += last.total;
      last = progress;
      const { source, done, total } = progress;
      onProgress({ now: source, done: before + done, total: before + total, bytes: 0 });
    },
  });
}

async function points(store: RunStore, id: string): Promise<Points> {
  const { pointsOf } = await import('../../library/compare');
  const { records, facts } = await store.load(id);
  const all = pointsOf(records);
  return { points: all.slice(-MOST_POINTS), total: all.length, lastSeq: facts.lastSeq };
}

function describer(): DescribeCall {
  const words = toolWords(builtInTools('practice'));
  return (name, input) => {
    const line = words.line(name, input);
    return line === input ? `${name} ${input}` : line;
  };
}

const movedOn = (): Failure =>
  new Failure({
    code: 'conflict',
    message: 'This journal is not as it was when it was looked at.',
    kept: 'Nothing was changed.',
    todo: 'Look at it again, and decide by what is there now.',
  });
