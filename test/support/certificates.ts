import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Certificates {
  /** Path of the authority's certificate: what a user would name in NODE_EXTRA_CA_CERTS. */
  caFile: string;
  /** For `names`, signed by that authority. */
  server: { key: string; cert: string };
  remove(): void;
}

/** An authority of our own and a server certificate by it, made with openssl in a folder of their own. */
export function makeCertificates(names: readonly string[], days = 2): Certificates {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-ca-'));
  const at = (name: string): string => join(folder, name);
  const openssl = (...args: string[]): void => {
    execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  };
  const key = (file: string) => openssl('ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', file);
  key('ca.key');
  openssl(
    'req',
    '-x509',
    '-new',
    '-key',
    'ca.key',
    '-days',
    '2',
    '-subj',
    '/CN=Test Authority',
    '-out',
    'ca.pem',
  );
  key('server.key');
  openssl('req', '-new', '-key', 'server.key', '-subj', '/CN=server', '-out', 'server.csr');
  const san = names.map((name) => `${/^[\d.]+$|:/.test(name) ? 'IP' : 'DNS'}:${name}`).join(',');
  writeFileSync(at('san.txt'), `subjectAltName=${san}\n`);
  openssl(
    ...['x509', '-req', '-in', 'server.csr', '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial'],
    ...['-days', String(days), '-extfile', 'san.txt', '-out', 'server.pem'],
  );
  return {
    caFile: at('ca.pem'),
    server: { key: readFileSync(at('server.key'), 'utf8'), cert: readFileSync(at('server.pem'), 'utf8') },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
