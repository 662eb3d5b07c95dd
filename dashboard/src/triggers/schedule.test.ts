/** The cases of the server's tests, `crates/triggers/src/schedule/tests.rs`. */
import { describe, expect, it } from 'vitest';
import { inputOfMoment, momentOfInput, nextTimes, type Recurrence } from './schedule';

const daily = (time: string): Recurrence => ({ period: 'daily', time, dayOfWeek: 1, dayOfMonth: 1 });
const times = (recurrence: Recurrence, zone: string, after: string, count: number) =>
  nextTimes(recurrence, Date.parse(after), zone, count).map((time) =>
    new Date(time).toISOString().replace(':00.000Z', 'Z'),
  );

describe('a recurring trigger', () => {
  it('fires at the first minute after the gap when its time is skipped', () => {
    expect(times(daily('02:30'), 'Europe/Berlin', '2026-03-27T12:00:00Z', 3)).toEqual([
      '2026-03-28T01:30Z',
      '2026-03-29T01:00Z',
      '2026-03-30T00:30Z',
    ]);
    expect(times(daily('02:15'), 'Australia/Lord_Howe', '2026-10-02T12:00:00Z', 3)).toEqual([
      '2026-10-02T15:45Z',
      '2026-10-03T15:30Z',
      '2026-10-04T15:15Z',
    ]);
    expect(times(daily('00:00'), 'America/Santiago', '2026-09-04T12:00:00Z', 3)).toEqual([
      '2026-09-05T04:00Z',
      '2026-09-06T04:00Z',
      '2026-09-07T03:00Z',
    ]);
  });

  it('fires once when its time is repeated', () => {
    expect(times(daily('02:30'), 'Europe/Berlin', '2026-10-24T12:00:00Z', 2)).toEqual([
      '2026-10-25T00:30Z',
      '2026-10-26T01:30Z',
    ]);
    expect(times(daily('02:30'), 'Europe/Berlin', '2026-10-25T00:45:00Z', 1)).toEqual(['2026-10-26T01:30Z']);
  });

  it('fires on its day of the week', () => {
    const monday: Recurrence = { ...daily('09:00'), period: 'weekly', dayOfWeek: 1 };
    expect(times(monday, 'America/New_York', '2026-03-02T15:00:00Z', 2)).toEqual([
      '2026-03-09T13:00Z',
      '2026-03-16T13:00Z',
    ]);
  });

  it('fires on the last day of a shorter month', () => {
    const monthly: Recurrence = { ...daily('12:00'), period: 'monthly', dayOfMonth: 31 };
    expect(times(monthly, 'UTC', '2026-01-31T12:00:00Z', 3)).toEqual([
      '2026-02-28T12:00Z',
      '2026-03-31T12:00Z',
      '2026-04-30T12:00Z',
    ]);
  });

  it('fires later today when its time is still to come, and not at the very moment', () => {
    expect(times(daily('09:00'), 'Asia/Kolkata', '2026-05-01T03:29:59Z', 1)).toEqual(['2026-05-01T03:30Z']);
    expect(times(daily('09:00'), 'Asia/Kolkata', '2026-05-01T03:30:00Z', 1)).toEqual(['2026-05-02T03:30Z']);
  });
});

describe('a time of the wall clock', () => {
  it('becomes a moment in the zone and back', () => {
    const moment = momentOfInput('2026-07-01T09:30', 'Europe/Berlin');
    expect(moment && new Date(moment).toISOString()).toBe('2026-07-01T07:30:00.000Z');
    expect(inputOfMoment(moment ?? 0, 'Europe/Berlin')).toBe('2026-07-01T09:30');
    expect(inputOfMoment(moment ?? 0, 'Asia/Kolkata')).toBe('2026-07-01T13:00');
  });
  it('is nothing when nothing was entered', () => {
    expect(momentOfInput('', 'UTC')).toBeUndefined();
  });
});
