import { describe, expect, it } from 'vitest';
import { nextHour, toInstant, toLocal } from './zone';

const instant = (local: string, timezone: string) => toInstant(local, timezone)?.toISOString();

describe('a time in the account’s timezone', () => {
  it('is the moment at which the clock there shows it', () => {
    expect(instant('2026-01-31T09:30', 'Europe/Berlin')).toBe('2026-01-31T08:30:00.000Z');
    expect(instant('2026-07-31T09:30', 'Europe/Berlin')).toBe('2026-07-31T07:30:00.000Z');
    expect(instant('2026-01-31T09:30', 'America/New_York')).toBe('2026-01-31T14:30:00.000Z');
    expect(instant('2026-01-31T09:30', 'Asia/Kathmandu')).toBe('2026-01-31T03:45:00.000Z');
    expect(instant('2026-01-31T00:10', 'Pacific/Kiritimati')).toBe('2026-01-30T10:10:00.000Z');
  });

  it('that the clocks skip in spring is as much later as they are put forward', () => {
    expect(instant('2026-03-29T02:30', 'Europe/Berlin')).toBe('2026-03-29T01:30:00.000Z');
    expect(instant('2026-03-29T03:30', 'Europe/Berlin')).toBe('2026-03-29T01:30:00.000Z');
  });

  it('that comes twice in autumn is the first of them', () => {
    expect(instant('2026-10-25T02:30', 'Europe/Berlin')).toBe('2026-10-25T00:30:00.000Z');
    expect(instant('2026-10-25T03:30', 'Europe/Berlin')).toBe('2026-10-25T02:30:00.000Z');
  });

  it('is none while it is incomplete', () => {
    for (const text of ['', '2026-01-31', '2026-13-01T10:00', 'tomorrow'])
      expect(toInstant(text, 'Europe/Berlin')).toBeNull();
  });

  it('comes back as it was', () => {
    for (const timezone of ['Europe/Berlin', 'Asia/Kolkata', 'America/St_Johns', 'UTC']) {
      const at = toInstant('2026-05-17T23:45', timezone) ?? new Date(0);
      expect(toLocal(at, timezone)).toBe('2026-05-17T23:45');
    }
  });

  it('begins with a full hour that is at least an hour away', () => {
    expect(nextHour(Date.parse('2026-01-31T08:30:00Z'), 'Europe/Berlin')).toBe('2026-01-31T11:00');
    expect(nextHour(Date.parse('2026-01-31T21:59:00Z'), 'Europe/Berlin')).toBe('2026-02-01T00:00');
  });
});
