import { request, type IncomingHttpHeaders } from 'node:http';

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A request as no browser would make it: the path goes out exactly as given, headers too. */
export function ask(
  host: string,
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<Answer> {
  const [hostname, port] = host.split(':');
  return new Promise((resolve, reject) => {
    const call = request(
      { hostname, port, path, method, headers: { host, ...headers }, agent: false },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks).toString('utf8'),
          }),
        );
      },
    );
    call.on('error', reject);
    call.end();
  });
}

/** Uses a link as a browser does, and gives the cookie that came back. */
export async function enter(link: string): Promise<{ host: string; cookie: string }> {
  const { host, pathname, search } = new URL(link);
  const answer = await ask(host, pathname + search);
  const cookie = answer.headers['set-cookie']?.[0]?.split(';')[0];
  if (cookie === undefined) throw new Error(`the link opened nothing: ${answer.status}`);
  return { host, cookie };
}
