import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { MASK, SecretStream, secretFinder } from '../../src/shared/run/secret-finder';

const soak = process.env.HOLDFAST_SOAK === '1';
const KEY = 'sk-proj-4fQz/9a+Lw==Zt"7\\é_end-of-key';

/** Every way in which something may have written a value. */
const WAYS: Record<string, (value: string) => string> = {
  plain: (value) => value,
  json: (value) => JSON.stringify(value).slice(1, -1),
  'json with slashes escaped': (value) => JSON.stringify(value).slice(1, -1).replaceAll('/', '\\/'),
  'json in ascii': (value) =>
    JSON.stringify(value)
      .slice(1, -1)
      .replace(/[\u007f-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`),
  'json in json': (value) => JSON.stringify(JSON.stringify({ value })).slice(1, -1),
  percent: (value) => encodeURIComponent(value),
  'percent in small letters': (value) =>
    encodeURIComponent(value).replace(/%../g, (code) => code.toLowerCase()),
  form: (value) => new URLSearchParams({ k: value }).toString(),
  base64: (value) => Buffer.from(value).toString('base64'),
  base64url: (value) => Buffer.from(value).toString('base64url'),
  'base64 of a login': (value) => Buffer.from(`me:${value}`).toString('base64'),
  'base64 of more': (value) => Buffer.from(`x${value}yy`).toString('base64'),
};

/** Whether a run of twelve or more characters of a form is still there. */
const leaks = (text: string, form: string, least: number): boolean => {
  for (let at = 0; at + least <= form.length; at++)
    if (text.includes(form.slice(at, at + least)) && (at === 0 || at + least === form.length)) return true;
  return false;
};

describe('a secret value', () => {
  it.each(Object.entries(WAYS))('is masked as it is written: %s', (_name, way) => {
    const clean = secretFinder([KEY]).clean(`before ${way(KEY)} after`);
    expect(clean).toContain(MASK);
    expect(leaks(clean, KEY, 12)).toBe(false);
    expect(clean.startsWith('before ')).toBe(true);
    expect(clean.endsWith(' after')).toBe(true);
  });

  it('is masked where a limit cut it, from twelve characters on, at its beginning and at its end', () => {
    const { clean } = secretFinder(['abcdefghijklmnopqrstuvwxyz0123456789']);
    expect(clean('… abcdefghijkl')).toBe(`… ${MASK}`);
    expect(clean('… abcdefghijklmnop…')).toBe(`… ${MASK}…`);
    expect(clean('yz0123456789 and more')).toBe(`${MASK} and more`);
    expect(clean('uvwxyz0123456789')).toBe(MASK);
    expect(clean('abcdefghijk and z0123456789')).toBe('abcdefghijk and z0123456789');
  });

  it('of fewer than twelve characters is masked as a whole only, and one of fewer than eight never', () => {
    const { clean } = secretFinder(['p4ssw0rd', 'short']);
    expect(clean('p4ssw0rd p4ssw0r short')).toBe(`${MASK} p4ssw0r short`);
  });

  it('inside another one, or overlapping it, leaves nothing behind', () => {
    const { replace } = secretFinder(['secret-key-12', 'my-secret-key-123456', '123456-and-more-of-it']);
    expect(replace('x my-secret-key-123456-and-more-of-it y')).toEqual({ text: `x ${MASK} y`, count: 1 });
  });

  it('is masked in any text around it, wherever it is cut (fuzz)', () => {
    const value = fc.string({
      minLength: 12,
      maxLength: 40,
      unit: fc.constantFrom(...'abAB01/+="\\ é€.-_~'),
    });
    fc.assert(
      fc.property(
        value,
        fc.constantFrom(...Object.keys(WAYS)),
        fc.string({ maxLength: 30 }),
        fc.string({ maxLength: 30 }),
        fc.nat(),
        (secret, name, before, after, cut) => {
          const { clean } = secretFinder([secret]);
          const form = WAYS[name]!(secret);
          expect(leaks(clean(before + form + after), secret, 12)).toBe(false);
          if (name !== 'plain') return;
          const part = 12 + (cut % (secret.length - 11));
          for (const piece of [secret.slice(0, part), secret.slice(-part)])
            expect(clean(`${before}\u0000${piece}\u0000${after}`)).toContain(`\u0000${MASK}\u0000`);
        },
      ),
      { numRuns: soak ? 100_000 : 2_000 },
    );
  });

  it('in a stream is masked wherever the pieces begin and end (fuzz)', () => {
    const secrets = [KEY, 'another-secret-value-42'];
    const whole = secretFinder(secrets);
    const word = fc.oneof(
      fc.constantFrom(...secrets, KEY.slice(0, 14), KEY.slice(-15), encodeURIComponent(KEY)),
      fc.string({ maxLength: 20 }),
    );
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 12 }),
        fc.array(fc.integer({ min: 1, max: 30 })),
        (words, cuts) => {
          const text = words.join('\u0000');
          const stream = new SecretStream(whole);
          let [shown, rest] = ['', text];
          for (let n = 0; rest !== ''; n++) {
            const size = cuts[n % Math.max(1, cuts.length)] ?? 7;
            shown += stream.push(rest.slice(0, size));
            rest = rest.slice(size);
          }
          expect(shown + stream.end()).toBe(whole.clean(text));
        },
      ),
      { numRuns: soak ? 20_000 : 200 },
    );
  });

  it('costs one pass, however many there are and whatever the text repeats', () => {
    const secrets = Array.from({ length: 200 }, (_, n) => `key-${n}-${'0123456789abcdef'.repeat(3)}`);
    const finder = secretFinder([...secrets, 'a'.repeat(5_000)]);
    const texts = [
      'a'.repeat(2_000_000),
      'key-1-0123456789abcde '.repeat(90_000),
      'lorem ipsum '.repeat(170_000),
    ];
    for (const text of texts) {
      const started = performance.now();
      finder.clean(text);
      // Some 60 ms on a quiet machine; what grows with the square takes minutes.
      expect(performance.now() - started).toBeLessThan(5_000);
    }
  });
});

describe('a mutant of the search for secrets', () => {
  it('that knows only whole values is caught by what a limit cuts', () => {
    const mutant = (text: string) => text.replaceAll(KEY, MASK);
    expect(leaks(mutant(`… ${KEY.slice(0, 20)}`), KEY, 12)).toBe(true);
    expect(leaks(secretFinder([KEY]).clean(`… ${KEY.slice(0, 20)}`), KEY, 12)).toBe(false);
  });
});
