import { Failure } from '../../shared/run/failure';
import type { Profile } from '../settings/profile';
import type { Tool, ToolSet } from './tool';
import { listFiles } from './list-files';
import { readFile } from './read-file';
import { searchText } from './search-text';
import { fileStats } from './file-stats';
import { wait } from './wait';
import { writeFile } from './write-file';
import { appendFile } from './append-file';
import { editFile } from './edit-file';
import { makeFolder } from './make-folder';
import { movePath } from './move-path';
import { deletePath } from './delete-path';

/** In the order that fingerprints hash: new ones go to the end, and no order here ever changes. */
const BUILT_IN: ToolSet = [
  listFiles,
  readFile,
  searchText,
  fileStats,
  wait,
  writeFile,
  appendFile,
  editFile,
  makeFolder,
  movePath,
  deletePath,
];

/** Tools that only the Practice model is given. */
const PRACTICE_ONLY: ReadonlySet<string> = new Set([wait.def.name]);

/** Names of all built-in tools, in their order. */
export const builtInTools = (provider: Profile['provider']): Tool[] =>
  BUILT_IN.filter((tool) => provider === 'practice' || !PRACTICE_ONLY.has(tool.def.name));

/**
 * The tools that a profile names. A name that does not exist fails (`settings_broken`): leaving it out silently would
 * change what the model sees.
 */
export function toolsFor(profile: Profile): ToolSet {
  const known = builtInTools(profile.provider);
  const unknown = profile.tools.filter((name) => !known.some((tool) => tool.def.name === name));
  if (unknown.length > 0)
    throw new Failure({
      code: 'settings_broken',
      message: `The profile "${profile.name}" names a tool that does not exist: ${unknown.join(', ')}.`,
      todo: `Tools are: ${known.map((tool) => tool.def.name).join(', ')}.`,
    });
  return known.filter((tool) => profile.tools.includes(tool.def.name));
}
