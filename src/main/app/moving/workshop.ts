import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, isAbsolute, join } from 'node:path';
import { PART_NAME } from '../../library/export/part';

/**
 * Folders for jobs at work, one each, by the process that works. What a process that died left in them is removed at the
 * next start, with the unfinished files elsewhere that they note.
 */
export class Workshop {
  constructor(private readonly folder: string) {}

  /** A fresh folder for one job. */
  make(): string {
    const path = join(this.folder, `${process.pid}-${randomBytes(6).toString('hex')}`);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return path;
  }

  /** The file in a job's folder that notes what is written elsewhere. */
  ledger = (job: string): string => join(job, LEDGER);

  /** The job is over, whatever ended it: nothing unfinished stays. */
  leave(job: string): void {
    try {
      for (const part of unfinished(job)) rmSync(part, { force: true });
      rmSync(job, { recursive: true, force: true });
    } catch {
      // Removed at the next start.
    }
  }

  /** Clears away what processes left that are no more. Never throws. */
  tidy(): void {
    let names: string[];
    try {
      names = readdirSync(this.folder);
    } catch {
      return;
    }
    for (const name of names) {
      const pid = Number(/^(\d+)-[0-9a-f]{12}$/.exec(name)?.[1] ?? NaN);
      if (Number.isNaN(pid) || (pid !== process.pid && isAlive(pid))) continue;
      this.leave(join(this.folder, name));
    }
  }
}

const LEDGER = 'unfinished';

/** Only files that have the name of an unfinished export are ever removed by what a note says. */
function unfinished(job: string): string[] {
  try {
    return readFileSync(join(job, LEDGER), 'utf8')
      .split('\n')
      .filter((path) => isAbsolute(path) && PART_NAME.test(basename(path)));
  } catch {
    return [];
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
