/**
 * Whether a server judges the tail fence (expected last sequence over all subjects of a run) as we send it: 2.11.11 and
 * later 2.11, 2.12.2 and later. Older 2.11 and 2.12 take one header for the other, and before 2.11 there is none: they
 * get the fence on the record's own subject.
 */
export function hasTailFence(version: string): boolean {
  const found = /^v?(\d+)\.(\d+)\.(\d+)/.exec(version);
  if (found === null) return false;
  const [major, minor, patch] = found.slice(1).map(Number) as [number, number, number];
  if (major !== 2) return major > 2;
  if (minor === 11) return patch >= 11;
  if (minor === 12) return patch >= 2;
  return minor > 12;
}

/** Servers older than this have lost whole streams or acknowledged records when they were killed. */
export function isFragile(version: string): boolean {
  const found = /^v?(\d+)\.(\d+)\.(\d+)/.exec(version);
  if (found === null) return false;
  const [major, minor, patch] = found.slice(1).map(Number) as [number, number, number];
  return major === 2 && minor === 10 && patch >= 20 && patch <= 22;
}
