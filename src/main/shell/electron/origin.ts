/**
 * Scheme and host of a URL, `app://bundle`. Put together by hand, since `URL.origin` is the word `null` for schemes of
 * one's own; undefined for what is no URL.
 */
export function originOf(url: string): string | undefined {
  try {
    const { protocol, host } = new URL(url);
    return `${protocol}//${host}`;
  } catch {
    return undefined;
  }
}
