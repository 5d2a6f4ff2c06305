import type { Fingerprint } from './record';

/** One field of the fingerprint beside its current value. Hashes are given whole; a view shortens them. */
export interface FingerprintDiff {
  field: keyof Fingerprint;
  recorded: string;
  current: string;
  changed: boolean;
  /** `hard`: a change can never be forced (provider). */
  force: 'forceable' | 'hard';
}

export type GateName = 'completed' | 'interactivity' | 'provider' | 'drift';

/** `pass`; `refuse`: stops the resume; `forced`: would refuse, but force was given; `skipped` is not used: all are always judged. */
export interface GateReport {
  gate: GateName;
  outcome: 'pass' | 'refuse' | 'forced';
  /** For a person; says what to do when it refuses. */
  text: string;
}
