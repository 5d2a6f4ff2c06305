/**
 * What the page may do. One policy for every door; only the browser door has a connection of its own to allow, and frames
 * for the pages of its questions.
 */
export function contentPolicy(connect: 'none' | 'self', frames: readonly string[] = []): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    `connect-src '${connect}'`,
    `frame-src ${frames.length === 0 ? "'none'" : frames.join(' ')}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');
}

/** Sent with everything that a door serves. */
export function pageHeaders(
  connect: 'none' | 'self',
  frames: readonly string[] = [],
): Record<string, string> {
  return {
    'content-security-policy': contentPolicy(connect, frames),
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy':
      'camera=(), microphone=(), geolocation=(), display-capture=(), usb=(), serial=(), hid=(), bluetooth=(), midi=(), payment=()',
  };
}
