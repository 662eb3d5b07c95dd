import { describe, expect, it } from 'vitest';
import { inputOfMoment, momentOfInput } from './schedule';

describe('a time of the wall clock', () => {
  it('becomes a moment in the zone and back', () => {
    const moment = momentOfInput('2026-07-01T09:30', 'Europe/Berlin');
    expect(moment && new Date(moment).toISOString()).toBe('2026-07-01T07:30:00.000Z');
    expect(inputOfMoment(moment ?? 0, 'Europe/Berlin')).toBe('2026-07-01T09:30');
    expect(inputOfMoment(moment ?? 0, 'Asia/Kolkata')).toBe('2026-07-01T13:00');
  });
  it('that a clock change skips is the moment of the change, and one that it repeats the first', () => {
    const moment = (input: string) => new Date(momentOfInput(input, 'Europe/Berlin') ?? 0).toISOString();
    expect(moment('2026-03-29T02:30')).toBe('2026-03-29T01:00:00.000Z');
    expect(moment('2026-10-25T02:30')).toBe('2026-10-25T00:30:00.000Z');
  });
  it('is nothing when nothing was entered', () => {
    expect(momentOfInput('', 'UTC')).toBeUndefined();
  });
});
