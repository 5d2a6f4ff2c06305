import { Failure } from './failure';
import { RECORD_VERSION } from './record';

/** Where a record stands that cannot be folded. */
export interface At {
  seq: number;
  line?: number;
  byte?: number;
}

export const where = (seq: number, place: { line: number; offset: number } | undefined): At => ({
  seq,
  ...(place && { line: place.line, byte: place.offset }),
});

export const emptyRun = (): Failure =>
  new Failure({
    code: 'empty',
    message: 'This run has no readable record: it was never started, or its start was not saved.',
    todo: 'Start it again under the same name, or remove it.',
  });

export const noMeta = (data: At): Failure =>
  new Failure({
    code: 'no_meta',
    message: 'This run does not begin with the record that describes it.',
    kept: 'Its records are still there, but nobody can say what they belong to.',
    todo: 'Restore the run from a copy, or remove it.',
    data: { ...data },
  });

export const wrongVersion = (version: number, data: At): Failure =>
  new Failure({
    code: 'version',
    message: `This run was written in format ${version}; this program reads and writes format ${RECORD_VERSION} only.`,
    kept: 'Nothing was changed.',
    todo: 'Open it with the program that wrote it.',
    data: { ...data, version },
  });

export function corrupt(what: string, data: At): Failure {
  const where = data.line === undefined ? '' : ` (line ${data.line}, byte ${data.byte})`;
  return new Failure({
    code: 'corrupt',
    message: `This run is damaged: ${what}${where}.`,
    kept: 'The records before it are readable.',
    todo: 'Export what can be read, or restore the run from a copy.',
    data: { ...data },
  });
}

/** What is said about records after one that ended the run. */
export function wentOn(reason: string): string {
  if (reason === 'suspended') return 'The run was paused before this and then went on.';
  if (reason === 'completed')
    return 'The run was recorded as completed before this and went on all the same.';
  return `The run had stopped before this ("${reason}") and then went on.`;
}
