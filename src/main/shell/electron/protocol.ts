import { readAsset } from '../assets';
import { pageHeaders } from '../policy';

export const SCHEME = 'app';
export const HOST = 'bundle';
export const ORIGIN = `${SCHEME}://${HOST}`;
export const PAGE = `${ORIGIN}/index.html`;

/** What the scheme may do: load like a web page, and nothing that gets around the page's policy. */
export const PRIVILEGES = Object.freeze({
  scheme: SCHEME,
  privileges: Object.freeze({ standard: true, secure: true, supportFetchAPI: true }),
});

/** Answers requests for `app://bundle/…` from the built window's folder. */
export function assetHandler(root: string): (request: Request) => Promise<Response> {
  const headers = { ...pageHeaders('none'), 'cache-control': 'no-store' };
  const nothing = () => new Response(null, { status: 404, headers });
  return async (request) => {
    const path = pathOf(request.url);
    if (path === undefined || (request.method !== 'GET' && request.method !== 'HEAD')) return nothing();
    const asset = await readAsset(root, path);
    if (!asset) return nothing();
    return new Response(request.method === 'HEAD' ? null : new Uint8Array(asset.body), {
      status: 200,
      headers: { ...headers, 'content-type': asset.type },
    });
  };
}

/** The path of a URL of our own host, still percent-encoded; undefined for any other URL. */
function pathOf(url: string): string | undefined {
  try {
    const parsed = new URL(url);
    if (parsed.protocol !== `${SCHEME}:` || parsed.host !== HOST || parsed.username !== '') return undefined;
    return parsed.pathname;
  } catch {
    return undefined;
  }
}
