import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from '../../../shared/zod';
import type { OpenQuestion, Question } from '../../app/door';
import { pageHeaders } from '../policy';
import { QUESTION_SCRIPT, QUESTION_STYLE, questionPage } from './question-page';

export interface QuestionsOptions {
  /** Whether a request comes from the person of the window: its cookie is one of the door's, and it is this user's. */
  admits(request: IncomingMessage): boolean | Promise<boolean>;
  /** Port of the window, which alone may show a question inside itself; 0 while there is none. */
  window(): number;
  /** A question was asked or is over. */
  onChange(): void;
  /** Milliseconds after which a question that nobody answers counts as no. */
  patience?: number;
  now?: () => number;
}

export interface Questions {
  /** Where the window may frame questions from. */
  readonly origins: readonly string[];
  /** Resolves once. false also when too much is asked. */
  ask(question: Question, over?: AbortSignal): Promise<boolean>;
  open(): OpenQuestion[];
  decline(id: string): void;
  close(): Promise<void>;
}

interface Open {
  question: Question;
  /** What an answer must bring, of each page that was served, and when that was. */
  served: Map<string, number>;
  settle(yes: boolean): void;
}

const PATIENCE = 120_000;
/** Questions that may be open together. */
const MOST_OPEN = 4;
/** Pages of one question that may be answered. */
const MOST_SERVED = 16;
/** Milliseconds before an answer counts: a click that was meant for something else comes at once. */
const AT_ONCE = 400;
/** So many refusals within so many milliseconds, and nothing more is asked for as long. */
const MOST_REFUSED = 5;
const REFUSED_WITHIN = 60_000;

const answer = z.strictObject({ nonce: z.string().max(100), yes: z.boolean() });

/**
 * Questions to the person on the browser door, on pages of an origin of their own. The window shows them in a frame, and
 * its scripts can neither read nor press what is in there: another port is another origin. An answer is good once, and
 * only when it comes from a page that this server made for that question a while ago.
 */
export async function openQuestions(options: QuestionsOptions): Promise<Questions> {
  const now = options.now ?? Date.now;
  const open = new Map<string, Open>();
  let refused: number[] = [];
  const server = createServer({ requestTimeout: 30_000, maxHeaderSize: 1024 * 1024 });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port: 0, exclusive: true }, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const hosts = new Set([`127.0.0.1:${port}`, `localhost:${port}`]);

  const headers = (): Record<string, string> => {
    const { 'x-frame-options': _none, ...rest } = pageHeaders('self');
    const window = options.window();
    const around = window === 0 ? "'none'" : `http://127.0.0.1:${window} http://localhost:${window}`;
    return {
      ...rest,
      'content-security-policy': `${rest['content-security-policy'] ?? ''}; frame-ancestors ${around}`,
      'cache-control': 'no-store',
    };
  };
  const send = (response: ServerResponse, status: number, type = 'text/plain', body = '') => {
    response.writeHead(status, { ...headers(), 'content-type': `${type}; charset=utf-8` });
    response.end(body);
  };

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const host = request.headers.host ?? '';
    if (!hosts.has(host) || !(await options.admits(request))) return send(response, 403);
    const [path = '', query = ''] = (request.url ?? '').split('?', 2);
    if (request.method === 'GET') {
      if (path === '/question.js') return send(response, 200, 'text/javascript', QUESTION_SCRIPT);
      if (path === '/question.css') return send(response, 200, 'text/css', QUESTION_STYLE);
    }
    const asked = path.startsWith('/ask/') ? open.get(path.slice('/ask/'.length)) : undefined;
    if (!asked)
      return send(response, 404, 'text/html', '<!doctype html><p>This question is no longer open.</p>');
    if (request.method === 'GET') {
      const nonce = randomBytes(24).toString('base64url');
      asked.served.set(nonce, now());
      const [oldest = ''] = asked.served.keys();
      if (asked.served.size > MOST_SERVED) asked.served.delete(oldest);
      const theme = new URLSearchParams(query).get('theme') ?? '';
      return send(response, 200, 'text/html', questionPage(asked.question, nonce, theme));
    }
    // A browser writes the origin of whoever sends; no script can write another one.
    const own = request.method === 'POST' && request.headers.origin === `http://${host}`;
    if (!own || request.headers['content-type'] !== 'application/json') return send(response, 403);
    const told = answer.safeParse(await bodyOf(request));
    const served = told.success ? asked.served.get(told.data.nonce) : undefined;
    if (!told.success || served === undefined) return send(response, 403);
    if (told.data.yes && now() - served < AT_ONCE) return send(response, 403);
    asked.settle(told.data.yes);
    send(response, 204);
  };
  server.on('request', (request, response) => {
    handle(request, response).catch(() => response.destroy());
  });

  const ask = (question: Question, over?: AbortSignal): Promise<boolean> => {
    const since = now() - REFUSED_WITHIN;
    refused = refused.filter((at) => at > since);
    if (open.size >= MOST_OPEN || refused.length >= MOST_REFUSED) return Promise.resolve(false);
    const id = randomBytes(24).toString('base64url');
    return new Promise<boolean>((resolve) => {
      const settle = (yes: boolean) => {
        if (!open.delete(id)) return;
        clearTimeout(timer);
        if (!yes && over?.aborted !== true) refused.push(now());
        resolve(yes);
        options.onChange();
      };
      const timer = setTimeout(() => settle(false), options.patience ?? PATIENCE);
      timer.unref();
      over?.addEventListener('abort', () => settle(false), { once: true });
      open.set(id, { question, served: new Map(), settle });
      options.onChange();
    });
  };

  return {
    origins: [...hosts].map((host) => `http://${host}`),
    ask,
    open: () => [...open.keys()].map((id) => ({ id, port, path: `/ask/${id}` })),
    decline: (id) => open.get(id)?.settle(false),
    async close() {
      for (const { settle } of [...open.values()]) settle(false);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The JSON of a small request; undefined for anything else. */
async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of request) {
    text += String(chunk);
    if (text.length > 1_000) return undefined;
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
