import { describe, expect, it } from 'vitest';
import { bytes, percent, short } from '../../src/renderer/view/kit/numbers';
import { baseName, hostOf, tilde } from '../../src/renderer/view/kit/paths';
import { dayName, took } from '../../src/renderer/view/kit/time';
import { fieldValue, shortHash } from '../../src/renderer/view/resume/fields';

describe('numbers and names as a person reads them', () => {
  it('shortens tokens and bytes without lying', () => {
    expect([0, 999, 1_000, 12_431, 999_499, 999_500, 2_000_000].map(short)).toEqual([
      '0',
      '999',
      '1k',
      '12.4k',
      '999k',
      '1M',
      '2M',
    ]);
    expect([1, 812, 4_100, 3_800_000_000].map(bytes)).toEqual(['1 byte', '812 bytes', '4.1 KB', '3.8 GB']);
  });

  it('says 0 and 100 percent only when it is so', () => {
    expect(percent(0, 100)).toBe('0 %');
    expect(percent(1, 1_000_000)).toBe('1 %');
    expect(percent(999_999, 1_000_000)).toBe('99 %');
    expect(percent(1_000_310, 1_000_000)).toBe('100 %');
    expect(percent(5, 0)).toBe('0 %');
  });

  it('names days by how far they are', () => {
    const now = new Date(2026, 10, 29, 12);
    expect(dayName('2026-11-29', now)).toBe('Today');
    expect(dayName('2026-11-28', now)).toBe('Yesterday');
    expect(dayName('2026-11-25', now)).toMatch(/day$/);
    expect(dayName('2025-11-25', now)).toContain('2025');
  });

  it('tells how long something took', () => {
    expect([4, 312, 4_200, 61_000, 3_660_000].map(took)).toEqual([
      '0.1 s',
      '0.3 s',
      '4.2 s',
      '1 min 1 s',
      '1 h 1 min',
    ]);
  });

  it('shortens paths, hashes and addresses', () => {
    expect(baseName('/home/ada/Papers/')).toBe('Papers');
    expect(baseName('C:\\Users\\ada')).toBe('ada');
    expect(tilde('/home/ada/x', '/home/ada')).toBe('~/x');
    expect(tilde('/home/adabe/x', '/home/ada')).toBe('/home/adabe/x');
    expect(hostOf('https://user@good.example:8443/path')).toBe('good.example:8443');
    expect(hostOf('mailto:a@b.example')).toBe('b.example');
    expect(shortHash('c61b18e0aa33bb9912ff86f5')).toBe('c61b18e0…86f5');
    expect(fieldValue('max_tokens', '0')).toBe('no limit');
    expect(fieldValue('thinking_mode', 'summarized')).toBe('on, summarised');
  });
});
