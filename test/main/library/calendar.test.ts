import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calendarOf, localDay } from '../../../src/main/library/words';

const ZONES = [
  'Asia/Tokyo',
  'America/Los_Angeles',
  'America/Sao_Paulo',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
  'Asia/Kathmandu',
  'Europe/Berlin',
  'Africa/Cairo',
  'UTC',
];

describe('the days of a time zone', () => {
  it('are those of the window, not of the process', () => {
    const ms = Date.UTC(2026, 10, 30, 23, 30);
    expect(calendarOf('Asia/Tokyo').dayOf(ms)).toBe('2026-12-01');
    expect(calendarOf('America/Los_Angeles').dayOf(ms)).toBe('2026-11-30');
    expect(calendarOf('Asia/Tokyo').startOf('2026-12-01', 0)).toBe(Date.UTC(2026, 10, 30, 15));
    expect(calendarOf('America/Sao_Paulo').startOf('2018-11-04', 0)).toBe(Date.UTC(2018, 10, 4, 3));
  });

  it('begin where their name does, whatever the zone and the season', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ZONES),
        fc.integer({ min: Date.UTC(2000, 0, 2), max: Date.UTC(2040, 0, 1) }),
        (zone, ms) => {
          const { dayOf, startOf } = calendarOf(zone);
          const day = dayOf(ms);
          const [start, end] = [startOf(day, 0), startOf(day, 1)];
          expect(start <= ms && ms < end).toBe(true);
          expect(dayOf(start)).toBe(day);
          expect(dayOf(start - 1) < day).toBe(true);
          expect(dayOf(end - 1)).toBe(day);
          expect(dayOf(end) > day).toBe(true);
        },
      ),
    );
  });

  it('are those of this process where no zone, or none that is known, is named', () => {
    const now = Date.now();
    for (const zone of [undefined, '', 'Nowhere/At all', '../../etc'])
      expect(calendarOf(zone).dayOf(now)).toBe(localDay(new Date(now)));
  });
});
