import { describe, expect, it } from 'vitest';
import { outsideLink } from '../../../src/main/app/link';
import { isFailure } from '../../../src/shared/run/failure';
import { HOSTILE_LINKS } from '../../support/hostile-links';

describe('outsideLink', () => {
  it.each([
    ['https://example.org', 'https://example.org/', 'example.org'],
    ['HTTPS://Example.ORG/Path?q=1#x', 'https://example.org/Path?q=1#x', 'example.org'],
    ['https://example.org:8443/a', 'https://example.org:8443/a', 'example.org:8443'],
    ['https://bücher.example/', 'https://xn--bcher-kva.example/', 'xn--bcher-kva.example'],
    [
      'https://en.wikipedia.org/wiki/Pear_(fruit)',
      'https://en.wikipedia.org/wiki/Pear_(fruit)',
      'en.wikipedia.org',
    ],
    ['https://example.org/@ada', 'https://example.org/@ada', 'example.org'],
    ['https://example.org/?mail=a@b.c', 'https://example.org/?mail=a@b.c', 'example.org'],
    ['mailto:ada@example.org', 'mailto:ada@example.org', 'ada@example.org'],
    [
      'mailto:ada@example.org?subject=Hi%20there',
      'mailto:ada@example.org?subject=Hi%20there',
      'ada@example.org',
    ],
  ])('takes %s', (text, href, host) => {
    expect(outsideLink(text)).toEqual({ href, host });
  });

  it(`takes none of ${HOSTILE_LINKS.length} hostile addresses`, () => {
    expect(HOSTILE_LINKS.length).toBeGreaterThanOrEqual(60);
    const taken = HOSTILE_LINKS.filter((text) => {
      try {
        outsideLink(text);
        return true;
      } catch (error) {
        expect(isFailure(error, 'forbidden')).toBe(true);
        return false;
      }
    });
    expect(taken).toEqual([]);
  });

  it.each([
    [
      'a list of forbidden schemes',
      (text: string) => !/^(file|javascript|data|vbscript):/.test(text) && URL.canParse(text),
    ],
    ['the beginning of the text', (text: string) => /^\s*(https|mailto):/i.test(text)],
    [
      'the parsed scheme alone',
      (text: string) => URL.canParse(text) && ['https:', 'mailto:'].includes(new URL(text).protocol),
    ],
  ])('would be caught if it judged by %s', (_, mutant) => {
    expect(HOSTILE_LINKS.filter(mutant).length).toBeGreaterThan(0);
  });
});
