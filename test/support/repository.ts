import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { project } from './prerequisites';

/** Every file that a commit would hold: tracked, or new and not ignored. Relative to the project, with `/`. */
export function repositoryFiles(): string[] {
  const list = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], {
    cwd: project,
    encoding: 'utf8',
  });
  return list.split('\0').filter((file) => file !== '' && existsSync(join(project, file)));
}

export const read = (file: string): string => readFileSync(join(project, file), 'utf8');

const TEXT =
  /\.(ts|tsx|mts|mjs|js|json|md|css|html|yml|yaml|svg|txt)$|(^|\/)(LICENSE|run|\.[a-z]+(rc|ignore|config|attributes)?)$/;

export const isText = (file: string): boolean => TEXT.test(file);
export const isCode = (file: string): boolean => /^(src|test|scripts)\/.*\.(ts|tsx|mjs|css)$/.test(file);

/** `file:line: text` for each line of these files that matches. */
export function linesMatching(files: string[], pattern: RegExp): string[] {
  return files.flatMap((file) =>
    read(file)
      .split('\n')
      .flatMap((line, index) =>
        pattern.test(line) ? [`${file}:${index + 1}: ${line.trim().slice(0, 120)}`] : [],
      ),
  );
}
