/** The last part of a path, for chips; the whole path belongs into the tooltip. */
export function baseName(path: string): string {
  const parts = path.split(/[\\/]/).filter(Boolean);
  return parts.at(-1) ?? path;
}

/** A path with the home folder as `~`. */
export function tilde(path: string, home: string | undefined): string {
  if (!home || home === '/') return path;
  if (path === home) return '~';
  return path.startsWith(`${home}/`) || path.startsWith(`${home}\\`) ? `~${path.slice(home.length)}` : path;
}

/** Host of an http(s) address, or the mail domain; the whole text where there is none. */
export function hostOf(url: string): string {
  try {
    const parsed = new URL(url);
    if (parsed.protocol === 'mailto:') return parsed.pathname.split('@').at(-1) ?? parsed.pathname;
    return parsed.host || parsed.protocol;
  } catch {
    return url;
  }
}
