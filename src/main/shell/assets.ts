import { readFile, realpath } from 'node:fs/promises';
import { extname, isAbsolute, relative, resolve, sep } from 'node:path';

export interface Asset {
  body: Uint8Array;
  type: string;
  /** Its name holds a hash of its content, so it never changes. */
  frozen: boolean;
}

/** What the built window consists of. Anything else in its folder is not served. */
const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.woff': 'font/woff',
  '.ttf': 'font/ttf',
};

/** NUL and other controls, backslash (a separator on Windows) and colon (drives, streams) have no place in a name. */
const FORBIDDEN = /[\u0000-\u001f\u007f\\:]/;

/**
 * The file that a URL path (still percent-encoded, with its leading slash) names inside `root`, or undefined.
 * Links are followed, and what they lead to must be inside `root` too.
 */
export async function findAsset(root: string, path: string): Promise<string | undefined> {
  let name: string;
  try {
    name = decodeURIComponent(path.replace(/^\//, ''));
  } catch {
    return undefined;
  }
  if (name === '') name = 'index.html';
  if (FORBIDDEN.test(name) || name.length > 1_000) return undefined;
  const segments = name.split('/');
  if (segments.some((segment) => segment === '' || segment.startsWith('.'))) return undefined;
  if (!Object.hasOwn(TYPES, extname(name).toLowerCase())) return undefined;
  try {
    const [inside, file] = await Promise.all([realpath(root), realpath(resolve(root, ...segments))]);
    const way = relative(inside, file);
    if (way === '' || way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)) return undefined;
    return file;
  } catch {
    return undefined;
  }
}

/** Reads what a URL path names; undefined when that is nothing that may be served. */
export async function readAsset(root: string, path: string): Promise<Asset | undefined> {
  const file = await findAsset(root, path);
  if (file === undefined) return undefined;
  try {
    return {
      body: await readFile(file),
      type: TYPES[extname(file).toLowerCase()] ?? 'application/octet-stream',
      frozen: /-[\w-]{8,}\.\w+$/.test(file) && !file.endsWith('.html'),
    };
  } catch {
    return undefined;
  }
}
