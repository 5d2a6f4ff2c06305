import type { CommandName } from './contract';

/**
 * Commands that only look, or that set the same thing again: asking twice is as good as once, so a client may repeat
 * one whose answer was lost with the connection.
 */
export const REPEATABLE: ReadonlySet<string> = new Set<CommandName>([
  'app.hello',
  'library.page',
  'library.keys',
  'library.tags',
  'library.trash',
  'library.trashKeys',
  'run.unwatch',
  'run.items',
  'run.text',
  'run.kept',
  'run.find',
  'run.record',
  'run.preflight',
  'run.rename',
  'run.compare',
  'run.forkPoints',
  'run.repairPlan',
  'export.prepare',
  'moving.jobs',
  'moving.cancel',
  'moving.forget',
  'draft.get',
  'draft.set',
  'profiles.list',
  'profiles.models',
  'profiles.discover',
  'permissions.list',
  'permissions.decline',
  'permissions.revoke',
  'folder.list',
  'folder.sample',
  'folder.recent',
  'prefs.get',
  'prefs.set',
]);
