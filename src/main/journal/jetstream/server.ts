/** Major, minor and patch; undefined for what is no version, which then counts as old. */
function parse(version: string): [major: number, minor: number, patch: number] | undefined {
  const found = /^v?(\d+)\.(\d+)\.(\d+)/.exec(version);
  return found === null ? undefined : [Number(found[1]), Number(found[2]), Number(found[3])];
}

/**
 * Whether a server judges the tail fence (expected last sequence over all subjects of a run) as we send it: 2.11.11 and
 * later 2.11, 2.12.2 and later. Older 2.11 and 2.12 take one header for the other, and before 2.11 there is none: they
 * get the fence on the record's own subject.
 */
export function hasTailFence(version: string): boolean {
  const [major, minor, patch] = parse(version) ?? [0, 0, 0];
  if (major !== 2) return major > 2;
  if (minor === 11) return patch >= 11;
  if (minor === 12) return patch >= 2;
  return minor > 12;
}

/** Whether a stream that keeps by interest can be told to keep by limits. */
export function changesRetention(version: string): boolean {
  const [major, minor] = parse(version) ?? [0, 0];
  return major > 2 || (major === 2 && minor >= 10);
}

/** Servers that have lost whole streams when they were killed. */
export function isFragile(version: string): boolean {
  const [major, minor, patch] = parse(version) ?? [0, 0, 0];
  return major === 2 && minor === 10 && patch >= 20 && patch <= 22;
}
