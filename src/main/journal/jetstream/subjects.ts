import { RUN_ID } from '../journal';

/** Family of a subject: records of runs, and what is kept beside them. No run can be named like a family. */
export type Family = 'run' | 'aux' | 'claim' | 'cat' | 'blob' | 'slip';

/** A subject taken apart. `token` is what stands after the id. */
export interface SubjectParts {
  family: Family;
  id: string;
  token: string;
}

const META = '_meta';

/**
 * All subjects of a store, below the one wildcard of its stream:
 *
 *     <prefix>.<id>._meta         the meta record (seq 1)
 *     <prefix>.<id>.<seq>         every later record; nothing else may stand below an id
 *     <prefix>._aux.<id>.<n>      notes beside the run, some lines each
 *     <prefix>._claim.<id>.<n>    who may write: each claim supersedes the one before
 *     <prefix>._cat.<id>.<n>      title, pin, tags and the trash mark; the highest n counts
 *     <prefix>._blob.<id>.<name>.<n>   texts kept whole, in pieces
 *     <prefix>._slip.<id>.<name>.<n>   small texts that are replaced; the highest n counts
 */
export class Subjects {
  constructor(readonly prefix: string) {}

  /** The first record: its number is 1 in every run that we write. */
  meta(id: string): string {
    return `${this.prefix}.${id}.${META}`;
  }

  /** Any later record. */
  record(id: string, seq: number): string {
    return `${this.prefix}.${id}.${seq}`;
  }

  isMeta(token: string): boolean {
    return token === META;
  }

  run(id: string): string {
    return `${this.prefix}.${id}.>`;
  }

  aux(id: string, n: number | '>'): string {
    return `${this.prefix}._aux.${id}.${n}`;
  }

  claim(id: string, n: number | '>'): string {
    return `${this.prefix}._claim.${id}.${n}`;
  }

  catalogue(id: string, n: number | '>'): string {
    return `${this.prefix}._cat.${id}.${n}`;
  }

  blob(id: string, rest: string): string {
    return `${this.prefix}._blob.${id}.${rest}`;
  }

  slip(id: string, name: string, n: number | '>'): string {
    return `${this.prefix}._slip.${id}.${name}.${n}`;
  }

  slips(id: string): string {
    return `${this.prefix}._slip.${id}.>`;
  }

  /** Every subject of one family. */
  all(family: Exclude<Family, 'run'>): string {
    return `${this.prefix}._${family}.>`;
  }

  /** Meta records of all runs. */
  get metas(): string {
    return `${this.prefix}.*.${META}`;
  }

  /** Records of all runs, and nothing else: other families have one token more. */
  get records(): string {
    return `${this.prefix}.*.*`;
  }

  get everything(): string {
    return `${this.prefix}.>`;
  }

  /** undefined for a subject that is none of ours. */
  parse(subject: string): SubjectParts | undefined {
    if (!subject.startsWith(`${this.prefix}.`)) return undefined;
    const [first = '', second = '', ...rest] = subject.slice(this.prefix.length + 1).split('.');
    const family = FAMILIES.get(first);
    if (family !== undefined)
      return RUN_ID.test(second) && rest.length > 0
        ? { family, id: second, token: rest.join('.') }
        : undefined;
    if (!RUN_ID.test(first) || second === '' || rest.length > 0) return undefined;
    return { family: 'run', id: first, token: second };
  }
}

const FAMILIES = new Map<string, Family>([
  ['_aux', 'aux'],
  ['_claim', 'claim'],
  ['_cat', 'cat'],
  ['_blob', 'blob'],
  ['_slip', 'slip'],
]);

/** Headers of stored messages. The first is the reference's own; ours are hints that every reader may ignore. */
export const HEADER = {
  /** `<nonce>-<seq>`: whose message it is. */
  id: 'Nats-Msg-Id',
  /** The server's fence: expected stream sequence of the last message … */
  expect: 'Nats-Expected-Last-Subject-Sequence',
  /** … over these subjects. Must stand after the line above: older servers find headers by their beginnings. */
  over: 'Nats-Expected-Last-Subject-Sequence-Subject',
  /** Number of the claim under which a record was written: it is from a writer that notes what it is about to do. */
  claim: 'Holdfast-Claim',
  /** That a machine wrote this very record, for that machine (see agent/origin.ts). */
  own: 'Holdfast-Own',
  /** What the run folds to with this record, for lists. */
  row: 'Holdfast-Row',
  /** In a heartbeat: the place in the stream that its consumer has come to. */
  lastStream: 'Nats-Last-Stream',
  /** What a catalogue message did: `added`, `removed` or `catalogue`. */
  change: 'Holdfast-Change',
  /** Asks the holder of a claim to answer. Never stored. */
  ask: 'Holdfast-Ask',
  /** A holder's answer. */
  held: 'Holdfast-Held',
} as const;
