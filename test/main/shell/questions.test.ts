import { afterEach, describe, expect, it } from 'vitest';
import { openQuestions, type Questions } from '../../../src/main/shell/browser/questions';
import { asText, questionPage } from '../../../src/main/shell/browser/question-page';

const QUESTION = {
  message: 'Let Holdfast talk to evil.example?',
  detail: 'Address: https://evil.example\nNo key is sent there.',
  yes: 'Allow',
};

let questions: Questions | undefined;
afterEach(() => questions?.close());

/** Questions whose clock stands in the hand of the test. */
async function open(more: { admitted?: () => boolean; patience?: number } = {}) {
  const clock = { now: 1_000_000, changes: 0 };
  const made = await openQuestions({
    admits: () => more.admitted?.() ?? true,
    window: () => 4711,
    onChange: () => clock.changes++,
    now: () => clock.now,
    ...(more.patience !== undefined && { patience: more.patience }),
  });
  questions = made;
  const at = (index = 0) => {
    const one = made.open()[index];
    if (!one) throw new Error('no question is open');
    return { origin: `http://127.0.0.1:${one.port}`, url: `http://127.0.0.1:${one.port}${one.path}` };
  };
  const nonce = async (url: string) =>
    /data-nonce="([^"]+)"/.exec(await (await fetch(url)).text())?.[1] ?? 'none';
  const answer = async (url: string, origin: string, body: unknown, type = 'application/json') => {
    const { status } = await fetch(url, {
      method: 'POST',
      headers: { origin, 'content-type': type },
      body: JSON.stringify(body),
    });
    return status;
  };
  return { made, clock, at, nonce, answer };
}

describe('a question on a page of its own', () => {
  it('is allowed by an answer from that page, once', async () => {
    const { made, clock, at, nonce, answer } = await open();
    const asked = made.ask(QUESTION);
    const { url, origin } = at();
    const key = await nonce(url);
    clock.now += 1_000;
    expect(await answer(url, origin, { nonce: key, yes: true })).toBe(204);
    expect(await asked).toBe(true);
    expect(made.open()).toEqual([]);
    expect(clock.changes).toBe(2);
    expect(await answer(url, origin, { nonce: key, yes: true })).toBe(404);
  });

  it('is answered by nothing that a script of the window can send', async () => {
    const { made, clock, at, nonce, answer } = await open();
    const asked = made.ask(QUESTION);
    const { url, origin } = at();
    const key = await nonce(url);
    clock.now += 1_000;
    const yes = { nonce: key, yes: true };
    // From another origin, whatever it knows; without what the page was given; as a form; by a plain address.
    for (const other of ['http://127.0.0.1:4711', 'http://localhost:4711', 'null', 'https://evil.example'])
      expect(await answer(url, other, yes), other).toBe(403);
    expect(await answer(url, origin, { nonce: 'guessed', yes: true })).toBe(403);
    expect(await answer(url, origin, { yes: true })).toBe(403);
    expect(await answer(url, origin, yes, 'text/plain')).toBe(403);
    expect((await fetch(`${url}?nonce=${key}&yes=true`)).status).toBe(200);
    expect((await fetch(`${origin}/ask/${'a'.repeat(32)}`)).status).toBe(404);
    expect(made.open().length).toBe(1);
    made.decline(made.open()[0]?.id ?? '');
    expect(await asked).toBe(false);
  });

  it('is not allowed by a press that comes at once, which was meant for something else', async () => {
    const { made, clock, at, nonce, answer } = await open();
    const asked = made.ask(QUESTION);
    const { url, origin } = at();
    const key = await nonce(url);
    expect(await answer(url, origin, { nonce: key, yes: true })).toBe(403);
    clock.now += 1_000;
    expect(await answer(url, origin, { nonce: key, yes: true })).toBe(204);
    expect(await asked).toBe(true);
  });

  it('is shown to nobody without the cookie of the window, or by another user', async () => {
    let admitted = false;
    const { made, at } = await open({ admitted: () => admitted });
    const asked = made.ask(QUESTION);
    const { url } = at();
    expect((await fetch(url)).status).toBe(403);
    admitted = true;
    const answer = await fetch(url);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-security-policy')).toContain(
      'frame-ancestors http://127.0.0.1:4711 http://localhost:4711',
    );
    await made.close();
    expect(await asked).toBe(false);
  });

  it('counts as no when nobody answers, and nothing is asked for a while after many refusals', async () => {
    const { made, clock } = await open({ patience: 5 });
    expect(await made.ask(QUESTION)).toBe(false);
    for (let n = 0; n < 6; n++) {
      const asked = made.ask(QUESTION);
      made.decline(made.open()[0]?.id ?? '');
      expect(await asked).toBe(false);
    }
    void made.ask(QUESTION);
    expect(made.open()).toEqual([]);
    clock.now += 61_000;
    const asked = made.ask(QUESTION);
    expect(made.open().length).toBe(1);
    made.decline(made.open()[0]?.id ?? '');
    await asked;
  });

  it('keeps few open together', async () => {
    const { made } = await open();
    const asked = Array.from({ length: 9 }, () => made.ask(QUESTION));
    expect(made.open().length).toBe(4);
    await made.close();
    expect(await Promise.all(asked)).toEqual(asked.map(() => false));
  });

  it('has words that are no markup and hide nothing', () => {
    expect(asText('<b>&"\u202e')).toBe('&#60;b&#62;&#38;&#34;\\u{202e}');
    const page = questionPage({ ...QUESTION, message: '</h1><script>' }, 'n', 'dark');
    expect(page).not.toContain('</h1><script>');
    expect(page).toContain('data-theme="dark"');
    expect(questionPage(QUESTION, 'n', '"><script>')).not.toContain('<script>"');
  });
});
